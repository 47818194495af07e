"""Finds an item in the documents word for word, by headings, tables and fixed words. Pure.

What is found this way is a quote by construction. Where the documents give several different figures for one item
nothing is chosen: that is told, and the model may be asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.answer.units import Unit, Units
from aipc_app.domain.review import Item, ItemType, Look
from aipc_app.review.tables import Table, figure_tables, header_of, tables_of
from aipc_app.review.values import with_unit
from aipc_app.text.facts import Fact, FactKind, Quantity, find_facts
from aipc_app.text.layout import soft_breaks
from aipc_app.text.normalise import settled

_HEADING_EXTRA = 24  # characters a heading may have beside the word it is told by
_LONGEST_HEADING, _SHORT_LINE = 26, 16
_NUMBERING = (
    r"(?:[一二三四五六七八九十]{1,3}[、.．]|[（(][一二三四五六七八九十\d]{1,3}[)）]"
    r"|第[一二三四五六七八九十百\d]{1,4}[章节条部分]+|\d{1,2}(?:\.\d{1,2})*[、.．]?\s)"
)
_HEADING = re.compile(rf"^[\s#*]*{_NUMBERING}?[^，。；：:;.!?？！|]{{1,24}}$")
_MARKED = re.compile(rf"^\s*(?:#{{1,6}}\s|[\s*]*{_NUMBERING})")
_DECORATION = re.compile(r"^[\s#*>\-—]+|[\s*—]+$")
_LEAD = re.compile(r"^[\s：:，,为是有的]+")
_LABEL_END = re.compile(r"^[^：:（(，,。\n]{0,6}[\s*]*[：:（(，,]")
_SPEAKER = re.compile(r"[\s*]*([^\s：:，。]{2,12}?)[*]*[：:]")
_SIGNATURE = re.compile(r"[^，。；：:;.!?？！]*\d{4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日\s*")
_DAY_LINE = re.compile(r"[\s*#—\-=]*\d{4}\s?[年/.\-]\s?\d{1,2}\s?[月/.\-]\s?\d{1,2}\s?日?[\s*—\-=]*")
_MOST_IN_EXCHANGE = 12
_SPACE = re.compile(r"(?<=\S)\s*\n\s*(?=\S)")
_CLOSING = ("综上", "此致", "附：", "答辩人：", "具状人：")
_KINDS: dict[ItemType, tuple[FactKind, ...]] = {
    ItemType.MONEY: (FactKind.AMOUNT, FactKind.NUMBER),
    ItemType.DATE: (FactKind.DATE,),
    ItemType.RATIO: (FactKind.PERCENT, FactKind.RATE, FactKind.MULTIPLE, FactKind.FRACTION, FactKind.NUMBER),
}
_MOST_AFTER = 6  # sentences of a list that follows
_MOST_IN_PARAGRAPH, _MOST_IN_POINT, _FEWEST_POINTS = 8, 5, 2


class Hit(Struct, frozen=True):
    """`text` as shown, `start` to `end` of the source's page as its quote."""

    source: int
    start: int
    end: int
    text: str


class Looked(Struct, frozen=True, kw_only=True):
    """`hits` are lines, or `rows` a table under `head`; `several`: figures that differ, so that none was chosen."""

    hits: tuple[Hit, ...] = ()
    rows: tuple[tuple[Hit, ...], ...] = ()
    several: bool = False

    def __bool__(self) -> bool:
        return bool(self.hits or self.rows)


NOTHING = Looked()


def look(item: Item, units: Units) -> Looked:
    """What the item's rules find, the first of them that finds anything."""
    rules = item.look
    for wanted, find in _FINDERS:
        if getattr(rules, wanted):
            found = find(item, units)
            if found or found.several:
                return found
    return NOTHING


def is_heading(text: str) -> bool:
    """Is this unit a heading: short, without a stop?"""
    plain = _DECORATION.sub("", text)
    return 0 < len(plain) <= _LONGEST_HEADING and _HEADING.match(plain) is not None


def _heads(item: Item, units: Units) -> Looked:
    for word in item.look.heads:
        for index, unit in enumerate(units.items):
            if _is_head(_head_line(unit.text), word):
                hits = list(_below(item.look, units, index))[: item.limit]
                if hits:
                    return Looked(hits=tuple(hits))
    return NOTHING


def _head_line(text: str) -> str:
    """A first line that is a heading of the sentence below it; else the whole text."""
    line = text.split("\n", 1)[0]
    return line if line != text and is_heading(line) and (len(line) <= _SHORT_LINE or _MARKED.match(line)) else text


def _is_head(text: str, word: str) -> bool:
    plain = settled(_DECORATION.sub("", text)).lower()
    return word.lower() in plain and len(plain) <= len(word) + _HEADING_EXTRA and not plain.endswith(("。", "；", "."))


