"""PDF pages come out as a person sees them: text, states, and boxes that lie on the ink."""

from __future__ import annotations

import io
import math
import struct
from pathlib import Path

import numpy as np
import pypdf
import pytest

from aipc_app.domain.boxes import span_boxes, unpack_boxes
from aipc_app.domain.documents import PageState
from aipc_app.domain.reader_wire import ReadLimits
from aipc_app.errors import DocumentError, DocumentLimit, PasswordNeeded
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command
from tests.unit.aipc_app.reader.conftest import Outcome, ReadFile
from tests.unit.aipc_app.reader.making import (
    PdfPage,
    assemble,
    packed_stream,
    pdf_bytes,
    show,
    show_chinese,
    show_mapped,
)

SCALE = 3.0


def write(path: Path, *pages: PdfPage, mapped: dict[str, str] | None = None, title: str = "") -> Path:
    path.write_bytes(pdf_bytes(pages, mapped, title))
    return path


def test_lines_are_parted_and_every_code_point_has_a_box(tmp_path: Path, read: ReadFile) -> None:
    file = write(tmp_path / "a.pdf", PdfPage(show("First line", y=120) + show("Second line", y=80)), title="Contract")
    outcome = read(file)
    assert outcome.text == "First line\nSecond line"
    assert len(outcome.page.boxes) == 16 * len(outcome.text)
    assert (outcome.page.width, outcome.page.height, outcome.page.state) == (300, 200, PageState.TEXT)
    assert (outcome.opened.pages, outcome.opened.has_layout, outcome.end.pages) == (1, True, 1)
    assert outcome.end.title == "Contract"


def test_chinese_text_keeps_its_offsets(tmp_path: Path, read: ReadFile) -> None:
    outcome = read(write(tmp_path / "a.pdf", PdfPage(show_chinese("借款五十万元", size=20))))
    assert outcome.text == "借款五十万元"
    (box,) = span_boxes(outcome.page.boxes, 2, 5)
    assert box[0] == pytest.approx(60, abs=1) and box[2] == pytest.approx(120, abs=1)


def test_radical_characters_become_ordinary_ideographs(tmp_path: Path, read: ReadFile) -> None:
    mapped = {"A": "\u2f00", "B": "\u2f08", "C": "\u2ea0", "D": "\u2ed3"}
    outcome = read(write(tmp_path / "a.pdf", PdfPage(show_mapped("ABCD")), mapped=mapped))
    assert outcome.text == "一人民长"


def test_a_pair_of_surrogates_is_one_code_point_with_one_box(tmp_path: Path, read: ReadFile) -> None:
    mapped = {"x": "x", "A": "\U00020bb7", "y": "y"}
    outcome = read(write(tmp_path / "a.pdf", PdfPage(show_mapped("xAy")), mapped=mapped))
    assert outcome.text == "x\U00020bb7y"
    assert len(outcome.page.boxes) == 16 * 3


def test_control_characters_are_dropped_with_their_boxes(tmp_path: Path, read: ReadFile) -> None:
    mapped = {"a": "a", "b": "b", "Z": "\x01", "Y": "\x00"}
    outcome = read(write(tmp_path / "a.pdf", PdfPage(show_mapped("aZbYabababababababab")), mapped=mapped))
    assert outcome.text == "ab" * 9
    assert len(outcome.page.boxes) == 16 * 18


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("the con-", "tract ends", "the contract ends"),
        ("Article A-", "12 holds", "Article A-12 holds"),
    ],
)
def test_a_word_broken_at_the_line_end_is_joined_and_other_hyphens_stay(
    tmp_path: Path, read: ReadFile, first: str, second: str, expected: str
) -> None:
    file = write(tmp_path / "a.pdf", PdfPage(show(first, y=120) + show(second, y=98)))
    assert read(file).text == expected


def test_spaces_that_were_made_up_have_no_box_and_line_ends_no_trailing_space(tmp_path: Path, read: ReadFile) -> None:
    file = write(tmp_path / "a.pdf", PdfPage(show("one ", y=120) + show("two", x=120, y=120) + show("  three  ", y=60)))
    outcome = read(file)
    assert outcome.text == "one two\nthree"
    values = struct.unpack(f"<{4 * len(outcome.text)}f", outcome.page.boxes)
    assert math.isnan(values[4 * outcome.text.index("\n")])


