"""Does a figure of a table stand under the head that a sentence names? Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aipc_app.review.tables import Row, Table
from aipc_app.review.tasks.tables import figure_of
from aipc_app.text.facts import Fact, find_facts, supports
from aipc_app.text.tokens import query_tokens


def of_another_column(words: frozenset[str], facts: Sequence[Fact], tables: Sequence[Table]) -> Fact | None:
    """The first fact that tables have only under heads which `words` don't name, while they name another of theirs.

    Heads of columns without figures name what is told, not which figure of it.
    """
    for fact in facts:
        cells = [(table, number) for table in tables for number in _columns_with(table, fact)]
        if cells and not any(_may_be_meant(words, table, number) for table, number in cells):
            return fact
    return None


def _columns_with(table: Table, fact: Fact) -> Iterator[int]:
    for row in table.rows:
        for number, cell in enumerate(row.cells):
            if any(supports(known, fact) for known in find_facts(cell)):
                yield number


def _may_be_meant(words: frozenset[str], table: Table, number: int) -> bool:
    """The sentence names this column, or none that it could be mistaken for."""
    heads = table.head.cells
    if number == 0 or any(len(heads) != len(row.cells) for row in table.rows):
        return True
    own = frozenset(query_tokens(heads[number]))
    others = [frozenset(query_tokens(heads[n])) for n in _figure_columns(table.rows, len(heads)) if n != number]
    elsewhere = frozenset[str]().union(*others)
    return bool(words & (own - elsewhere)) or not words & (elsewhere - own)


def _figure_columns(rows: Sequence[Row], wide: int) -> list[int]:
    return [n for n in range(1, wide) if any(figure_of(row.cells[n]) is not None for row in rows)]
