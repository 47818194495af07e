"""Boxes survive packing and merge into one rectangle a line."""

from __future__ import annotations

from aipc_app.domain.boxes import NO_BOX, Box, pack_boxes, span_boxes


def line(y: float, count: int) -> list[Box]:
    return [(10.0 * i, y, 10.0 * i + 9.0, y + 12.0) for i in range(count)]


def test_a_span_over_two_lines_gives_two_rectangles() -> None:
    packed = pack_boxes([*line(0, 5), NO_BOX, *line(20, 5)])
    assert span_boxes(packed, 3, 8) == ((30.0, 0.0, 49.0, 12.0), (0.0, 20.0, 19.0, 32.0))


def test_a_gap_between_columns_is_not_bridged() -> None:
    packed = pack_boxes([(0.0, 0.0, 9.0, 12.0), (300.0, 0.0, 309.0, 12.0)])
    assert len(span_boxes(packed, 0, 2)) == 2


def test_a_page_without_boxes_has_none() -> None:
    assert span_boxes(b"", 0, 10) == ()


def test_text_that_runs_down_the_page_gives_one_rectangle_a_column() -> None:
    column = [(100.0, 10.0 + 5 * i, 107.0, 14.0 + 5 * i) for i in range(6)]
    second = [(90.0, 10.0 + 5 * i, 97.0, 14.0 + 5 * i) for i in range(6)]
    packed = pack_boxes([*column, NO_BOX, *second])
    assert span_boxes(packed, 1, 10) == ((100.0, 15.0, 107.0, 39.0), (90.0, 10.0, 97.0, 24.0))
