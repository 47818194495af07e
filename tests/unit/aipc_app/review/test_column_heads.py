"""The heads of a table that was set by places alone are told apart by where they stand."""

from __future__ import annotations

import numpy as np
import pytest

from aipc_app.answer.material import Source
from aipc_app.answer.units import cut_units
from aipc_app.review.column_heads import with_column_heads
from aipc_app.review.tables import Table, figure_tables

WIDE, HIGH = 5.0, 10.0  # of a character, in points
# A line of the text: words with the place of each, x and y; a title, heads in two lines, three rows.
TITLE = [("Table 1. Means of the summer, by class", 50, 20)]
HEADS = [("Canopy class", 50, 50), ("Air", 210, 40), ("temperature", 200, 50), ("Comfort (1 to 5)", 300, 50)]
ROWS = [
    [("Less than 10%", 50, 70), ("33.4", 215, 70), ("2.1", 330, 70)],
    [("10 to 25%", 50, 85), ("32.6", 215, 85), ("2.6", 330, 85)],
    [("More than 40%", 50, 100), ("31.1", 215, 100), ("3.4", 330, 100)],
]


def page(*lines: list[tuple[str, float, float]]) -> tuple[str, bytes]:
    """The page's text, a line of words each, and a box for each of its characters."""
    text, boxes = "", []
    for line in lines:
        for n, (words, x, y) in enumerate(line):
            text += (" " if n else "") + words
            boxes += [(np.nan,) * 4] if n else []
            boxes += [(x + i * WIDE, y, x + (i + 1) * WIDE, y + HIGH) for i in range(len(words))]
        text += "\n"
        boxes.append((np.nan,) * 4)
    return text, np.array(boxes, dtype="<f4").tobytes()


def read(*lines: list[tuple[str, float, float]]) -> Table:
    text, boxes = page(*lines)
    source = Source(document_id=1, document="a.pdf", page=1, page_text=text, start=0, end=len(text))
    (table,) = figure_tables(cut_units((source,)))
    return with_column_heads(table, text, boxes)


def test_each_column_gets_the_words_that_stand_over_it_and_the_title_none() -> None:
    table = read([("First.", 50, 5)], [*TITLE, *HEADS], *ROWS)
    assert table.head.cells == ("Canopy class", "Air temperature", "Comfort (1 to 5)")
    assert table.rows[0].cells == ("Less than 10%", "33.4", "2.1")


@pytest.mark.parametrize(
    "heads",
    [
        [("Canopy class", 50, 50), ("Comfort (1 to 5)", 300, 50)],  # a column without a head
        [("Canopy class", 50, 50), ("Means of all that was measured here", 190, 50)],  # one over both
        [("Canopy class", 50, -60), ("Air", 210, -60), ("Comfort", 310, -60)],  # far above
    ],
)
def test_heads_that_places_do_not_tell_stay_one_line(heads: list[tuple[str, float, float]]) -> None:
    table = read([("First.", 50, 5)], heads, *ROWS)
    assert len(table.head.cells) == 1


def test_a_page_without_places_keeps_its_line() -> None:
    text, _ = page([("First.", 50, 5)], HEADS, *ROWS)
    source = Source(document_id=1, document="a.txt", page=1, page_text=text, start=0, end=len(text))
    (table,) = figure_tables(cut_units((source,)))
    assert with_column_heads(table, text, b"") is table
