"""The tables of a case, numbered, and what code works out over their rows. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from msgspec import Struct

from aipc_app.answer.units import Units
from aipc_app.review.tables import Row, Table, figure_tables, tables_of
from aipc_app.review.tasks.reckoning import NotReckoned, shown_figure
from aipc_app.text.facts import DateValue, FactKind, Quantity, find_facts
from aipc_app.text.normalise import comparable
from aipc_app.text.numbers import parse_number
from aipc_app.text.tokens import query_tokens

_TOTALS = frozenset(("合计", "总计", "小计", "共计", "total", "subtotal", "sum", "总额"))
_FIGURES = (FactKind.NUMBER, FactKind.AMOUNT, FactKind.PERCENT, FactKind.COUNT, FactKind.MULTIPLE, FactKind.DURATION)
_SHOWN_ROWS = 6
_FEWEST_ROWS = 2  # two lines set in columns, such as a paper's number and its matter, are no table to work with
_Day = tuple[int, int, int]
_YEAR = re.compile(r"(?:19|20)\d\d")


class Picked(Struct, frozen=True):
    """Rows that were chosen, with the figures of the columns that were chosen."""

    rows: tuple[Row, ...]
    figures: tuple[tuple[Row, Decimal, str], ...]
    columns: tuple[str, ...]


def case_tables(units: Units) -> tuple[Table, ...]:
    """All tables in the order of the documents; those set by rules or tabs before those set by spaces."""
    found = [table for table in tables_of(units) if len(table.head.cells) > 1 and len(table.rows) >= _FEWEST_ROWS]
    taken = [(row.source, row.start, row.end) for table in found for row in (table.head, *table.rows)]
    for table in figure_tables(units):
        if not any(_overlaps(row, taken) for row in table.rows):
            found.append(table)
    return tuple(sorted(found, key=lambda table: (table.rows[0].source, table.rows[0].start)))


def pick(table: Table, *, column: str, where: str, after: str, before: str) -> Picked:
    """As calls.SumTable has it; where `column` is the label of a row, that row's figures, `after` and `before` by the
    heads. Raises NotReckoned, with the columns or rows there are.
    """
    if (row := _labelled(table, column)) is not None:
        return _across(table, row, after, before)
    rows = _where(_dated(table.rows, after, before), where)
    if not rows:
        shown = (table.head, *table.rows[:_SHOWN_ROWS])
        raise NotReckoned("no_rows", " / ".join(" | ".join(row.cells) for row in shown))
    columns = _columns(table, column, rows)
    figures = tuple(
        (row, value, row.cells[number])
        for row in rows
        for number in columns
        if number < len(row.cells) and (value := figure_of(row.cells[number])) is not None
    )
    return Picked(tuple(rows), figures, tuple(_head(table, number) for number in columns))


def _labelled(table: Table, name: str) -> Row | None:
    """The row of this label, in a table that has no column of this name: years stand side by side in accounts."""
    wanted = comparable(name)
    if not wanted or wanted in map(comparable, table.head.cells):
        return None
    return next((row for row in table.rows if comparable(row.cells[0]) == wanted), None)


def _across(table: Table, row: Row, after: str, before: str) -> Picked:
    first, last = _day(after, last=True), _day(before, last=False)
    taken = [n for n in range(1, len(row.cells)) if _within(_parsed(_head(table, n), last=False), first, last)]
    figures = tuple((row, value, row.cells[n]) for n in taken if (value := figure_of(row.cells[n])) is not None)
    if not figures:
        raise NotReckoned("no_rows", " / ".join(" | ".join(one.cells) for one in (table.head, row)))
    return Picked((row,), figures, (f"{row.cells[0]} {' '.join(_head(table, n) for n in taken)}",))


def work_out(operation: str, values: Sequence[Decimal]) -> Decimal:
    """`operation` as in calls.SumTable. Raises NotReckoned for none."""
    if not values:
        raise NotReckoned("no_figures")
    match operation:
        case "count":
            return Decimal(len(values))
        case "largest":
            return max(values)
        case "smallest":
            return min(values)
        case "average":
            return sum(values, Decimal(0)) / len(values)
    return sum(values, Decimal(0))


def working_of(operation: str, values: Sequence[Decimal], result: Decimal) -> str:
    """One line a reader can do again."""
    if operation in ("sum", "average"):
        terms = " + ".join(shown_figure(value) if value >= 0 else f"({shown_figure(value)})" for value in values)
        share = f"({terms}) ÷ {len(values)}" if operation == "average" else terms
        return f"{share} = {shown_figure(result)}"
    listed = "、".join(shown_figure(value) for value in values)
    return f"{operation}({listed}) = {shown_figure(result)}"


def figure_of(cell: str) -> Decimal | None:
    """The one figure of a cell."""
    facts = [fact for fact in find_facts(cell) if fact.kind in _FIGURES]
    if len(facts) == 1 and isinstance(facts[0].value, Quantity):
        written = parse_number(cell.strip().strip("（()）"))
        return written if written is not None else facts[0].value.amount
    return None


def heads_of(table: Table) -> tuple[str, ...]:
    """The columns' heads; a table set by spaces has one line for all."""
    return table.head.cells


