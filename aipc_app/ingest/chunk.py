"""Pages cut into passages: statutes at their articles, agreements at their clauses, other text at sentences.

A passage never crosses a page and is exactly the page's text from `start` to `end`. Every character that is no
space is in at least one passage, but for what running_heads.py finds to be no part of the page's body.
"""

import re
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
from aipc_app.ingest.running_heads import edges_of
from aipc_app.ingest.statutes import ArticleMark, ArticleSequence, is_statute
from aipc_app.ingest.table_heads import TableHeads
from aipc_app.text.layout import is_row, soft_breaks
from aipc_app.text.sentences import Span, split_sentences

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_SOFT_MARK = re.compile(r"[，,、；;：:\s]")
_CELL_MARK = re.compile(r"\t| \| ")
_LINE_END = re.compile(r"\n|\Z")
_FEWEST_CONTENTS = 3


class Limits(msgspec.Struct, frozen=True):
    """Sizes of passages. The unit is a Chinese character; a Latin word counts two."""

    target: int = 400
    maximum: int = 600
    minimum: int = 80
    clause_minimum: int = 300  # short clauses stand together: one by one they lose what they are about
    overlap: int = 100
    longest_row: int = 1600


class PageText(msgspec.Struct, frozen=True):
    """A page as it was read: its number from 1 and its text, with line ends as "\\n"."""

    number: int
    text: str


class Cut(msgspec.Struct, frozen=True):
    """A passage to be: `text` is the page's text from start to end; `continued` if its article began before."""

    page: int
    start: int
    end: int
    text: str
    heading: str | None = None
    article: str | None = None
    continued: bool = False
    line_numbers: tuple[Span, ...] = ()  # in `text`, of numbers that only count its lines

    @property
    def searched(self) -> str:
        """The text by which it is found: numbers that count lines are blank."""
        text = self.text
        for span in self.line_numbers:
            text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        return text


class _Block(msgspec.Struct, frozen=True):
    """A stretch of one page under one heading or of one article."""

    start: int
    end: int
    heading: str | None
    article: str | None = None
    continued: bool = False
    clause: bool = False


class _Unit(msgspec.Struct, frozen=True):
    """What is not cut any further: a sentence, a row, a paragraph, or a piece of one that is too long."""

    start: int
    end: int
    weight: int
    block: _Block
    opens: bool = False
    row: bool = False
    table: str | None = None  # the header that its row stands under, where it isn't the header itself


def cut(pages: Sequence[PageText], *, limits: Limits | None = None) -> tuple[Cut, ...]:
    """The passages of a document, in order of place."""
    limits = limits or Limits()
    texts = [page.text for page in pages]
    reader, heads = _Reader.of(texts), TableHeads()
    cuts: list[Cut] = []
    for page, edges in zip(pages, edges_of(texts), strict=True):
        blocks = reader.blocks(page.text, edges.body)
        units = [_under_heads(page.text, _units(page.text, block, limits), heads) for block in blocks]
        if reader.statute:
            packed = [one for group in units for one in _packed(group, _without_overlap(limits))]
        else:
            packed = _packed([unit for group in units for unit in group], limits)
        cuts += (_numbered(one, edges.line_numbers) for one in _cuts(page, packed))
    return tuple(cuts)


def _numbered(one: Cut, numbers: Sequence[Span]) -> Cut:
    inside = [span for span in numbers if one.start <= span.start and span.end <= one.end]
    placed = tuple(Span(span.start - one.start, span.end - one.start) for span in inside)
    return msgspec.structs.replace(one, line_numbers=placed) if placed else one


def _under_heads(text: str, units: list[_Unit], heads: TableHeads) -> list[_Unit]:
    """The units, rows among them with the header they stand under."""
    placed = []
    for unit in units:
        head = heads.over(text[unit.start : unit.end], row=unit.row)
        placed.append(msgspec.structs.replace(unit, table=head) if head else unit)
    return placed


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


class _Reader:
    """Reads pages in order and keeps what holds beyond a page: the heading path and the article."""

    def __init__(self, *, statute: bool, numbering: Numbering | None = None) -> None:
        self.statute = statute
        self._numbering = numbering
        self._path = HeadingPath()
        self._sequence, self._clauses = ArticleSequence(), ClauseSequence()
        self._article: str | None = None
        self._begun = False

    @staticmethod
    def of(texts: Sequence[str]) -> "_Reader":
        """One that knows how the document with these pages is divided."""
        statute = is_statute(texts)
        return _Reader(statute=statute, numbering=None if statute else numbering_of(texts))

    def blocks(self, text: str, body: Span) -> list[_Block]:
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

    def _entered(self, group: list[_Line], end: int) -> Iterator[_Block]:
        """The block of a group, and before it one for a table of contents that stood in front."""
        headings = [line.heading for line in group if line.heading]
        contents = len(headings) - _nested(headings)
        start = group[0].start
        if contents >= _FEWEST_CONTENTS:
            yield _Block(start, group[contents].start, self._path.text())
            start = group[contents].start
        continued = group[0].is_body and self._article is not None
        for index, line in enumerate(group):
            self._note(line, directly=index > 0)
        clause = self._numbering is not None and not self._numbering.noun and self._article is not None
        yield _Block(start, end, self._path.text(), self._article, continued, clause)

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