def _below(rules: Look, units: Units, head: int) -> Iterator[Hit]:
    """Units after a heading, up to the next one of its kind, within its document."""
    first = units.items[head]
    document = _document(units, first)
    marked = bool(_MARKED.match(first.text))
    if (above := len(_head_line(first.text))) < len(first.text):  # the heading and the first sentence are one unit
        yield Hit(first.source, first.start + above + 1, first.end, _hit(first, first.text[above + 1 :]).text)
    for unit in units.items[head + 1 :]:
        line = _head_line(unit.text)
        if _document(units, unit) != document or any(_is_head(line, word) for word in rules.until):
            return
        if line != unit.text and _MARKED.match(line):
            return
        if (is_heading(unit.text) and (not rules.until or not marked)) or _SIGNATURE.fullmatch(unit.text):
            return
        if not _has_any(unit.text, rules.without):
            yield _hit(unit)


def _lines(item: Item, units: Units) -> Looked:
    found = [
        _paragraph(units, index)
        for index, unit in enumerate(units.items)
        if any(_begins_with(unit.text, word) for word in item.look.lines) and not _has_any(unit.text, item.look.without)
    ]
    once = {settled(hit.text): hit for hit in reversed(found)}
    kept = sorted(once.values(), key=lambda hit: (hit.source, hit.start))
    return Looked(hits=tuple(kept[: item.limit]))


def _begins_with(text: str, word: str) -> bool:
    plain = _DECORATION.sub("", text)
    return plain.lower().startswith(word.lower()) and bool(_LABEL_END.match(plain[len(word) :]))


def _paragraph(units: Units, index: int) -> Hit:
    """The unit with the sentences that follow it in its paragraph."""
    first = last = units.items[index]
    page = units.sources[first.source].page_text
    soft = soft_breaks(page)
    for unit in units.items[index + 1 : index + 1 + _MOST_IN_PARAGRAPH]:
        gap = range(last.end, unit.start)
        if unit.source != first.source or any(page[at] == "\n" and at not in soft for at in gap):
            break
        last = unit
    return _span(units, first, last)


def _span(units: Units, first: Unit, last: Unit) -> Hit:
    page = units.sources[first.source].page_text
    text = _SPACE.sub(_joint, page[first.start : last.end])
    return Hit(first.source, first.start, last.end, _DECORATION.sub("", text))


def _joint(space: re.Match[str]) -> str:
    """A line break between Chinese characters is none."""
    text, (start, end) = space.string, space.span()
    return "" if not text[start - 1 : start].isascii() and not text[end : end + 1].isascii() else " "


def numbered(item: Item, units: Units) -> Looked:
    """The numbered points of a paper, each from its number to the next one's."""
    first = next((unit for unit in units.items if _number_of(unit.text)), None)
    if first is None:
        return NOTHING
    style = _number_of(first.text)
    starts = [i for i, unit in enumerate(units.items) if _number_of(unit.text) == style]
    if len(starts) < _FEWEST_POINTS:
        return NOTHING
    return Looked(hits=tuple(_point(units, start, starts) for start in starts[: item.limit]))


def _point(units: Units, start: int, starts: Sequence[int]) -> Hit:
    first = last = units.items[start]
    for i in range(start + 1, min(start + _MOST_IN_POINT, len(units.items))):
        unit = units.items[i]
        if i in starts or unit.source != first.source or unit.text.startswith(_CLOSING):
            break
        last = unit
    if last is first:
        return _hit(first)
    whole = _span(units, first, last)
    body = _span(units, units.items[start + 1], last)
    return Hit(whole.source, whole.start, whole.end, f"{_hit(first).text}　{body.text}")


def _number_of(text: str) -> str:
    """The style of the number that a point begins with: 一、 or （一） or 1."""
    found = re.match(
        r"[\s#*]*(?:([一二三四五六七八九十]{1,3})([、.．])|([（(])[一二三四五六七八九十\d]|(\d{1,2})([、.．]))", text
    )
    return (
        "".join(group[0] if i in (1, 2, 4) else "n" for i, group in enumerate(found.groups()) if group) if found else ""
    )


def last_exchange(item: Item, units: Units) -> Looked:
    """In messages: what was written on the last day, from the line with its date on."""
    starts = [i for i, unit in enumerate(units.items) if _DAY_LINE.fullmatch(unit.text.strip())]
    if not starts or starts[-1] + 1 >= len(units.items):
        return NOTHING
    first, following = units.items[starts[-1]], units.items[starts[-1] + 1 :][:_MOST_IN_EXCHANGE]
    last = [unit for unit in following if unit.source == first.source]
    if not last:
        return NOTHING
    page = units.sources[first.source].page_text
    lines = [_DECORATION.sub("", line) for line in page[first.start : last[-1].end].split("\n") if line.strip()]
    return Looked(hits=(Hit(first.source, first.start, last[-1].end, "\n".join(lines)),))


