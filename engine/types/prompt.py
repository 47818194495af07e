"""A prompt as the engine takes it: chat messages made of segments.

Segments are tokenised apart, and their text never as special tokens, so that (a) a prefix made of whole
segments always gives the same tokens, whatever follows, and (b) a document can't open a chat turn.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class SegmentKind(StrEnum):
    """What a piece of the prompt is; in the order in which a prompt is built."""

    SYSTEM = "system"
    LAW = "law"
    DOCUMENTS = "documents"
    HISTORY = "history"
    PASSAGES = "passages"
    QUESTION = "question"


class Role(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Segment(Struct, frozen=True):
    """One piece of text whose tokens do not depend on its neighbours.

    `source` says whose text it is ("document:7"); it never becomes a token.
    """

    kind: SegmentKind
    text: str
    source: str = ""


class ChatMessage(Struct, frozen=True):
    """One turn of the chat template, its content given as segments in order."""

    role: Role
    segments: tuple[Segment, ...]


class Prompt(Struct, frozen=True):
    """The whole prompt. Rendered by the model's own chat template; the answer's turn is opened.

    `answer_start` is text the answer is made to begin with ("" for none); it is part of what is generated.
    """

    messages: tuple[ChatMessage, ...]
    answer_start: str = ""