def test_text_off_the_visible_page_is_not_read(tmp_path: Path, read: ReadFile) -> None:
    content = show("Inside", x=110, y=100) + show("Outside", x=20, y=20)
    outcome = read(write(tmp_path / "a.pdf", PdfPage(content, crop=(100, 80, 250, 150))))
    assert outcome.text == "Inside"
    assert (outcome.page.width, outcome.page.height) == (150, 70)


ALL_SHAPES = [(rotate, crop) for rotate in (0, 90, 180, 270) for crop in (None, (100.0, 50.0, 280.0, 190.0))]


@pytest.mark.parametrize(("rotate", "crop"), ALL_SHAPES)
def test_boxes_lie_on_the_ink_of_the_drawn_page(
    tmp_path: Path, read: ReadFile, reader: Reader, rotate: int, crop: tuple[float, float, float, float] | None
) -> None:
    content = show("HM", x=150, y=120) + show("W", x=220, y=70)
    file = write(tmp_path / "a.pdf", PdfPage(content, crop=crop, rotate=rotate))
    outcome = read(file)
    assert outcome.text.replace("\n", " ") in ("HM W", "W HM")
    assert_boxes_hold_the_ink(outcome, reader, file)


def assert_boxes_hold_the_ink(outcome: Outcome, reader: Reader, file: Path) -> None:
    """Each character's box has ink, and there is none outside all boxes."""
    drawn = reader.render(file, file.name, 1, SCALE)
    dark = np.frombuffer(drawn.pixels, np.uint8).reshape(drawn.height, drawn.width, 3).min(axis=2) < 128
    covered = np.zeros_like(dark)
    for x0, y0, x1, y1 in unpack_boxes(outcome.page.boxes, 0, len(outcome.text)):
        window = np.s_[int(y0 * SCALE) : math.ceil(y1 * SCALE) + 1, int(x0 * SCALE) : math.ceil(x1 * SCALE) + 1]
        assert dark[window].any(), "a box without ink"
        covered[window] = True
    assert not (dark & ~covered).any(), "ink outside the boxes"


def test_a_page_without_text_is_listed_with_the_reason(tmp_path: Path, read: ReadFile) -> None:
    pages = [
        PdfPage(show("Text")),
        PdfPage("q 100 0 0 100 0 0 cm /Im Do Q"),
        PdfPage("0 0 m 50 50 l S"),
        PdfPage(""),
        PdfPage(show("Far away", x=900)),
    ]
    outcome = read(write(tmp_path / "a.pdf", *pages))
    assert outcome.states == [PageState.TEXT] + [PageState.EMPTY] * 4
    for one, reason in zip(outcome.read, ("", "recognised", "recognised", "nothing", "outside"), strict=True):
        assert reason in one.problem and bool(reason) == bool(one.problem)


@pytest.mark.parametrize("meaning", ["\ue123", "\ufffd", "犃", "\x01"])
def test_a_page_whose_characters_can_not_be_told_is_read_from_its_picture(
    tmp_path: Path, read: ReadFile, meaning: str
) -> None:
    letters = "ABCDEFGHIJKLMNOPQRST"
    mapped = {letter: chr(ord(meaning) + i if meaning != "\ufffd" else 0xFFFD) for i, letter in enumerate(letters)}
    if meaning == "\x01":
        mapped = dict.fromkeys(letters, "\x01")
    outcome = read(write(tmp_path / "a.pdf", PdfPage(show_mapped(letters)), mapped=mapped))
    assert outcome.states == [PageState.OCR]
    assert outcome.text == letters
    assert "from the picture" in outcome.read[0].problem
    assert (outcome.page.confidence or 0) > 0.9
    (box,) = span_boxes(outcome.page.boxes, 0, len(letters))
    assert box[0] == pytest.approx(20, abs=3) and box[1] == pytest.approx(84, abs=6)