def last_date(item: Item, units: Units) -> Looked:
    """The last whole date of a paper, which is the day it was signed."""
    for unit in reversed(units.items):
        facts = [fact for fact in unit.facts if fact.kind is FactKind.DATE and getattr(fact.value, "day", None)]
        if facts:
            return Looked(hits=(_hit(unit, facts[-1].text),))
    return NOTHING


def _after(item: Item, units: Units) -> Looked:
    for word in item.look.after:
        for index, unit in enumerate(units.items):
            at = unit.text.find(word)
            if at < 0 or is_heading(unit.text) or _has_any(unit.text, item.look.without):
                continue
            hits = [_hit(unit, _LEAD.sub("", unit.text[at + len(word) :]) or None), *_list_after(units, index)]
            hits = [hit for hit in hits if hit.text][: item.limit]
            if hits:
                return Looked(hits=tuple(hits))
    return NOTHING


def _list_after(units: Units, index: int) -> Iterator[Hit]:
    """The rest of a list that the unit opened: （一）…；（二）…."""
    unit = units.items[index]
    if not unit.text.rstrip().endswith(("；", ";", "：", ":")):
        return
    for following in units.items[index + 1 : index + 1 + _MOST_AFTER]:
        if following.source != unit.source:
            return
        yield _hit(following)
        if not following.text.rstrip().endswith(("；", ";")):
            return


def _near(item: Item, units: Units) -> Looked:
    """The figure that follows a word in its sentence, else the one that stands before it."""
    for word in item.look.near:
        hits = [
            hit
            for unit in units.items
            if word.lower() in unit.text.lower() and not _has_any(unit.text, item.look.without)
            for hit in _figure(item, unit, word)
        ]
        if hits:
            return _one_of(hits)
    return NOTHING


def _figure(item: Item, unit: Unit, word: str) -> Iterator[Hit]:
    kinds = _KINDS.get(item.type, (FactKind.COUNT, FactKind.NUMBER, FactKind.DURATION, *_KINDS[ItemType.RATIO]))
    end = unit.text.lower().find(word.lower()) + len(word)
    for kind in kinds:
        facts = [fact for fact in unit.facts if fact.kind is kind and fact.end > end]
        if facts:
            yield _hit(unit, facts[0].text)
            return


def _rows(item: Item, units: Units) -> Looked:
    for word in item.look.rows:
        hits = [
            _with_unit(item, hit, f"{row} {units.sources[hit.source].page_text}")
            for table in tables_of(units)
            for hit, row in _cell(item, table, word)
        ]
        if hits:
            return _one_of(hits)
    return NOTHING


def _with_unit(item: Item, hit: Hit, where: str) -> Hit:
    return replace(hit, text=with_unit(hit.text, where)) if item.type is ItemType.MONEY else hit


def _cell(item: Item, table: Table, word: str) -> Iterator[tuple[Hit, str]]:
    """With what names the cell's unit: the head of its column and of its row."""
    column = _year_column(table, item.look.year) if item.look.year else None
    if item.look.year and column is None:
        return
    for row in table.rows:
        if not _is_label(row.cells[0], word) or len(row.cells) < 2:
            continue
        at = column or 1
        if at < len(row.cells) and row.cells[at]:
            named = f"{row.cells[0]} {header_of(table)[at]}"
            yield Hit(row.source, row.start, row.end, row.cells[at]), named


def _is_label(cell: str, word: str) -> bool:
    """The word itself, whatever stands behind it in brackets."""
    plain = settled(cell).lower()
    return plain == word.lower() or re.fullmatch(rf"{re.escape(word.lower())}\s?[（(].*[)）]", plain) is not None


def _year_column(table: Table, which: str) -> int | None:
    years = {year: i for i, cell in enumerate(header_of(table)) if i and (year := _year(cell))}
    if len(years) < (2 if which == "before" else 1):
        return None
    return years[sorted(years)[-2 if which == "before" else -1]]


def _year(cell: str) -> int | None:
    found = (fact.value for fact in find_facts(cell) if fact.kind is FactKind.DATE)
    return next((value.year for value in found if getattr(value, "year", None)), None)  # type: ignore[union-attr]