def _head(table: Table, number: int) -> str:
    heads = table.head.cells
    return heads[number] if number < len(heads) and len(heads) == len(table.rows[0].cells) else str(number + 1)


def _where(rows: Sequence[Row], where: str) -> list[Row]:
    """Rows with a cell that is just this, else rows that have it; "a|b" either. Totals only where they are named."""
    wanted = [comparable(word) for word in where.replace("、", "|").split("|") if comparable(word)]
    if not wanted:
        return [row for row in rows if comparable(row.cells[0]) not in _TOTALS]
    exact = [row for row in rows if any(comparable(cell) in wanted for cell in row.cells)]
    if exact:
        return exact
    holding = [row for row in rows if any(word in comparable(" ".join(row.cells)) for word in wanted)]
    return [row for row in holding if comparable(row.cells[0]) not in _TOTALS]


def _dated(rows: Sequence[Row], after: str, before: str) -> list[Row]:
    first, last = _day(after, last=True), _day(before, last=False)
    if first is None and last is None:
        return list(rows)
    return [row for row in rows if _within(_row_day(row), first, last)]


def _within(day: _Day | None, first: _Day | None, last: _Day | None) -> bool:
    """Without bounds any; with one, a day past or ahead of it."""
    if first is None and last is None:
        return True
    return day is not None and (first is None or day > first) and (last is None or day < last)


def _row_day(row: Row) -> _Day | None:
    return next((day for cell in row.cells if (day := _parsed(cell, last=False)) is not None), None)


def _day(text: str, *, last: bool) -> _Day | None:
    """A bound; of a month or a year its last or its first day. Raises NotReckoned for what is no date."""
    if not text.strip():
        return None
    day = _parsed(text, last=last)
    if day is None:
        raise NotReckoned("no_date", text[:40])
    return day


def _parsed(text: str, *, last: bool) -> _Day | None:
    text = f"{text.strip()}年" if _YEAR.fullmatch(text.strip()) else text
    value = next((f.value for f in find_facts(text) if f.kind is FactKind.DATE), None)
    if not isinstance(value, DateValue) or value.year is None:
        return None
    rest = (12, 31) if last else (1, 1)
    return value.year, value.month or rest[0], value.day or rest[1]


def _columns(table: Table, column: str, rows: Sequence[Row]) -> list[int]:
    """The column of this name; "": all that hold figures, apart from row numbers and dates."""
    heads = list(table.head.cells)
    if column.strip():
        return [_column(heads, column)]
    wide = max(len(row.cells) for row in rows)
    return [n for n in range(1, wide) if any(n < len(row.cells) and _plain(row.cells[n]) for row in rows)]


def _plain(cell: str) -> bool:
    """A figure, and no account, date or name with a figure in it."""
    facts = find_facts(cell)
    return len(facts) == 1 and facts[0].kind in _FIGURES and figure_of(cell) is not None


def _column(heads: Sequence[str], wanted: str) -> int:
    plain = [comparable(head) for head in heads]
    word = comparable(wanted)
    for number, head in enumerate(plain):
        if head == word:
            return number
    near = [n for n, head in enumerate(plain) if head and (word in head or head in word)]
    if len(near) == 1:
        return near[0]
    tokens = frozenset(query_tokens(wanted))
    shared = [len(tokens & frozenset(query_tokens(head))) for head in heads]
    if max(shared, default=0) and shared.count(max(shared)) == 1:
        return shared.index(max(shared))
    raise NotReckoned("no_column", "、".join(heads))


def _overlaps(row: Row, taken: Sequence[tuple[int, int, int]]) -> bool:
    return any(source == row.source and start < row.end and row.start < end for source, start, end in taken)
