"""Reviews: templates, running, decisions, comparison."""

from __future__ import annotations

from pathlib import Path

from aipc_app.domain.review import (
    Decision,
    Finding,
    FindingDifference,
    Review,
    ReviewDraft,
    ReviewSummary,
    Template,
)
from aipc_app.operations.op import Op
from aipc_app.operations.services import Services


def list_templates(services: Services) -> Op[tuple[Template, ...]]:
    """The templates that ship, and the user's own in the home's folder. Raises UserMistake for a broken one."""
    raise NotImplementedError


def copy_template(services: Services, *, template: str, name: str) -> Op[Path]:
    """A copy that the user can edit, in the home's folder; the path it was written to."""
    raise NotImplementedError


def review_case(services: Services, *, case_id: int, template: str, language: str | None = None) -> Op[Review]:
    """Work out a review. Emits ReviewEvent (float while a model loads); cancel keeps what is done.

    A review of this case by this template that is not done is gone on with; a done one is the base of the new one: only
    items are worked out again whose documents changed. `language` "zh" or "en"; None: that of the documents.
    """
    raise NotImplementedError


def resume_review(services: Services, *, review_id: int) -> Op[Review]:
    """Go on with this review; nothing that is done is done again. Emits and stops as `review_case` does."""
    raise NotImplementedError


def list_reviews(services: Services, *, case_id: int) -> Op[tuple[ReviewSummary, ...]]:
    """The case's reviews, the latest first."""
    raise NotImplementedError


def read_review(services: Services, *, review_id: int) -> Op[Review]:
    """Raises UserMistake when there is none."""
    raise NotImplementedError


def read_draft(services: Services, *, review_id: int) -> Op[ReviewDraft]:
    """The draft as the findings and decisions of now make it; rejected findings are left out."""
    raise NotImplementedError


def decide_finding(
    services: Services,
    *,
    review_id: int,
    item: str,
    decision: Decision,
    text: str = "",
    comment: str | None = None,
) -> Op[Finding]:
    """Accept, reject, edit (`text` replaces the value) or take that back; `comment` None leaves it as it was."""
    raise NotImplementedError


def delete_review(services: Services, *, review_id: int) -> Op[None]:
    raise NotImplementedError


def compare_reviews(services: Services, *, one: int, other: int) -> Op[tuple[FindingDifference, ...]]:
    """Item by item, those of the first in its order, then those only the second has."""
    raise NotImplementedError


def export_review(services: Services, *, review_id: int, path: Path, accepted_only: bool = False) -> Op[Path]:
    """Write it as DOCX, XLSX, PDF or JSON, told by the ending. `accepted_only`: no other findings; else all with
    their state. Raises UserMistake for another ending, AipcError when it can't be written."""
    raise NotImplementedError
