"""Which parts of an answer's text are checked sentences. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aipc_app.domain.answers import Sentence


@dataclass(frozen=True)
class Piece:
    """A stretch of the answer as it was written; `sentence` when it is a checked one, `index` its number."""

    text: str
    sentence: Sentence | None = None
    index: int = -1


def pieces(text: str, sentences: Sequence[Sentence]) -> tuple[Piece, ...]:
    """The text cut at its sentences, in order, nothing lost.

    A sentence that is not in the text is put where it was due.
    """
    found: list[Piece] = []
    at = 0
    for index, sentence in enumerate(sentences):
        start = text.find(sentence.text, at) if sentence.text else at
        if start < 0:
            found.append(Piece(sentence.text, sentence, index))
            continue
        if start > at:
            found.append(Piece(text[at:start]))
        found.append(Piece(sentence.text, sentence, index))
        at = start + len(sentence.text)
    if at < len(text):
        found.append(Piece(text[at:]))
    return tuple(found)
