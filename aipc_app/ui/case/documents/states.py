"""How a document's state is told: an icon, a word, a colour."""

from __future__ import annotations

from dataclasses import dataclass

from aipc_app.domain.documents import DocumentStatus


@dataclass(frozen=True)
class Badge:
    """`key` of the word in the catalogue, `colour` a token's name."""

    icon: str
    key: str
    colour: str


_BADGES = {
    DocumentStatus.QUEUED: Badge("clock", "status.queued", "muted"),
    DocumentStatus.READING: Badge("working", "status.reading", "accent"),
    DocumentStatus.SEARCHABLE: Badge("working", "status.searchable", "accent"),
    DocumentStatus.INDEXED: Badge("check", "status.indexed", "good"),
    DocumentStatus.INDEXED_WITH_GAPS: Badge("warning", "status.indexed_with_gaps", "warn"),
    DocumentStatus.FAILED: Badge("warning", "status.failed", "bad"),
    DocumentStatus.UNSUPPORTED: Badge("none", "status.unsupported", "bad"),
}


def badge(status: DocumentStatus) -> Badge:
    return _BADGES[status]


_WHOLE = 0.999


def remembered_badge(ready: Badge, status: DocumentStatus, remembered: float, being_read: bool) -> Badge:
    """A document that is ready without gaps is told as remembered, or as being read by the model; others stay."""
    if status is not DocumentStatus.INDEXED:
        return ready
    if being_read:
        return Badge("working", "status.remembering", "accent")
    return Badge("memory", "status.remembered", "good") if remembered >= _WHOLE else ready
