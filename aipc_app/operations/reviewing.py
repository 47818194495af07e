"""Reviews and free tasks: templates, running, decisions, comparison."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from aipc_app.answer.gather import readable_documents
from aipc_app.domain.exporting import ExportFormat
from aipc_app.domain.jobs import Changes
from aipc_app.domain.review import (
    Decision,
    Finding,
    FindingDifference,
    Review,
    ReviewDraft,
    ReviewState,
    ReviewSummary,
    Template,
)
from aipc_app.errors import StorageError, UserMistake
from aipc_app.operations.models import ensure_loaded
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.operations.services import Services
from aipc_app.review import questions, templates
from aipc_app.review.as_json import as_json
from aipc_app.review.compare import compare
from aipc_app.review.draft import draft_of
from aipc_app.review.export_plan import plan_of
from aipc_app.review.tasks import plan as tasks
from aipc_app.text.language import language_of

_SAMPLE_CHARACTERS = 2_000
_LONGEST_TASK = 1_000  # characters
JSON = "json"


def list_templates(services: Services) -> Op[tuple[Template, ...]]:
    """The templates that ship, and the user's own in the home's folder. Raises UserMistake for a broken one."""
    return simply("list templates", lambda: templates.all_templates(services.home.templates))


def copy_template(services: Services, *, template: str, name: str) -> Op[Path]:
    """A copy that the user can edit, in the home's folder; the path it was written to."""
    return simply("copy template", lambda: templates.copy_template(services.home.templates, template, name))


def review_case(services: Services, *, case_id: int, template: str, language: str | None = None) -> Op[Review]:
    """Work out a review. Emits ReviewEvent (float while a model loads); cancel keeps what is done.

    A review of this case by this template that is not done is gone on with; a done one is the base of the new one: only
    items are worked out again whose documents changed. `language` "zh" or "en"; None: that of the documents.
    """

    def work(emit: Emit, cancel: threading.Event) -> Review:
        wanted = templates.find_template(services.home.templates, template)
        return _run(services, emit, cancel, lambda model: _begin(services, case_id, wanted, language, model))

    return Op("review", work)


def ask_each_document(services: Services, *, case_id: int, question: str, language: str | None = None) -> Op[Review]:
    """One question asked of every document of the case, a finding a document. Emits and stops as `review_case` does;
    asked again, it goes on with what is left, and with documents that came since."""

    def work(emit: Emit, cancel: threading.Event) -> Review:
        (asked,) = _questions((question,))
        documents = readable_documents(services.store, (case_id,))
        wanted = questions.of_each_document(asked, documents)
        return _run(services, emit, cancel, lambda model: _begin(services, case_id, wanted, language, model))

    return Op("ask each document", work)


def ask_questions(services: Services, *, case_id: int, asked: Sequence[str], language: str | None = None) -> Op[Review]:
    """A list of questions over the whole case, worked through however long it takes. As `ask_each_document`."""

    def work(emit: Emit, cancel: threading.Event) -> Review:
        wanted = questions.of_the_case(_questions(asked))
        return _run(services, emit, cancel, lambda model: _begin(services, case_id, wanted, language, model))

    return Op("ask questions", work)


def do_task(services: Services, *, case_id: int, task: str) -> Op[Review]:
    """A task in the user's own words, done step by step with a closed set of tools. A review whose items are the
    result and the steps; the result is in the task's language. Emits and stops as `review_case` does: a task that was
    stopped goes on after its last step, one that is done is done anew. Raises UserMistake for an empty task, or one
    longer than a page."""

    def work(emit: Emit, cancel: threading.Event) -> Review:
        wanted = tasks.template_of(_checked_task(task))
        language = language_of(task)
        return _run(services, emit, cancel, lambda model: _begin_task(services, case_id, wanted, language, model))

    return Op("do task", work)


def resume_review(services: Services, *, review_id: int) -> Op[Review]:
    """Go on with this review; nothing that is done is done again. Emits and stops as `review_case` does."""
    return Op(
        "review",
        lambda emit, cancel: _run(services, emit, cancel, lambda _model: services.store.reviews.get(review_id)),
    )


def list_reviews(services: Services, *, case_id: int) -> Op[tuple[ReviewSummary, ...]]:
    """The case's reviews, the latest first."""
    return simply("list reviews", lambda: services.store.reviews.list(case_id))


def read_review(services: Services, *, review_id: int) -> Op[Review]:
    """Raises UserMistake when there is none."""
    return simply("read review", lambda: services.store.reviews.get(review_id))


def read_draft(services: Services, *, review_id: int) -> Op[ReviewDraft]:
    """The draft as the findings and decisions of now make it; rejected findings are left out."""
    return simply("read draft", lambda: draft_of(services.store.reviews.get(review_id)))


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
    return simply("decide", lambda: _decide(services, review_id, item, decision, text, comment))


def delete_review(services: Services, *, review_id: int) -> Op[None]:
    def work() -> None:
        case_id = services.store.reviews.get(review_id).case_id
        services.store.reviews.delete(review_id)
        services.changes.publish(Changes(reviews=frozenset({case_id})))

    return simply("delete review", work)


