"""Spreadsheets give a page for each sheet, with names, headers, rows and values as they are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.domain.documents import PageState
from aipc_app.errors import DocumentError, DocumentLimit
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.making_office import number_cell, row, text_cell, write_odf, write_xlsx, write_zip


def data(*rows: str, merges: str = "") -> str:
    return f"<sheetData>{''.join(rows)}</sheetData>{merges}"


def test_a_sheet_is_a_page_that_begins_with_its_name(tmp_path: Path, read: ReadFile) -> None:
    first = data(
        row(1, text_cell("A1", "借款人"), text_cell("B1", "金额")),
        row(2, text_cell("A2", "张三"), number_cell("B2", 5)),
    )
    outcome = read(write_xlsx(tmp_path / "a.xlsx", {"台账": first, "空表": data()}))
    assert outcome.read[0].page.text == "台账\n\n借款人 | 金额\n张三 | 5"
    assert outcome.states == [PageState.TEXT, PageState.EMPTY]


def test_values_are_shown_by_their_formats(tmp_path: Path, read: ReadFile) -> None:
    sheet = data(
        row(
            1,
            number_cell("A1", 0.125, 1),
            number_cell("B1", 45291, 2),
            number_cell("C1", 1234567.5, 3),
            number_cell("D1", 0.1),
        )
    )
    file = write_xlsx(tmp_path / "a.xlsx", {"S": sheet}, formats=["0.0%", 'yyyy"年"m"月"d"日"', "#,##0.00"])
    assert read(file).text == "S\n\n12.5% | 2023年12月31日 | 1,234,567.50 | 0.1"


def test_a_formula_gives_its_value_and_without_one_itself(tmp_path: Path, read: ReadFile) -> None:
    cells = (
        '<c r="A1"><f>SUM(B1:B9)</f><v>42</v></c><c r="B1"><f>SUM(C1:C9)</f></c>'
        '<c r="C1" t="str"><f>A1</f><v>文字</v></c>'
    )
    assert read(write_xlsx(tmp_path / "a.xlsx", {"S": data(row(1, cells))})).text == "S\n\n42 | =SUM(C1:C9) | 文字"


def test_strings_are_joined_of_their_runs_without_pronunciation(tmp_path: Path, read: ReadFile) -> None:
    strings = ["<r><t>东</t></r><r><t>京</t></r><rPh><t>とうきょう</t></rPh>", "<t>合同</t>"]
    sheet = data(row(1, '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>9</v></c>'))
    assert read(write_xlsx(tmp_path / "a.xlsx", {"S": sheet}, strings=strings)).text == "S\n\n东京 | 合同"


def test_merged_cells_say_their_text_in_each_row_and_titles_once(tmp_path: Path, read: ReadFile) -> None:
    rows = (
        row(1, text_cell("A1", "2023年贷款明细")),
        row(2, text_cell("A2", "部门"), text_cell("B2", "一季度"), text_cell("D2", "备注")),
        row(3, text_cell("A3", "信贷部"), text_cell("B3", "收入"), text_cell("C3", "支出")),
        row(4, text_cell("B4", "1"), text_cell("C4", "2"), text_cell("D4", "x")),
    )
    merges = '<mergeCells><mergeCell ref="A1:D1"/><mergeCell ref="B2:C2"/><mergeCell ref="A3:A4"/></mergeCells>'
    assert read(write_xlsx(tmp_path / "a.xlsx", {"S": data(*rows, merges=merges)})).text == (
        "S\n\n2023年贷款明细\n部门 | 一季度 | 一季度 | 备注\n信贷部 | 收入 | 支出\n信贷部 | 1 | 2 | x"
    )


def test_empty_columns_go_and_empty_rows_part_tables(tmp_path: Path, read: ReadFile) -> None:
    rows = (
        row(1, text_cell("B1", "a"), text_cell("D1", "b")),
        row(2, text_cell("D2", "c")),
        row(9, text_cell("B9", "d")),
    )
    assert read(write_xlsx(tmp_path / "a.xlsx", {"S": data(*rows)})).text == "S\n\na | b\n| c\n\nd"


def test_hidden_sheets_and_rows_are_read(tmp_path: Path, read: ReadFile) -> None:
    sheet = data('<row r="1" hidden="1"><c r="A1" t="inlineStr"><is><t>筛掉的行</t></is></c></row>')
    assert "筛掉的行" in read(write_xlsx(tmp_path / "a.xlsx", {"S": sheet})).text


def test_a_sheet_of_too_much_text_ends_at_the_limit(tmp_path: Path, read: ReadFile) -> None:
    from aipc_app.domain.reader_wire import ReadLimits

    rows = (row(n, text_cell(f"A{n}", "长" * 1000)) for n in range(1, 200))
    with pytest.raises(DocumentLimit):
        read(write_xlsx(tmp_path / "a.xlsx", {"S": data(*rows)}), limits=ReadLimits(text_chars=50_000))


def test_an_entity_bomb_is_a_damaged_file(tmp_path: Path, read: ReadFile) -> None:
    bomb = (
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
        "<worksheet><sheetData><row><c><v>&b;</v></c></row></sheetData></worksheet>"
    )
    file = write_xlsx(tmp_path / "a.xlsx", {"S": data()})
    import zipfile

    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    write_zip(file, parts | {"xl/worksheets/sheet1.xml": bomb.encode()})
    with pytest.raises(DocumentError, match="damaged"):
        read(file)


def test_an_ods_sheet_is_read_as_it_is_shown(tmp_path: Path, read: ReadFile) -> None:
    def cell(text: str) -> str:
        return f"<table:table-cell><text:p>{text}</text:p></table:table-cell>"

    def gap(columns: int) -> str:
        return f'<table:table-cell table:number-columns-repeated="{columns}"/>'

    def lines(repeated: int, cells: str) -> str:
        return f'<table:table-row table:number-rows-repeated="{repeated}">{cells}</table:table-row>'

    rows = lines(1, cell("期限") + gap(2) + cell("年利率")) + lines(2, gap(3) + cell("50%")) + lines(10**6, gap(16_000))
    table = f'<table:table table:name="利率">{rows}</table:table>'
    file = write_odf(tmp_path / "a.ods", f"<office:spreadsheet>{table}</office:spreadsheet>")
    assert read(file).text == "利率\n\n期限 | 年利率\n| 50%\n| 50%"


def test_an_xls_that_is_a_web_page_a_table_or_excels_xml_is_read(tmp_path: Path, read: ReadFile) -> None:
    page, plain, xml = tmp_path / "a.xls", tmp_path / "b.xls", tmp_path / "c.xls"
    page.write_bytes("<html><meta charset=gb2312><table><tr><td>账号<td>余额</table>".encode("gbk"))
    plain.write_bytes("账号\t余额\n001\t12.50\n".encode("gb18030"))
    xml.write_text(
        '<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
        ' xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet ss:Name="流水"><Table><Row>'
        '<Cell ss:MergeAcross="1"><Data ss:Type="String">标题</Data></Cell></Row><Row><Cell ss:Index="2">'
        '<Data ss:Type="Number">5</Data></Cell></Row><Row><Cell><Data ss:Type="String">甲</Data></Cell></Row>'
        "</Table></Worksheet></Workbook>",
        encoding="utf-8",
    )
    assert read(page).text == "账号 | 余额"
    assert read(plain).text == "账号 | 余额\n001 | 12.50"
    assert read(xml).text == "流水\n\n标题\n| 5\n甲"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.csv", "姓名,金额\n张三,\"1,000\"\n", "姓名 | 金额\n张三 | 1,000"),
        ("a.csv", "姓名;金额\n张三;1,5\n李四;2,5\n", "姓名 | 金额\n张三 | 1,5\n李四 | 2,5"),
        ("a.csv", "sep=|\na|b\n", "a | b"),
        ("a.csv", 'a,b\n="001","两行\n文字"\n', "a | b\n001 | 两行 文字"),
        ("a.tsv", "甲,乙\t丙\n", "甲,乙 | 丙"),
        ("a.csv", "只有一列\n第二行\n", "只有一列\n第二行"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "utf-16"])
def test_a_csv_in_any_encoding_keeps_its_rows(
    tmp_path: Path, read: ReadFile, name: str, data: str, expected: str, charset: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data.encode(charset))
    assert read(file).text == expected


def test_a_big5_csv_is_detected_and_says_so(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes("原告,被告\n臺灣銀行股份有限公司,陳先生\n請求給付借款新臺幣一百萬元及其利息,駁回\n".encode("big5"))
    outcome = read(file)
    assert "臺灣銀行股份有限公司 | 陳先生" in outcome.text
    assert outcome.end.encoding == "big5hkscs"


def test_a_quotation_without_end_is_told(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.csv"
    file.write_text('a,"' + "b" * 11_000_000, encoding="utf-8")
    with pytest.raises(DocumentError, match="quotation marks"):
        read(file)
