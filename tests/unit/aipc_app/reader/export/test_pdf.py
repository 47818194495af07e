"""PDF files, read back by another library."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pypdf
import pytest
from msgspec.structs import replace

from aipc_app.domain.exporting import ExportSection, Paragraph, Run
from aipc_app.reader.export import pdf_fonts
from aipc_app.reader.export.pdf import write_pdf
from aipc_app.reader.failure import ReadingError
from tests.unit.aipc_app.reader.export.plans import NOTICE, TRANSCRIPT, judge_plan, paper_plan


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> pypdf.PdfReader:
    """Long enough for notes and a table to go over pages."""
    path = tmp_path_factory.mktemp("pdf") / "judge.pdf"
    write_pdf(judge_plan(rows=30, facts=6), path)
    return pypdf.PdfReader(path)


def squeezed(page: pypdf.PageObject) -> str:
    return "".join(page.extract_text().split())


def test_the_notice_and_the_number_stand_on_every_page(judge: pypdf.PdfReader) -> None:
    assert len(judge.pages) >= 4
    for number, page in enumerate(judge.pages, 1):
        assert NOTICE in squeezed(page)
        assert f"—{number}—" in squeezed(page)


def test_each_note_stands_on_the_page_of_its_mark(judge: pypdf.PdfReader) -> None:
    """A mark's [n] and the note's own: twice on one page, nowhere else."""
    seen: Counter[str] = Counter()
    total = 2 * 6 + 30 + 15
    for page in judge.pages:
        text = squeezed(page)
        here = [number for number in range(1, total + 1) if f"[{number}]" in text]
        for number in here:
            assert text.count(f"[{number}]") == 2, number
        seen.update(map(str, here))
    assert set(seen.values()) == {1}
    assert len(seen) == total


def test_no_text_runs_into_the_notes(judge: pypdf.PdfReader) -> None:
    """The lowest line of the text lies above the highest note."""
    for page in judge.pages[1:]:
        text: list[float] = []
        notes: list[float] = []

        def visit(part: str, _cm: object, matrix: list[float], _font: object, size: float,
                  text: list[float] = text, notes: list[float] = notes) -> None:  # fmt: skip
            if part.strip() and 60 < matrix[5] < 780:
                (notes if size == 9 else text).append(matrix[5])

        page.extract_text(visitor_text=visit)
        assert not notes or min(text) > max(notes)


def test_the_fonts_are_embedded(judge: pypdf.PdfReader) -> None:
    fonts = {}
    for page in judge.pages:
        fonts |= {name: font.get_object() for name, font in page["/Resources"]["/Font"].items()}
    used = [font for font in fonts.values() if font["/Subtype"] == "/TrueType"]
    assert used
    assert all("/FontFile2" in font["/FontDescriptor"] for font in used)


def test_contents_and_bookmarks_lead_to_the_pages(judge: pypdf.PdfReader) -> None:
    titles = {item.title: judge.get_destination_page_number(item) + 1 for item in flat(judge.outline)}
    assert list(titles) == [
        "未能查明的事项", "当事人", "事实与理由", "双方无争议的事实", "利息的计算", "判决如下", "主文",
    ]  # fmt: skip
    contents = squeezed(judge.pages[0]).replace(".", "")
    assert f"{titles['利息的计算']}利息的计算{titles['判决如下']}判决如下" in contents  # numbers are drawn first
    for title, number in titles.items():
        assert title in squeezed(judge.pages[number - 1])


def flat(outline: list) -> list[pypdf.generic.Destination]:  # type: ignore[type-arg]
    found = []
    for item in outline:
        found += flat(item) if isinstance(item, list) else [item]
    return found


def test_text_of_documents_is_no_markup_and_a_long_cell_is_broken(tmp_path: Path) -> None:
    text = "<b>不是粗体</b> & <img src='http://example.com/x.png'/>"
    section = ExportSection("甲 & <乙>", (Paragraph((Run(text, notes=(TRANSCRIPT,)),)), Paragraph((Run("长" * 2500),))))
    write_pdf(replace(judge_plan(), sections=(section,)), tmp_path / "odd.pdf")
    read = pypdf.PdfReader(tmp_path / "odd.pdf")
    whole = "".join(squeezed(page) for page in read.pages)
    assert "".join(text.split()) in whole
    assert whole.count("长") == 2500


def test_an_english_document_breaks_between_words(tmp_path: Path) -> None:
    sentence = "Attention mechanisms relate positions of a sequence. " * 12
    section = ExportSection("One", (Paragraph((Run(sentence),)),))
    write_pdf(replace(paper_plan(), sections=(section,), contents=False), tmp_path / "words.pdf")
    words = pypdf.PdfReader(tmp_path / "words.pdf").pages[0].extract_text().split()
    assert Counter(words)["mechanisms"] == 12


def test_no_line_begins_with_a_comma_or_a_notes_number(tmp_path: Path) -> None:
    """For every length that a line's end can fall on."""
    blocks = tuple(
        Paragraph((Run("字" * length + "，" + "字" * 20, notes=(TRANSCRIPT,)), Run("。又一句")))
        for length in range(1, 40)
    )
    write_pdf(replace(judge_plan(), sections=(ExportSection("一", blocks),), contents=False), tmp_path / "lines.pdf")
    lines = [line.strip() for page in pypdf.PdfReader(tmp_path / "lines.pdf").pages
             for line in page.extract_text().splitlines()]
    body = [line for line in lines if "字" in line or line.startswith(("，", "。"))]
    assert len(body) > 60
    assert not [line for line in body if line.startswith(("，", "。"))]


def test_characters_that_no_font_has_are_shown_as_boxes(tmp_path: Path) -> None:
    section = ExportSection("One", (Paragraph((Run("a\U000f0000b"),)),))
    write_pdf(replace(paper_plan(), sections=(section,)), tmp_path / "odd.pdf")
    assert "a□b" in "".join(page.extract_text() for page in pypdf.PdfReader(tmp_path / "odd.pdf").pages)


def test_without_a_chinese_font_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_fonts, "chinese_font", lambda sans: None)
    with pytest.raises(ReadingError, match="no font with Chinese characters"):
        write_pdf(paper_plan(), tmp_path / "none.pdf")