def compare_reviews(services: Services, *, one: int, other: int) -> Op[tuple[FindingDifference, ...]]:
    """Item by item, those of the first in its order, then those only the second has."""
    reviews = services.store.reviews
    return simply("compare reviews", lambda: compare(reviews.get(one), reviews.get(other)))


def export_review(services: Services, *, review_id: int, path: Path, accepted_only: bool = False) -> Op[Path]:
    """Write it as DOCX, XLSX, PDF or JSON, told by the ending. `accepted_only`: no other findings; else all with
    their state. Raises UserMistake for another ending, AipcError when it can't be written."""
    return Op("export review", lambda _emit, cancel: _export(services, review_id, path, accepted_only, cancel))


def check_export(path: Path) -> str:
    """The format an export to this path will have. Raises UserMistake: better before a review than after it."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in (*ExportFormat, JSON):
        raise UserMistake(f"A review is written as .docx, .xlsx, .pdf or .json; '{path.name}' ends otherwise.")
    if not path.parent.is_dir():
        raise UserMistake(f"There is no folder {path.parent}; make it first, or name another.")
    return ending


def _checked_task(task: str) -> str:
    kept = task.strip()
    if not any(character.isalnum() for character in kept):
        raise UserMistake("The task is empty; write what is to be done.")
    if len(kept) > _LONGEST_TASK:
        raise UserMistake("The task is longer than a page; say in a few sentences what is to be done.")
    return kept


def _questions(asked: Sequence[str]) -> tuple[str, ...]:
    kept = tuple(dict.fromkeys(line.strip() for line in asked if any(c.isalnum() for c in line)))
    if not kept:
        raise UserMistake("The question is empty; write what you want to know.")
    return kept


def _run(services: Services, emit: Emit, cancel: threading.Event, begin: Callable[[str], Review]) -> Review:
    """Load the model if need be, then work; reading ahead waits meanwhile."""
    model = ensure_loaded(services).run(emit, cancel)
    review = begin(model.name)
    with services.ahead.question((review.case_id,)):
        try:
            runner = services.tasks if tasks.is_task(review.template) else services.reviews
            return runner.run(review, model, emit, cancel)
        finally:
            services.changes.publish(Changes(reviews=frozenset({review.case_id})))


def _begin(services: Services, case_id: int, template: Template, language: str | None, model: str) -> Review:
    """The review to go on with, or a new one that takes over what still holds of the last."""
    chosen = language or _language(services, case_id)
    reviews = services.store.reviews
    last = reviews.latest(case_id, template.id, chosen)
    if last is not None and last.state is not ReviewState.DONE and last.template.hash == template.hash:
        return last
    review = reviews.create(case_id, template, language=chosen, model=model, documents=())
    return review if last is None else services.reviews.take_over(review, last, model)


def _begin_task(services: Services, case_id: int, wanted: Template, language: str, model: str) -> Review:
    """The same task that is not done, or a new one."""
    reviews = services.store.reviews
    last = reviews.latest(case_id, wanted.id, language)
    if last is not None and last.state is not ReviewState.DONE:
        return last
    return reviews.create(case_id, wanted, language=language, model=model, documents=())


def _language(services: Services, case_id: int) -> str:
    """That of most of the case's documents, told by their first pages."""
    documents = [d for d in services.store.documents.of_case(case_id) if d.status.readable and d.pages]
    first = [services.store.documents.page(d.id, 1, boxes=False).text[:_SAMPLE_CHARACTERS] for d in documents]
    chinese = sum(1 for text in first if language_of(text) == "zh")
    return "zh" if not first or 2 * chinese >= len(first) else "en"


def _export(services: Services, review_id: int, path: Path, accepted_only: bool, cancel: threading.Event) -> Path:
    ending = check_export(path)
    review = services.store.reviews.get(review_id)
    if ending == JSON:
        _write_json(path, as_json(review, accepted_only=accepted_only))
    else:
        case = services.store.cases.get(review.case_id).name
        plan = plan_of(review, case, accepted_only=accepted_only)
        services.reader.write(plan, path, ExportFormat(ending), cancel)
    return path


def _write_json(path: Path, review: dict[str, object]) -> None:
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(review), indent=2))
    except OSError as error:
        raise StorageError(f"The file {path} can't be written ({error.strerror}); choose another place.") from error


def _decide(
    services: Services, review_id: int, item: str, decision: Decision, text: str, comment: str | None
) -> Finding:
    review = services.store.reviews.get(review_id)
    finding = review.finding(item)
    if finding is None:
        raise UserMistake(f"This review has no finding '{item}' yet.")
    if decision is Decision.EDITED and not text.strip():
        raise UserMistake("The text is empty; write the finding as it should be, or reject it.")
    decided = replace(
        finding,
        decision=decision,
        edited=text.strip() if decision is Decision.EDITED else "",
        comment=finding.comment if comment is None else comment.strip(),
    )
    services.store.reviews.save_finding(review_id, decided)
    services.changes.publish(Changes(reviews=frozenset({review.case_id})))
    return decided
