"""Numbered clauses of agreements and of English statutes: 1. / 1.1 / 1.1.1, counted from 1, one after the other.

An item number in running text, a year or an amount at the start of a line does not go on from the clause before, and
so opens none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from aipc_app.ingest.statutes import ArticleMark
from aipc_app.text.layout import is_row

_CLAUSE = re.compile(
    r"[ \t\u3000]*(?:#{1,6}[ \t]+)?(?:\*\*)?(?:§\s?|[Ss]ec(?:tion|\.)\s|SECTION\s)?"
    r"(?P<number>\d{1,3}[A-Z]?(?:\.\d{1,2}){0,3})"
    r"(?:\*\*)?(?P<mark>\.{0,2}|[)、．:：])(?:\*\*)?(?:[ \t\u3000—-]+|(?=[\u4e00-\u9fff“\"(A-Z]))(?P<rest>\S.{0,120})"
)
_TITLE = re.compile(r"(?:\*\*)?(?P<title>[A-Z“\"\u4e00-\u9fff][^.:：。；;]{1,70}?)(?:\*\*)?\s*(?:[.:：—]|$)")
_CONTENTS = re.compile(r"\.{4}|…{2}|(?:\. ){4}")
_OPENS_TEXT = re.compile(r"[A-Z“\"'(\[*\u4e00-\u9fff]")
_BARE_NUMBER = re.compile(r"\d[\dA-Z.]*")
_FEWEST = 4
_LONGEST_MEAN = 8_000  # characters a clause of the first level
_LATEST_START = 0.6  # of the text may stand before the first clause
_NOUN = re.compile(r"\bsections?\s\*?\d", re.IGNORECASE)
_ACT = re.compile(r"\b[Tt]his Act\b")
_FEWEST_CITED = 3


class Clause(msgspec.Struct, frozen=True):
    """A clause as it begins: its number by levels, its mark, and its title where it has one."""

    levels: tuple[str, ...]
    title: str | None
    whole_line: bool  # the title is all there is on the line
    again: bool = False  # the same number as just before: an Act says 12. in the heading and again in the text

    @property
    def number(self) -> str:
        return ".".join(self.levels)


def clause_of(line: str) -> Clause | None:
    """The clause that a line opens, or seems to: `ClauseSequence` knows whether it counts on."""
    match = _CLAUSE.match(line)
    if match is None or is_row(line) or _CONTENTS.search(line) or not _OPENS_TEXT.match(match["rest"]):
        return None
    levels = tuple(match["number"].split("."))
    title = _TITLE.match(match["rest"])
    whole = title is not None and title.end() >= len(match["rest"].rstrip(" *"))
    bare = len(levels) == 1 and not match["mark"] and not line.lstrip().startswith(("#", "*", "§", "S", "s"))
    if bare and not (whole and match["rest"][0].isascii()):
        return None  # "12 monkeys were seen" is none, nor a row of a table; "12 Term" is
    return Clause(levels, title["title"].strip(" *") if title else None, whole)


class ClauseSequence:
    """Tells clauses that go on from numbers that only stand at the start of a line."""

    def __init__(self) -> None:
        self._last: tuple[tuple[int, str], ...] = ()

    def begins(self, line: str) -> Clause | None:
        """The clause that begins on this line; None if none does."""
        clause = clause_of(line)
        if clause is None:
            return None
        levels = tuple(_ordered(level) for level in clause.levels)
        if not self._follows(levels):
            return None
        again, self._last = levels == self._last, levels
        return msgspec.structs.replace(clause, again=again)

    def _follows(self, levels: tuple[tuple[int, str], ...]) -> bool:
        if levels == self._last:
            return len(levels) == 1
        depth = len(levels)
        if depth > len(self._last):
            parents, last = levels[: len(self._last)], levels[len(self._last) :]
            return (not self._last and depth == 1 and last == ((1, ""),)) or (
                bool(self._last) and parents == self._last and all(level == (1, "") for level in last)
            )
        if levels[:-1] != self._last[: depth - 1]:
            return depth == 2 and levels[0][0] == self._last[0][0] + 1 and levels[1] == (1, "")
        number, letter = levels[-1]
        before, before_letter = self._last[depth - 1]
        return (number == before + 1 and letter in ("", "A")) or (number == before and letter > before_letter)


class Numbering(msgspec.Struct, frozen=True):
    """How a document is numbered. `noun` goes before the number: an Act's are sections."""

    noun: str = ""

    def label(self, clause: Clause) -> str:
        return f"{self.noun} {clause.number}" if self.noun else clause.number


def numbering_of(texts: Sequence[str]) -> Numbering | None:
    """The numbering of a document in clauses; None for any other: few numbers, or far from its beginning."""
    starts, clauses = _starts(texts)
    total = sum(map(len, texts))
    enough = len(starts) >= _FEWEST or (len(starts) > 1 and clauses >= 2 * _FEWEST)
    if not enough or starts[0] > total * _LATEST_START or (total - starts[0]) / clauses > _LONGEST_MEAN:
        return None
    return Numbering("Section" if _is_act(texts) else "")


def clauses_in(text: str, first: str | None) -> tuple[str, ...]:
    """How a passage's clauses are asked for: "clause 3.2" for each that begins in it, and for the one it is of."""
    if first is None or not _BARE_NUMBER.fullmatch(first):
        return ()
    found = [clause.number for line in text.split("\n") if (clause := clause_of(line)) is not None]
    return tuple(f"clause {number}" for number in dict.fromkeys((first, *found)))


def mark_of(clause: Clause, numbering: Numbering) -> ArticleMark:
    """The clause as a mark that cutting goes by."""
    return ArticleMark(numbering.label(clause), clause.number)


def _starts(texts: Sequence[str]) -> tuple[list[int], int]:
    """Where the clauses of the first level begin, counted over all pages, and how many clauses there are."""
    sequence, offset, seen, count = ClauseSequence(), 0, "", 0
    starts: list[int] = []
    for text in texts:
        at = offset
        for line in text.split("\n"):
            clause = sequence.begins(line)
            if clause is not None:
                count += 1
                if clause.levels[0] != seen:
                    seen = clause.levels[0]
                    starts.append(at)
            at += len(line) + 1
        offset += len(text)
    return starts, count


def _is_act(texts: Sequence[str]) -> bool:
    """Whether its own numbers are called sections: an Act of Parliament, not an agreement that cites one."""
    sample = "\n".join(texts)[:400_000]
    return min(len(_ACT.findall(sample)), len(_NOUN.findall(sample))) >= _FEWEST_CITED


def _ordered(level: str) -> tuple[int, str]:
    return int(level.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")), level.lstrip("0123456789")
