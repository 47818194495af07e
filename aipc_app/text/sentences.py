"""Sentences of a page, or of an answer that arrives token by token."""

import re
from collections.abc import Callable

import msgspec

from aipc_app.text.layout import is_row, soft_breaks

_STOP = re.compile(r"[。！？；!?;…．｡]|\.|\n")
_CLOSERS = "”’\"'」』）)】》〉］]*_"
_CLOSING = re.compile(rf"[{re.escape(_CLOSERS)}]*+")
_ALWAYS_STOPS = "。！？；｡"
_MORE_STOPS = re.compile(r"[。！？!?；;…｡.]*+")
_WORD_BEFORE = re.compile(r"[\w.&]{1,20}$")
_ABBREVIATION_WORDS = (
    "mr mrs ms dr prof hon st jr sr messrs eq eds v vs etc cf viz e.g i.e eg ie inc ltd co corp llc plc al bros dept "
    "est approx ca u.s u.k p.r.c jan feb apr jun jul aug sep sept oct nov dec mon tue wed thu fri a.m p.m rev gen "
    "capt col lt sgt gov sen supp ref tel ibid cir dist div"
)
_ABBREVIATIONS = frozenset(_ABBREVIATION_WORDS.split())
# Words of their own too: abbreviations only before a number.
_NUMBERED_WORDS = (
    "no nos art arts sec secs para paras cl fig figs vol vols pp p ch ed ex exh app ext min max op cit id ct rep mar "
    "sat sun tab tabs"
)
_NUMBERED = frozenset(_NUMBERED_WORDS.split())
# These end a sentence as often as not; a capital after them decides that they do.
_ENDING_ABBREVIATIONS = frozenset(
    ("etc", "inc", "ltd", "co", "corp", "llc", "plc", "al", "a.m", "p.m", "u.s", "u.k", "p.r.c")
)
_ENUMERATOR = re.compile(r"[ \t]*(?:[-*+>#•]+[ \t]+)*(?:\*\*)?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[ivxIVX]{1,5})$")
_IS_HAN = re.compile("[\u3001-\u303f\u3400-\u9fff\uff00-\uffef“‘]")
_LONGEST_ENUMERATOR = 40
_NOT_SPACE = re.compile(r"\S")
_UNDECIDED = -1
_NO = 0


class Span(msgspec.Struct, frozen=True):
    """A half-open range of code points."""

    start: int
    end: int


class Sentence(msgspec.Struct, frozen=True):
    """A finished sentence of a stream, with its place in the whole text that was fed."""

    text: str
    start: int
    end: int


def split_sentences(text: str) -> tuple[Span, ...]:
    """Sentences in order, without the space around them; together they cover every character that is no space.

    A line break ends one, unless the line was merely full; a table row is one, whatever stands in it.
    """
    soft = soft_breaks(text)
    splitter = _Splitter(is_row=is_row, is_soft=soft.__contains__)
    spans, start = [], 0
    while start < len(text):
        end = splitter.next_end(text, start, final=True)
        span = _trimmed(text, start, end)
        if span.start < span.end:
            spans.append(span)
        start = end
    return tuple(spans)


class SentenceStream:
    """Cuts a growing text into sentences; gives one only when no later text can change where it ends.

    Fed in any pieces it gives the same sentences. Every line break ends one here: models don't wrap lines.
    Not for use by two threads at once.
    """

    def __init__(self) -> None:
        self._pending = ""
        self._offset = 0
        self._splitter = _Splitter(is_row=_starts_with_bar, is_soft=lambda index: False)

    def feed(self, delta: str) -> tuple[Sentence, ...]:
        """Take more text; the sentences that are now certain."""
        self._pending += delta
        return self._take(final=False)

    def finish(self) -> tuple[Sentence, ...]:
        """No more text comes; what was left."""
        return self._take(final=True)

    def _take(self, *, final: bool) -> tuple[Sentence, ...]:
        sentences: list[Sentence] = []
        start = 0
        while start < len(self._pending):
            end = self._splitter.next_end(self._pending, start, final=final)
            if end == _UNDECIDED:
                break
            span = _trimmed(self._pending, start, end)
            if span.start < span.end:
                text = self._pending[span.start : span.end]
                sentences.append(Sentence(text, self._offset + span.start, self._offset + span.end))
            start = end
        self._pending = self._pending[start:]
        self._offset += start
        self._splitter.forget(start)
        return tuple(sentences)