def _units(text: str, block: _Block, limits: Limits) -> list[_Unit]:
    start, end = block.start, block.end
    if block.article is not None and (whole := _weight(text[start:end])) <= limits.maximum:
        trimmed = _trimmed(text, start, end)
        return [_Unit(*trimmed, whole, block, opens=True)] if trimmed else []
    spans = _paragraphs(text[start:end]) if block.article is not None else split_sentences(text[start:end])
    placed = [Span(start + span.start, start + span.end) for span in spans]
    units = [unit for span in placed for unit in _fitting(text, span, block, limits)]
    return [msgspec.structs.replace(units[0], opens=True), *units[1:]] if units else []


def _paragraphs(text: str) -> list[Span]:
    """Paragraphs (款, 项) of an article: lines, joined where the printed line was merely full."""
    soft = soft_breaks(text)
    spans, start = [], 0
    for match in _LINE_END.finditer(text):
        if match.start() not in soft:
            spans.append(Span(start, match.start()))
            start = match.end()
    trimmed = [_trimmed(text, span.start, span.end) for span in spans]
    return [Span(*one) for one in trimmed if one]


def _fitting(text: str, span: Span, block: _Block, limits: Limits) -> Iterator[_Unit]:
    """The span as one unit, or what it is cut into: a paragraph at its sentences, the rest by length."""
    written = text[span.start : span.end]
    weight, row = _weight(written), is_row(written)
    if weight <= (limits.longest_row if row else limits.maximum):
        yield _Unit(span.start, span.end, weight, block, row=row)
        return
    sentences = split_sentences(written)
    if len(sentences) > 1:
        for one in sentences:
            yield from _fitting(text, Span(span.start + one.start, span.start + one.end), block, limits)
        return
    for start, end in _pieces(written, weight, limits.target, _CELL_MARK if row else _SOFT_MARK):
        piece = _trimmed(text, span.start + start, span.start + end)
        if piece:
            yield _Unit(*piece, _weight(text[slice(*piece)]), block, row=row)


def _pieces(text: str, weight: int, target: int, mark: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Ranges of about the target weight, cut behind the last mark in the second half of each, or where it must be."""
    size = max(1, len(text) * target // weight)
    start = 0
    while len(text) - start > size:
        marks = list(mark.finditer(text, start + size // 2, start + size))
        end = marks[-1].end() if marks else start + size
        yield start, end
        start = end
    yield start, len(text)


def _packed(units: Sequence[_Unit], limits: Limits) -> list[list[_Unit]]:
    """Units gathered into passages of the target weight; a short last unit is said again by the next passage.

    A heading starts a new passage unless the one before is tiny; so does not a tiny end of the document.
    """
    passages: list[list[_Unit]] = []
    fresh: list[_Unit] = []  # what no earlier passage has
    repeated: list[_Unit] = []
    for unit in units:
        weight = _total(repeated) + _total(fresh)
        enough = limits.clause_minimum if unit.block.clause else limits.minimum
        if fresh and (weight + unit.weight > limits.target or (unit.opens and weight >= enough)):
            passages.append(repeated + fresh)
            repeated = [] if unit.opens else _again(fresh, unit, limits)
            fresh = []
        fresh.append(unit)
    return _with_tail(passages, repeated, fresh, limits)


def _again(fresh: list[_Unit], unit: _Unit, limits: Limits) -> list[_Unit]:
    last = fresh[-1]
    short = last.weight <= limits.overlap and last.weight + unit.weight <= limits.target
    return [last] if short and len(fresh) > 1 and not last.row else []


def _with_tail(
    passages: list[list[_Unit]], repeated: list[_Unit], fresh: list[_Unit], limits: Limits
) -> list[list[_Unit]]:
    tiny = _total(fresh) < limits.minimum
    if passages and tiny and _total(passages[-1]) + _total(fresh) <= limits.maximum:
        return [*passages[:-1], passages[-1] + fresh]
    return [*passages, repeated + fresh] if fresh else passages


def _total(units: Sequence[_Unit]) -> int:
    return sum(unit.weight for unit in units)


def _cuts(page: PageText, packed: Sequence[list[_Unit]]) -> Iterator[Cut]:
    previous: _Block | None = None
    for units in packed:
        block = units[0].block
        start, end = units[0].start, units[-1].end
        again = block.article is not None and block is previous
        heading = " / ".join(part for part in (block.heading, units[0].table) if part) or None
        yield Cut(page.number, start, end, page.text[start:end], heading, block.article, block.continued or again)
        previous = block


def _without_overlap(limits: Limits) -> Limits:
    return msgspec.structs.replace(limits, overlap=0)


def _weight(text: str) -> int:
    """Chinese characters, Latin words twice; never less than a quarter of the characters (long codes)."""
    han = len(_HAN.findall(text))
    words = len(text.split()) if han * 2 < len(text) else 0
    return max(han + 2 * words, len(text) // 4, 1)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    bare = text[start:end]
    left, right = len(bare) - len(bare.lstrip()), len(bare.rstrip())
    return (start + left, start + right) if left < right else None
