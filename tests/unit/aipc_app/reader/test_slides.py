"""Slides give a page each: titles first, then reading order, tables as rows, notes at the end."""

from __future__ import annotations

from pathlib import Path

from aipc_app.domain.documents import PageState
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.making_office import shape, write_odf, write_pptx

ROW = 400_000  # of EMU: far enough apart to be below each other


def test_a_slide_is_a_page_in_reading_order(tmp_path: Path, read: ReadFile) -> None:
    slide = (
        shape("右栏", x=5_000_000, y=ROW) + shape("左栏", x=0, y=ROW + 1) + shape("页脚", kind="ftr")
        + shape("标题", y=9 * ROW, kind="title")
    )  # fmt: skip
    outcome = read(write_pptx(tmp_path / "a.pptx", [slide, ""]))
    assert outcome.read[0].page.text == "标题\n\n左栏\n\n右栏"
    assert outcome.states == [PageState.TEXT, PageState.EMPTY]


def test_notes_come_after_the_slide_and_say_so(tmp_path: Path, read: ReadFile) -> None:
    file = write_pptx(tmp_path / "a.pptx", [shape("正文"), shape("二")], {1: "讲稿\n第二行"})
    assert read(file).read[0].page.text == "正文\n\n备注 / Notes:\n讲稿\n第二行"


def test_a_table_on_a_slide_keeps_rows_and_headers(tmp_path: Path, read: ReadFile) -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    over, under = cell("本金", "rowSpan='2'"), cell("", "vMerge='1'")
    rows = f"<a:tr>{cell('项目')}{cell('金额')}</a:tr><a:tr>{over}{cell('1')}</a:tr><a:tr>{under}{cell('2')}</a:tr>"
    table = f"<a:graphic><a:graphicData><a:tbl>{rows}</a:tbl></a:graphicData></a:graphic>"
    frame = f"<p:graphicFrame>{table}</p:graphicFrame>"
    assert read(write_pptx(tmp_path / "a.pptx", [frame])).text == "项目 | 金额\n本金 | 1\n本金 | 2"


def test_groups_and_breaks_are_read(tmp_path: Path, read: ReadFile) -> None:
    lines = "<a:p><a:r><a:t>一</a:t></a:r><a:br/><a:r><a:t>二</a:t></a:r></a:p>"
    group = f"<p:grpSp><p:sp><p:txBody>{lines}</p:txBody></p:sp></p:grpSp>"
    assert read(write_pptx(tmp_path / "a.pptx", [group])).text == "一\n二"


def test_an_odp_is_read_by_slides_with_notes(tmp_path: Path, read: ReadFile) -> None:
    page = (
        "<draw:page><draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
        "<presentation:notes><draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
        "</presentation:notes></draw:page>"
    )
    body = f"<office:presentation>{page.format('第一页', '备注一')}{page.format('第二页', '')}</office:presentation>"
    outcome = read(write_odf(tmp_path / "a.odp", body))
    assert [one.page.text for one in outcome.read] == ["第一页\n\n备注 / Notes:\n备注一", "第二页"]