class _Splitter:
    """Finds where the sentence at `start` ends; remembers how far it looked, so that a stream stays linear."""

    def __init__(self, *, is_row: Callable[[str], bool], is_soft: Callable[[int], bool]) -> None:
        self._is_row = is_row
        self._is_soft = is_soft
        self._looked = 0
        self._inside_line = False

    def forget(self, count: int) -> None:
        self._looked = max(0, self._looked - count)

    def next_end(self, text: str, start: int, *, final: bool) -> int:
        """The end of the sentence that starts at `start`, or _UNDECIDED where more text could move it."""
        row_end = self._row_end(text, start, final=final)
        if row_end is not None:
            return row_end
        at = max(start, self._looked)
        while (stop := _STOP.search(text, at)) is not None:
            end = self._end_at(text, start, stop.start(), final=final)
            if end == _UNDECIDED:
                self._looked = stop.start()
                return _UNDECIDED
            if end != _NO:
                self._looked = end
                self._inside_line = text[end - 1] != "\n"
                return end
            at = stop.end()
        self._looked = len(text)
        return len(text) if final else _UNDECIDED

    def _row_end(self, text: str, start: int, *, final: bool) -> int | None:
        """The end of the line where a table row starts at `start`; None where none does."""
        if self._inside_line:
            return None
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        if end < 0 and not final and not line.strip():
            return _UNDECIDED
        if not self._is_row(line):
            return None
        if end < 0:
            return len(text) if final else _UNDECIDED
        return end + 1

    def _end_at(self, text: str, start: int, at: int, *, final: bool) -> int:
        mark = text[at]
        if mark == "\n":
            return _NO if self._is_soft(at) else at + 1
        if not final and _run_end(text, at) == len(text):
            return _UNDECIDED
        if mark == ".":
            return _period_end(text, start, at, final=final)
        end = _run_end(text, at)
        if mark in _ALWAYS_STOPS or (end < len(text) and text[end].isspace()) or end == len(text):
            return end if mark != ";" else _NO
        return end if mark in "!?" and _IS_HAN.match(text[end]) else _long_ellipsis(text, at, end)


def _long_ellipsis(text: str, at: int, end: int) -> int:
    return end if text[at] == "…" and any(mark in _ALWAYS_STOPS for mark in text[at:end]) else _NO


def _run_end(text: str, at: int) -> int:
    """Past the stop at `at`, the stops that follow it and the quotes and brackets that close after it."""
    more = _MORE_STOPS.match(text, at)
    closed = _CLOSING.match(text, more.end() if more else at + 1)
    return closed.end() if closed else at + 1


def _period_end(text: str, start: int, at: int, *, final: bool) -> int:
    """Where the sentence ends at this full stop, _NO for a decimal, an abbreviation or a list number."""
    end = _run_end(text, at)
    if end < len(text) and not text[end].isspace():
        han = _IS_HAN.match(text[end]) and _IS_HAN.match(text[at - 1 : at] or " ")
        return end if han else _NO
    if at - start < _LONGEST_ENUMERATOR and _ENUMERATOR.fullmatch(text[start:at].lstrip()):
        return _NO
    following = _NOT_SPACE.search(text, end)
    if following is None:
        return end if final else _UNDECIDED
    after = following.start()
    return _NO if _goes_on(text, at, text[after]) else end


def _goes_on(text: str, at: int, following: str) -> bool:
    if following.islower():
        return True
    word = _WORD_BEFORE.search(text, max(0, at - 20), at)
    name = word[0].lower() if word else ""
    if name in _ENDING_ABBREVIATIONS:
        return not (following.isupper() or _IS_HAN.match(following) is not None)
    initial = len(name) == 1 and name.isalpha() and word is not None and word[0].isupper()
    if name in _NUMBERED:
        return following.isdigit() or following in "IVX("
    return name in _ABBREVIATIONS or initial or bool(re.fullmatch(r"(?:[a-z]\.)+[a-z]", name))


def _starts_with_bar(line: str) -> bool:
    return line.lstrip().startswith("|")


def _trimmed(text: str, start: int, end: int) -> Span:
    bare = text[start:end]
    return Span(start + len(bare) - len(bare.lstrip()), max(start, start + len(bare.rstrip())))
