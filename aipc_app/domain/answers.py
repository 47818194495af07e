"""Questions, answers, and the events while one is being worked out."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from aipc_app.domain.boxes import Box
from aipc_app.domain.documents import Evidence, Passage


class Mode(StrEnum):
    AUTO = "auto"
    WHOLE = "whole"
    RETRIEVAL = "retrieval"


class SentenceState(StrEnum):
    SUPPORTED = "supported"
    IN_DOUBT = "in_doubt"
    UNSUPPORTED = "unsupported"


class Citation(Struct, frozen=True, kw_only=True):
    """`quote` is exactly the page's stored text from `start` to `end`: verbatim by construction."""

    marker: int
    document: str
    document_id: int
    page: int
    start: int
    end: int
    quote: str
    boxes: tuple[Box, ...] = ()
    page_label: str = ""  # as Page.label


class Sentence(Struct, frozen=True, kw_only=True):
    """One sentence of an answer. `citations` are markers; `reason` says why it is not supported."""

    text: str
    state: SentenceState
    citations: tuple[int, ...] = ()
    reason: str = ""


class AnswerTiming(Struct, frozen=True, kw_only=True):
    """As in contract.md; `ttft_s` runs from the question being taken with the model loaded."""

    load_s: float = 0.0
    ttft_s: float = 0.0
    total_s: float = 0.0
    prompt_tokens: int = 0
    restored_tokens: int = 0
    prefilled_tokens: int = 0
    generated_tokens: int = 0
    decode_tokens_per_s: float = 0.0


class Question(Struct, frozen=True, kw_only=True):
    """What is asked of what. `cases` may be empty when only the library is asked.

    `documents`: only these of the cases' documents; None for all. `conversation`: its id to go on, or None.
    """

    text: str
    cases: tuple[int, ...] = ()
    library: bool = True
    mode: Mode = Mode.AUTO
    documents: frozenset[int] | None = None
    conversation: int | None = None
    max_tokens: int = 512


class Answer(Struct, frozen=True, kw_only=True):
    """A finished answer, stored as it was shown. `nearest` is filled when refused: passages that are *not* evidence."""

    question: str
    text: str
    language: str  # "zh" | "en"
    mode: Mode
    refused: bool
    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    nearest: tuple[Evidence, ...] = ()
    timing: AnswerTiming = AnswerTiming()
    model: str = ""
    conversation: int = 0
    stopped: bool = False  # the user stopped it; what was said is kept


class EvidenceFound(Struct, frozen=True, tag=True):
    """Shown before the first token. `mode` is how the material will be read."""

    evidence: tuple[Evidence, ...]
    mode: Mode
    seconds: float


class Reading(Struct, frozen=True, tag=True):
    """Prefill: prompt tokens in place, of which `restored` came from memory, with an honest estimate."""

    done_tokens: int
    total_tokens: int
    restored_tokens: int
    seconds_left: float


class AnswerDelta(Struct, frozen=True, tag=True):
    """More raw text of the answer, to be shown at once."""

    text: str


class SentenceReady(Struct, frozen=True, tag=True):
    """Sentence number `index` (from 0) is complete and attributed; its new citations come with it.

    The same index may come again: the check by the model follows when the answer is complete, and can only lower
    a sentence's state.
    """

    index: int
    sentence: Sentence
    citations: tuple[Citation, ...]


class AnswerCleared(Struct, frozen=True, tag=True):
    """The case's own material did not bear out what was said; it is taken back, and the library is asked too."""


class Answered(Struct, frozen=True, tag=True):
    """The end: the whole answer as stored. It may differ from the deltas (a refusal replaces them)."""

    answer: Answer


AnswerEvent = EvidenceFound | Reading | AnswerDelta | SentenceReady | AnswerCleared | Answered


class Turn(Struct, frozen=True, kw_only=True):
    """One past question of a conversation.

    `sent_passages` and `sent_question` are the prompt's text as it was sent, `said` the reply as the next prompt
    repeats it, so that a conversation extends its prefix instead of starting again.
    """

    sent_passages: str
    question: str
    answer: Answer
    sent_question: str = ""
    said: str = ""


class Conversation(Struct, frozen=True, kw_only=True):
    id: int
    cases: tuple[int, ...]
    library: bool
    title: str
    created: float
    turns: int = 0


def evidence_passages(evidence: tuple[Evidence, ...]) -> tuple[Passage, ...]:
    """The passages alone."""
    return tuple(item.passage for item in evidence)
