"""How the state of a finding is shown: an icon, a colour, a word."""

from __future__ import annotations

from dataclasses import dataclass

from aipc_app.domain.review import Decision, Finding, FindingStatus


@dataclass(frozen=True)
class Sign:
    """`colour` and `tone` are names of the theme's."""

    icon: str
    colour: str
    tone: str
    key: str


WAITING = Sign("clock", "faint", "", "review.waiting")
WORKING = Sign("working", "accent", "accent", "review.working")
_STATUS = {
    FindingStatus.SUPPORTED: Sign("check", "good", "good", "review.supported"),
    FindingStatus.IN_DOUBT: Sign("doubt", "warn", "warn", "review.in_doubt"),
    FindingStatus.UNSUPPORTED: Sign("warning", "bad", "bad", "review.unsupported"),
    FindingStatus.NOT_FOUND: Sign("none", "muted", "", "review.not_found"),
    FindingStatus.FAILED: Sign("close", "bad", "bad", "review.failed"),
}
_STEP = {
    FindingStatus.SUPPORTED: Sign("check", "muted", "", "review.step_done"),
    FindingStatus.NOT_FOUND: Sign("none", "muted", "", "review.step_nothing"),
}
_DECISIONS = {
    Decision.ACCEPTED: Sign("check", "good", "good", "review.accepted"),
    Decision.REJECTED: Sign("close", "bad", "bad", "review.rejected"),
    Decision.EDITED: Sign("edit", "accent", "accent", "review.edited"),
}


def status_sign(finding: Finding, *, step: bool = False) -> Sign:
    """What the program found out; a step of a task claims nothing, it was taken."""
    return (_STEP if step else _STATUS)[finding.status]


def decision_sign(finding: Finding) -> Sign | None:
    """What the user said of it; None for nothing yet."""
    return _DECISIONS.get(finding.decision)