def _table(item: Item, units: Units) -> Looked:
    """Rows of the first table with most of the wanted columns, in the item's columns' order."""
    for table in tables_of(units):
        head = [settled(cell).lower() for cell in header_of(table)]
        columns = [_column_of(head, column.names) for column in item.columns]
        if not all(any(word.lower() in cell for cell in head) for word in item.look.table):
            continue
        rows = [
            tuple(
                Hit(row.source, row.start, row.end, row.cells[at] if at is not None and at < len(row.cells) else "")
                for at in columns
            )
            for row in table.rows
        ]
        rows = [row for row in rows if any(hit.text for hit in row)]
        if rows:
            return Looked(rows=tuple(rows[: item.limit]))
    return NOTHING


def _column_of(head: Sequence[str], names: Sequence[str]) -> int | None:
    for name in names:
        for i, cell in enumerate(head):
            if name.lower() in cell:
                return i
    return None


def _one_of(hits: Sequence[Hit]) -> Looked:
    """One figure, wherever it is repeated; several that differ are none."""
    values = {figure_key(hit.text) for hit in hits}
    return Looked(hits=(hits[0],)) if len(values) == 1 else Looked(several=True)


def figure_key(text: str) -> str:
    """Equal for figures that say the same: 50万元, 500,000元."""
    facts = find_facts(text)
    if not facts:
        return settled(text).lower()
    return "|".join(_fact_key(fact) for fact in facts[:1])


def _fact_key(fact: Fact) -> str:
    if isinstance(fact.value, Quantity):
        return f"{fact.value.amount.normalize()}{fact.value.unit}"
    return str(fact.value)


def _hit(unit: Unit, text: str | None = None) -> Hit:
    shown = _SPACE.sub(_joint, unit.text if text is None else text)
    return Hit(unit.source, unit.start, unit.end, _DECORATION.sub("", shown))


def _document(units: Units, unit: Unit) -> int:
    return units.sources[unit.source].document_id


def _has_any(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)


def _mentions(item: Item, units: Units) -> Looked:
    words = item.look.mentions
    hits = [
        _speech(units, index)
        for index, unit in enumerate(units.items)
        if _has_any(unit.text, words) and not is_heading(unit.text) and not _has_any(unit.text, item.look.without)
    ]
    return Looked(hits=tuple(dict.fromkeys(hits))[: item.limit])


def _speech(units: Units, index: int) -> Hit:
    """In a transcript the whole of what the speaker said; elsewhere the sentence."""
    unit = units.items[index]
    page = units.sources[unit.source].page_text
    soft = soft_breaks(page)
    first = index
    while first and units.items[first - 1].source == unit.source:
        gap = range(units.items[first - 1].end, units.items[first].start)
        if any(page[at] == "\n" and at not in soft for at in gap):
            break
        first -= 1
    return _paragraph(units, first) if _SPEAKER.match(units.items[first].text) else _hit(unit)


def _asked(item: Item, units: Units) -> Looked:
    """In a transcript: what is said after a question with one of these words, until the asker speaks again."""
    hits: list[Hit] = []
    for index, unit in enumerate(units.items):
        speaker = _SPEAKER.match(unit.text)
        if speaker is None or not unit.text.rstrip().endswith(("？", "?")) or not _has_any(unit.text, item.look.asked):
            continue
        for at in range(index + 1, len(units.items)):
            other = _SPEAKER.match(units.items[at].text)
            if units.items[at].source not in (unit.source, unit.source + 1) or (other and other[1] == speaker[1]):
                break
            if other:
                hits.append(_paragraph(units, at))
    return Looked(hits=tuple(hits[: item.limit]))


def all_tables(item: Item, units: Units) -> Looked:
    """Every row of every table: its first cell, then the others, each behind its head."""
    tables = tables_of(units) or figure_tables(units)
    rows = [
        (
            Hit(row.source, row.start, row.end, row.cells[0]),
            Hit(row.source, row.start, row.end, _with_heads(header_of(table), row.cells)),
        )
        for table in tables
        for row in table.rows
    ]
    return Looked(rows=tuple(rows[: item.limit]))


def _with_heads(heads: Sequence[str], cells: Sequence[str]) -> str:
    if len(heads) != len(cells):  # set without rules: where one head ends and the next begins isn't told
        return f"{' '.join(heads)}: {' '.join(cells[1:])}"
    return "; ".join(f"{head}: {cell}" for head, cell in list(zip(heads, cells, strict=True))[1:])


_METHODS = {"numbered": numbered, "last_date": last_date, "last_exchange": last_exchange, "tables": all_tables}


def _method(item: Item, units: Units) -> Looked:
    return _METHODS[item.look.method](item, units) if item.look.method in _METHODS else NOTHING


_FINDERS: tuple[tuple[str, Callable[[Item, Units], Looked]], ...] = (
    ("heads", _heads), ("lines", _lines), ("after", _after), ("mentions", _mentions),
    ("asked", _asked), ("rows", _rows), ("near", _near), ("table", _table),
    ("method", _method),
)  # fmt: skip