def encrypted(path: Path, user: str, owner: str = "owner") -> Path:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_bytes([PdfPage(show("Secret text"))])))
    writer.encrypt(user_password=user, owner_password=owner, algorithm="RC4-128")
    writer.write(path)
    return path


def test_a_protected_file_asks_for_its_password_and_opens_with_it(
    tmp_path: Path, read: ReadFile, reader: Reader
) -> None:
    file = encrypted(tmp_path / "a.pdf", "geheim")
    with pytest.raises(PasswordNeeded, match="password"):
        read(file)
    with pytest.raises(PasswordNeeded, match="does not open"):
        read(file, password="wrong")
    assert read(file, password="geheim").text == "Secret text"
    assert reader.render(file, "a.pdf", 1, 1.0, password="geheim").width == 300


def test_a_file_read_with_its_password_is_drawn_until_the_program_ends(
    tmp_path: Path, read: ReadFile, reader: Reader
) -> None:
    file = encrypted(tmp_path / "b.pdf", "geheim")
    with pytest.raises(PasswordNeeded):
        reader.render(file, "b.pdf", 1, 1.0)
    read(file, password="geheim")
    assert reader.render(file, "b.pdf", 1, 1.0).width == 300
    later = Reader(child_command("reader"), tmp_path / "logs")
    try:
        with pytest.raises(PasswordNeeded, match="protected"):
            later.render(file, "b.pdf", 1, 1.0)
    finally:
        later.close()


def test_a_file_protected_against_changes_only_opens_without_a_password(tmp_path: Path, read: ReadFile) -> None:
    assert read(encrypted(tmp_path / "a.pdf", "")).text == "Secret text"


def test_a_damaged_page_fails_alone(tmp_path: Path, read: ReadFile) -> None:
    data = pdf_bytes([PdfPage(show("One")), PdfPage(show("Two")), PdfPage(show("Three"))])
    file = tmp_path / "a.pdf"
    file.write_bytes(data.replace(b"13 0 R 15 0 R]", b"99 0 R 15 0 R]"))
    outcome = read(file)
    assert [one.page.text for one in outcome.read if one.page.state is PageState.TEXT] == ["One", "Three"]
    assert [one.page.number for one in outcome.read if one.page.state is PageState.FAILED] == [2]


def test_a_file_that_was_cut_short_is_repaired(tmp_path: Path, read: ReadFile) -> None:
    data = pdf_bytes([PdfPage(show("Rescued"))])
    file = tmp_path / "a.pdf"
    file.write_bytes(data[: data.index(b"xref")])
    assert read(file).text == "Rescued"


def test_a_file_that_claims_more_pages_than_it_has_is_read_to_its_real_end(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf_bytes([PdfPage(show("Only"))]).replace(b"/Count 1", b"/Count 19999"))
    assert [one.page.text for one in read(file).read] == ["Only"]


def test_rubbish_named_pdf_is_damaged(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(b"%PDF-1.4\n" + bytes(range(256)) * 20)
    with pytest.raises(DocumentError, match="damaged"):
        read(file)


def test_more_pages_or_text_than_allowed_is_refused(tmp_path: Path, read: ReadFile) -> None:
    file = write(tmp_path / "a.pdf", *[PdfPage(show("Some text"))] * 3)
    with pytest.raises(DocumentLimit, match="3 pages"):
        read(file, limits=ReadLimits(pages=2))
    with pytest.raises(DocumentLimit, match="too much text"):
        read(file, limits=ReadLimits(text_chars=20))


def test_a_stream_that_unpacks_to_gigabytes_ends_at_the_memory_limit(tmp_path: Path, read: ReadFile) -> None:
    tree = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>"]
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>"
    bomb = packed_stream(b" " * (1 << 20) for _ in range(500))
    file = tmp_path / "bomb.pdf"
    file.write_bytes(assemble([*tree, page, bomb], "/Root 1 0 R"))
    with pytest.raises(DocumentLimit, match="memory"):
        read(file, limits=ReadLimits(memory_bytes=250 << 20))
    assert read(write(tmp_path / "b.pdf", PdfPage(show("Next")))).text == "Next"
