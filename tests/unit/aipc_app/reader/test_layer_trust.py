"""How much is read from pictures before a text layer is trusted: enough to tell, and no more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aipc_app.reader.convert import pdf_trust
from aipc_app.reader.convert.pdf_ocr import Area
from aipc_app.reader.convert.pdf_sample import lines_of, samples
from aipc_app.reader.convert.pdf_text import PdfText
from aipc_app.reader.convert.pdf_trust import LayerTrust
from aipc_app.reader.ocr.reading import Reading

PAGE: Any = None  # nothing asks it anything once recognition is replaced
LONG = ["原告于二〇二一年三月五日向被告借款", "被告至今没有归还本金和约定的利息", "本院依法适用简易程序公开审理本案"]
SHORT = ["民事判决书全文", "审判长王建国", "书记员李小红"]


def layer(lines: list[str], wide: float = 10.0, font: str = "Song") -> PdfText:
    """Characters `wide` points wide and 10 high, a line every 20 points."""
    rows = [
        row
        for y, line in enumerate(lines)
        for row in [(x * wide, y * 20.0, (x + 1) * wide, y * 20.0 + 10) for x in range(len(line))] + [(np.nan,) * 4]
    ]
    return PdfText("\n".join(lines), np.array(rows[:-1], dtype="<f4").tobytes(), 0, 0, (font,) * len(lines))


class Pictures:
    """What the page shows, line by line, and which of its lines were read."""

    def __init__(self, lines: list[str], wide: float = 10.0) -> None:
        self.lines, self.wide, self.read = lines, wide, list[int]()

    def __call__(self, page: Any, area: Area) -> Reading:
        at = round(area.y0 / 20)
        self.read.append(at)
        text = self.lines[at][round(area.x0 / self.wide) : round(area.x1 / self.wide)]
        return Reading(text, (0.5,) * len(text), (0.99,) * len(text))


@pytest.fixture
def shows(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(lines: list[str], wide: float = 10.0) -> Pictures:
        pictures = Pictures(lines, wide)
        monkeypatch.setattr(pdf_trust, "recognised", pictures)
        return pictures

    return put


@pytest.mark.parametrize(("lines", "expected"), [(LONG, 1), (SHORT, 2)])
def test_one_long_line_that_says_plainly_the_same_is_enough(shows: Any, lines: list[str], expected: int) -> None:
    pictures, trust = shows(lines), LayerTrust()
    assert trust.wrong_share(PAGE, layer(lines)) == 0
    assert len(pictures.read) == expected
    assert trust.wrong_share(PAGE, layer(lines)) == 0  # the font is known now
    assert len(pictures.read) == expected


def test_a_font_that_says_something_else_is_wrong_wherever_it_stands(shows: Any) -> None:
    pictures, trust = shows([line[::-1] for line in LONG]), LayerTrust()
    assert trust.wrong_share(PAGE, layer(LONG)) == 1
    assert len(pictures.read) == 3
    assert trust.wrong_share(PAGE, layer(SHORT)) == 1


def test_a_font_that_says_nearly_the_same_is_asked_again(shows: Any) -> None:
    nearly = [line.replace("二〇二一年", "二零二二年").replace("本", "木").replace("被", "破") for line in LONG]
    pictures = shows(nearly)
    assert LayerTrust().wrong_share(PAGE, layer(LONG)) == 0
    assert len(pictures.read) == 2


def test_a_recognised_scan_that_was_right_on_two_pages_is_asked_for_one_line_a_page(shows: Any) -> None:
    pictures, trust = shows(LONG * 2), LayerTrust()
    asked = []
    for _ in range(4):
        assert not trust.scan_is_noise(PAGE, layer(LONG * 2))
        asked.append(len(pictures.read))
    assert np.diff([0, *asked]).tolist() == [2, 2, 1, 1]


def test_a_page_of_a_recognised_scan_that_goes_wrong_is_noticed_and_ends_the_trust(shows: Any) -> None:
    trust = LayerTrust()
    shows(LONG * 2)
    assert not any(trust.scan_is_noise(PAGE, layer(LONG * 2)) for _ in range(3))
    shows([line[::-1] for line in LONG * 2])
    assert trust.scan_is_noise(PAGE, layer(LONG * 2))
    pictures = shows(LONG * 2)
    assert not trust.scan_is_noise(PAGE, layer(LONG * 2))
    assert len(pictures.read) == 2


@pytest.mark.parametrize(("wide", "kept"), [(10.0, 12), (5.0, 16)])
def test_a_sample_is_no_wider_than_twelve_line_heights(wide: float, kept: int) -> None:
    read = layer([LONG[0][:16]], wide)
    assert [sample.said for sample in samples(read, list(lines_of(read)))] == [LONG[0][:kept]]


def test_a_line_that_runs_from_right_to_left_is_cut_at_its_left_end() -> None:
    said = "هذا العقد مبرم بين ا"
    boxes = np.array([(200 - 10 * (i + 1), 0, 200 - 10 * i, 10) for i in range(20)], dtype="<f4")
    read = PdfText(said, boxes.tobytes(), 0, 0, ("Naskh",))
    (sample,) = samples(read, list(lines_of(read)))
    assert (sample.said, sample.area) == (said[:12], Area(80, 0, 200, 10))


def test_a_rule_that_is_drawn_with_letters_is_no_sample() -> None:
    read = layer(["llllllllllllllllllll", "---------- 1 ----------"])
    assert not list(samples(read, list(lines_of(read))))
