"""From the bytes of tokens to text that may be shown: whole characters, thoughts apart, stop words never shown."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from enum import Enum

from engine.types.generation import DeltaKind, TextDelta

_OPEN, _CLOSE = "<think>", "</think>"


def held_back(text: str, words: Sequence[str]) -> int:
    """How many characters at the end of `text` could be the beginning of one of `words`."""
    longest = 0
    for word in words:
        for length in range(min(len(word) - 1, len(text)), longest, -1):
            if text.endswith(word[:length]):
                longest = length
                break
    return longest


class StopFilter:
    """Lets text through up to the first stop word; holds back what could become one."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = tuple(word for word in words if word)
        self._held = ""
        self.stopped = False

    def feed(self, text: str) -> str:
        """What may be shown now. Once `stopped`, nothing more comes."""
        if self.stopped:
            return ""
        text = self._held + text
        found = [at for at in (text.find(word) for word in self._words) if at >= 0]
        if found:
            self.stopped, self._held = True, ""
            return text[: min(found)]
        keep = held_back(text, self._words)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def finish(self) -> str:
        """What was held back and became no stop word."""
        text, self._held = self._held, ""
        return text


class _State(Enum):
    START = "start"  # a thought may begin
    THOUGHT = "thought"
    AFTER = "after"  # the blank between thought and answer
    ANSWER = "answer"


class ThoughtSplitter:
    """Tells `<think>` … `</think>` from the answer. A thought may only come before the answer's first word."""

    def __init__(self, *, thinking: bool, answering: bool = False) -> None:
        self._state = _State.THOUGHT if thinking else _State.ANSWER if answering else _State.START
        self._held = ""

    def feed(self, text: str) -> list[tuple[DeltaKind, str]]:
        """Pieces of thought and answer, in order; a tag that may still be coming is held back."""
        text, self._held = self._held + text, ""
        found: list[tuple[DeltaKind, str]] = []
        if self._state is _State.START:
            text = self._start(text)
        if self._state is _State.THOUGHT and text:
            thought, text = self._thought(text)
            found.append((DeltaKind.THOUGHT, thought))
        if self._state is _State.AFTER:
            text = text.lstrip()
            self._state = _State.ANSWER if text else _State.AFTER
        found.append((DeltaKind.ANSWER, text))
        return [piece for piece in found if piece[1]]

    def finish(self) -> list[tuple[DeltaKind, str]]:
        """What was held back and became no tag."""
        text, self._held = self._held, ""
        kind = DeltaKind.THOUGHT if self._state is _State.THOUGHT else DeltaKind.ANSWER
        return [(kind, text)] if text else []

    def _start(self, text: str) -> str:
        begun = text.lstrip()
        if begun.startswith(_OPEN):
            self._state = _State.THOUGHT
            return begun[len(_OPEN) :]
        if _OPEN.startswith(begun):
            self._held = text
            return ""
        self._state = _State.ANSWER
        return text

    def _thought(self, text: str) -> tuple[str, str]:
        thought, tag, rest = text.partition(_CLOSE)
        if tag:
            self._state = _State.AFTER
            return thought, rest
        keep = held_back(text, [_CLOSE])
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep], ""


class AnswerText:
    """The bytes of one generation as deltas. `stopped` once a stop word came up in the answer."""

    def __init__(self, stop: Sequence[str], *, thinking: bool, answering: bool = False) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._splitter = ThoughtSplitter(thinking=thinking, answering=answering)
        self._filter = StopFilter(stop)
        self.answer, self.thought = "", ""

    @property
    def stopped(self) -> bool:
        return self._filter.stopped

    def feed(self, data: bytes) -> list[TextDelta]:
        """What these bytes let us show: whole characters only."""
        return self._take(self._splitter.feed(self._decoder.decode(data)))

    def finish(self) -> list[TextDelta]:
        """The end: what was held back, but for the bytes of an unfinished character."""
        deltas = self._take(self._splitter.finish())
        return deltas + self._keep(DeltaKind.ANSWER, self._filter.finish())

    def _take(self, pieces: Sequence[tuple[DeltaKind, str]]) -> list[TextDelta]:
        deltas: list[TextDelta] = []
        for kind, text in pieces:
            deltas += self._keep(kind, self._filter.feed(text) if kind is DeltaKind.ANSWER else text)
        return deltas

    def _keep(self, kind: DeltaKind, text: str) -> list[TextDelta]:
        if not text:
            return []
        if kind is DeltaKind.ANSWER:
            self.answer += text
        else:
            self.thought += text
        return [TextDelta(text, kind)]
