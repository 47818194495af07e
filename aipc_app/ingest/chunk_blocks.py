"""Stretches of pages under one heading or of one article: what is cut into passages, and what passages are called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from aipc_app.ingest.clauses import ClauseSequence, Numbering, mark_of, numbering_of
from aipc_app.ingest.headings import (
    Heading,
    HeadingPath,
    clause_heading,
    clause_rank,
    heading_of,
    title_of,
    verdict_in,
)
from aipc_app.ingest.statutes import ArticleMark, ArticleSequence, is_statute
from aipc_app.text.sentences import Span

_FEWEST_CONTENTS = 3


class Block(msgspec.Struct, frozen=True):
    """A stretch of one page under one heading or of one article."""

    start: int
    end: int
    heading: str | None
    article: str | None = None
    continued: bool = False
    clause: bool = False


class _Line(msgspec.Struct, frozen=True):
    """A line that is not blank, with what it opens."""

    start: int
    mark: ArticleMark | None
    heading: Heading | None
    clause_depth: int = 0  # of a numbered clause, its levels from 1

    @property
    def is_body(self) -> bool:
        return self.mark is None and self.heading is None

    @property
    def is_heading(self) -> bool:
        return self.heading is not None and not self.heading.inline


class BlockReader:
    """Reads pages in order and keeps what holds beyond a page: the heading path and the article."""

    def __init__(self, *, statute: bool, numbering: Numbering | None = None) -> None:
        self.statute = statute
        self._numbering = numbering
        self._path = HeadingPath()
        self._sequence, self._clauses = ArticleSequence(), ClauseSequence()
        self._article: str | None = None
        self._begun = False

    @staticmethod
    def of(texts: Sequence[str]) -> BlockReader:
        """One that knows how the document with these pages is divided."""
        statute = is_statute(texts)
        return BlockReader(statute=statute, numbering=None if statute else numbering_of(texts))

    def blocks(self, text: str, body: Span) -> list[Block]:
        """The blocks of one page's body, in order, no line left out; headings belong to the block that follows."""
        groups: list[list[_Line]] = [[]]
        for line in self._lines(text[body.start : body.end], body.start):
            if not line.is_body and groups[-1] and not groups[-1][-1].is_heading:
                groups.append([])
            groups[-1].append(line)
        ends = [group[0].start for group in groups[1:]] + [body.end]
        return [block for group, end in zip(groups, ends, strict=True) if group for block in self._entered(group, end)]

    def _lines(self, text: str, start: int) -> Iterator[_Line]:
        before, after_blank = "", True
        for line in text.split("\n"):
            if line.strip():
                yield from self._opened(line, start, before, after_blank)
                self._begun, before = True, line
            after_blank = not line.strip()
            start += len(line) + 1

    def _opened(self, line: str, start: int, before: str, after_blank: bool) -> Iterator[_Line]:
        """A line with what it opens; two where a verdict begins in its middle."""
        if self.statute and (mark := self._sequence.begins(line, after=before, after_blank=after_blank)):
            yield _Line(start, mark, None)
        elif self._numbering and (clause := self._clauses.begins(line)):
            title = clause_heading(f"{clause.number}. {clause.title}", len(clause.levels), inline=not clause.whole_line)
            mark, depth = mark_of(clause, self._numbering), len(clause.levels)
            yield _Line(start, None if clause.again else mark, title if clause.title else None, depth)
        else:
            yield from self._headed(line, start)

    def _headed(self, line: str, start: int) -> Iterator[_Line]:
        heading = self._heading(line)
        verdict = None if self.statute or (heading and not heading.inline) else verdict_in(line)
        offset = verdict[0] if verdict else 0
        if verdict is None or line[:offset].strip():
            yield _Line(start, None, heading)
        if verdict is not None:
            yield _Line(start + offset, None, verdict[1])

    def _heading(self, line: str) -> Heading | None:
        found = heading_of(line, statute=self.statute)
        if not self._begun and (found is None or found.rank == clause_rank(1)):
            return title_of(line) or found  # LOAN AGREEMENT governs what follows; other capitals are a section
        return found

    def _entered(self, group: list[_Line], end: int) -> Iterator[Block]:
        """The block of a group, and before it one for a table of contents that stood in front."""
        headings = [line.heading for line in group if line.heading]
        contents = len(headings) - _nested(headings)
        start = group[0].start
        if contents >= _FEWEST_CONTENTS:
            yield Block(start, group[contents].start, self._path.text())
            start = group[contents].start
        continued = group[0].is_body and self._article is not None
        for index, line in enumerate(group):
            self._note(line, directly=index > 0)
        clause = self._numbering is not None and not self._numbering.noun and self._article is not None
        yield Block(start, end, self._path.text(), self._article, continued, clause)

    def _note(self, line: _Line, *, directly: bool) -> None:
        if line.mark is not None and line.clause_depth and line.heading is None:
            self._path.leave(clause_rank(line.clause_depth))
        if line.heading is not None:
            self._path.enter(line.heading, directly=directly)
            self._article = None
        if line.mark is not None:
            self._article = line.mark.label


def _nested(headings: Sequence[Heading]) -> int:
    """How many headings at the end each stand under the one before: the others are a table of contents."""
    count = min(1, len(headings))
    while count < len(headings) and headings[-count - 1].rank < headings[-count].rank:
        count += 1
    return count
