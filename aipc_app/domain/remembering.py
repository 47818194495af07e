"""What the model remembers of cases and documents, and how its store calls them.

The store knows no cases; it keeps blocks for owners ("case:3", several joined by "+", "library") and knows whose
text they are by sources ("document:7", several joined by "+").
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from aipc_app.domain.documents import LIBRARY_ID

LIBRARY_LABEL = "library"
_JOINED = "+"


def case_label(case_id: int) -> str:
    """A case as an owner; the law library is one too."""
    return LIBRARY_LABEL if case_id == LIBRARY_ID else f"case:{case_id}"


def document_label(document_id: int) -> str:
    """A document as a source."""
    return f"document:{document_id}"


def owner_of(cases: Iterable[int]) -> str:
    """Who a question's blocks are kept for; of several cases together, all of them as one owner."""
    return _JOINED.join(case_label(case_id) for case_id in sorted(set(cases))) or LIBRARY_LABEL


def cases_of(label: str) -> tuple[int, ...]:
    """The cases an owner's label joins; none when it is a source's."""
    parts = label.split(_JOINED)
    if any(part != LIBRARY_LABEL and not part.startswith("case:") for part in parts):
        return ()
    return tuple(LIBRARY_ID if part == LIBRARY_LABEL else int(part.removeprefix("case:")) for part in parts)


def label_names(label: str, wanted: Iterable[str]) -> bool:
    """Is one of `wanted` this label, or among those it joins?"""
    return not set(label.split(_JOINED)).isdisjoint(wanted)


class RememberedShare(Struct, frozen=True, kw_only=True):
    """One document of a case, as last seen: tokens, and how many of them are remembered by `model` (its file)."""

    document_id: int
    tokens: int
    known_tokens: int
    model: str = ""

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return min(1.0, self.known_tokens / self.tokens) if self.tokens else 0.0


class Pause(StrEnum):
    """Why documents are not being read ahead just now."""

    NONE = ""
    QUESTION = "question"  # a question goes first
    BATTERY = "battery"
    BUSY = "busy"  # other programs need the processor
    FULL = "full"  # what other cases have would have to go


class CaseReading(Struct, frozen=True, kw_only=True):
    """How far reading ahead is with a case. `shares` from 0 to 1 by document id; `seconds_left` while it is read.

    `problem`: why it can't be read, in one sentence.
    """

    case_id: int
    shares: dict[int, float] = {}
    running: bool = False
    seconds_left: float = 0.0
    pause: Pause = Pause.NONE
    problem: str = ""


class Forecast(Struct, frozen=True, kw_only=True):
    """What a question will have to read: prompt tokens, how many are remembered, seconds for the rest."""

    whole: bool
    tokens: int = 0
    known_tokens: int = 0
    seconds: float = 0.0


class DocumentShare(Struct, frozen=True, kw_only=True):
    """How much of a document is remembered, from 0 to 1, as last seen."""

    document_id: int
    document: str
    remembered: float


class CaseShare(Struct, frozen=True, kw_only=True):
    """What is kept for an owner: a case, several that were asked together, or the library (LIBRARY_ID).

    Bytes and tokens count shared blocks in full. `documents` of one case alone.
    """

    case: str
    case_ids: tuple[int, ...]
    bytes: int
    tokens: int
    pinned: bool
    documents: tuple[DocumentShare, ...] = ()


class MemoryStatus(Struct, frozen=True, kw_only=True):
    """The whole store. Bytes; `problem` is "" or one sentence."""

    enabled: bool
    ram_bytes: int
    ram_quota: int
    disk_bytes: int
    disk_quota: int
    blocks: int
    cases: tuple[CaseShare, ...]
    problem: str = ""
