"""Workbooks, read back."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from openpyxl import load_workbook

from aipc_app.domain.exporting import Cell, ExportSection, Run, Table
from aipc_app.reader.export.xlsx import write_xlsx
from tests.unit.aipc_app.reader.export.plans import NOTICE, judge_plan


@pytest.fixture
def judge(tmp_path: Path) -> Path:
    write_xlsx(judge_plan(), tmp_path / "judge.xlsx")
    return tmp_path / "judge.xlsx"


def test_a_sheet_for_each_section_with_the_notice_on_each_page(judge: Path) -> None:
    book = load_workbook(judge)
    assert book.sheetnames[1:] == ["未能查明的事项", "当事人", "事实与理由", "判决如下", "出处"]
    assert {sheet.oddHeader.center.text for sheet in book} == {NOTICE}


def test_figures_are_numbers_and_keep_their_sources(judge: Path) -> None:
    sheet = load_workbook(judge)["事实与理由"]
    amounts = [cell for row in sheet for cell in row if isinstance(cell.value, float)]
    assert [cell.value for cell in amounts] == [15123.29] * 3
    assert {cell.number_format for cell in amounts} == {'#,##0.00##" [1]"'}
    assert {cell.hyperlink.location for cell in amounts} == {"'出处'!A2"}


def test_the_sources_are_listed_once_each(judge: Path) -> None:
    rows = [[cell.value for cell in row] for row in load_workbook(judge)["出处"]]
    assert rows == [
        ["序号", "文件", "页码", "原文"],
        [1, "03_借款合同.pdf", "1", "借款本金为人民币伍拾万元整（￥500,000元）"],
        [2, "06_庭审笔录.pdf", "3", "利息先扣了两万，实际到账四十八万。"],
    ]


def test_a_formula_in_a_document_stays_text(tmp_path: Path) -> None:
    evil = '=HYPERLINK("http://example.com","x")'
    table = Table((evil,), ((Cell((Run(evil),)),), (Cell((Run("+1+1"),)),)))
    plan = replace(judge_plan(), sections=(ExportSection(evil, (table,)),))
    write_xlsx(plan, tmp_path / "evil.xlsx")
    cells = [cell for sheet in load_workbook(tmp_path / "evil.xlsx") for row in sheet for cell in row if cell.value]
    assert sum(cell.value == evil for cell in cells) == 4
    assert {cell.data_type for cell in cells} == {"s"}


def test_names_that_excel_refuses_are_changed(tmp_path: Path) -> None:
    titles = ("a/b:c*?[d]", "x" * 40, "x" * 41, "'", "出处", "History\x07")
    plan = replace(judge_plan(), sections=tuple(ExportSection(title) for title in titles))
    write_xlsx(plan, tmp_path / "names.xlsx")
    names = load_workbook(tmp_path / "names.xlsx").sheetnames
    assert names[1:] == ["a b c d", "x" * 31, "x" * 27 + " (2)", "-", "出处", "History"]
