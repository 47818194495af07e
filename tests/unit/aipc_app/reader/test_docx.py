"""DOCX text comes out as Word shows it with all changes accepted."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import pytest

from aipc_app.domain.documents import PageState
from aipc_app.errors import DocumentError, DocumentLimit, UnsupportedFormat
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.making import paragraph, write_docx


def run(text: str, tag: str = "t") -> str:
    return f'<w:r><w:{tag} xml:space="preserve">{text}</w:{tag}></w:r>'


def test_a_document_of_python_docx_reads_in_body_order(tmp_path: Path, read: ReadFile) -> None:
    document = docx.Document()
    document.core_properties.title = "借款合同"
    document.add_heading("第一章 总则", 1)
    document.add_paragraph("甲方：张三")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("项目", "金额", "本金", "500,000元"), strict=True):
        cell.text = text
    document.add_paragraph("乙方：李四")
    document.sections[0].header.paragraphs[0].text = "页眉不算"
    file = tmp_path / "a.docx"
    document.save(str(file))
    outcome = read(file)
    assert outcome.text == "第一章 总则\n\n甲方：张三\n\n项目 | 金额\n本金 | 500,000元\n\n乙方：李四"
    assert (outcome.page.state, outcome.page.boxes, outcome.opened.has_layout) == (PageState.TEXT, b"", False)
    assert outcome.end.title == "借款合同"


def test_inserted_text_is_kept_and_deleted_text_left_out(tmp_path: Path, read: ReadFile) -> None:
    runs = (
        run("利率为")
        + f'<w:del w:id="1">{run("百分之十", "delText")}</w:del>'
        + f'<w:ins w:id="2">{run("百分之八")}</w:ins>'
        + f'<w:moveFrom w:id="3">{run("旧处")}</w:moveFrom>'
        + f'<w:moveTo w:id="4">{run("。")}</w:moveTo>'
    )
    assert read(write_docx(tmp_path / "a.docx", paragraph(runs=runs))).text == "利率为百分之八。"


def test_a_deleted_paragraph_mark_joins_two_paragraphs(tmp_path: Path, read: ReadFile) -> None:
    body = paragraph("前半", "<w:rPr><w:del/></w:rPr>") + paragraph("后半")
    assert read(write_docx(tmp_path / "a.docx", body)).text == "前半后半"


def test_of_a_field_only_the_result_is_text(tmp_path: Path, read: ReadFile) -> None:
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = mark("begin") + run(" REF x ", "instrText") + run("不显示") + mark("separate")
    runs = run("见第") + code + run("3") + mark("end") + run("页")
    assert read(write_docx(tmp_path / "a.docx", paragraph(runs=runs))).text == "见第3页"


def test_hidden_text_is_left_out_as_word_does_not_print_it(tmp_path: Path, read: ReadFile) -> None:
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>秘密</w:t></w:r>"
    assert read(write_docx(tmp_path / "a.docx", paragraph(runs=run("公开") + hidden))).text == "公开"


def test_a_text_box_is_read_once_although_it_is_stored_twice(tmp_path: Path, read: ReadFile) -> None:
    box = f"<w:txbxContent>{paragraph('框内')}</w:txbxContent>"
    mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    forms = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    twice = f"<w:r><mc:AlternateContent {mc}>{forms}</mc:AlternateContent></w:r>"
    assert read(write_docx(tmp_path / "a.docx", paragraph(runs=run("框外") + twice))).text == "框外\n框内"


def test_footnotes_come_at_the_end_with_their_marks(tmp_path: Path, read: ReadFile) -> None:
    runs = run("本金") + '<w:r><w:footnoteReference w:id="7"/></w:r>' + run("已还")
    unused = f'<w:footnote w:id="0">{paragraph("分隔线")}</w:footnote>'
    footnote = f'<w:footnote w:id="7">{paragraph("不含利息")}</w:footnote>'
    file = write_docx(tmp_path / "a.docx", paragraph(runs=runs), footnotes=unused + footnote)
    assert read(file).text == "本金[1]已还\n[1] 不含利息"


def level(number: int, number_format: str, text: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="1"/><w:numFmt w:val="{number_format}"/>'
        f'<w:lvlText w:val="{text}"/>{more}</w:lvl>'
    )


NUMBERING = (
    '<w:abstractNum w:abstractNumId="1">'
    + level(0, "chineseCountingThousand", "第%1条")
    + level(1, "decimal", "（%2）")
    + level(2, "lowerLetter", "%1.%2.%3)", "<w:isLgl/>")
    + "</w:abstractNum>"
    '<w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="6"><w:abstractNumId w:val="1"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="20"/></w:lvlOverride></w:num>'
)


def numbered(text: str, level: int, number: int = 5) -> str:
    return paragraph(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def test_automatic_numbers_are_text_as_word_shows_it(tmp_path: Path, read: ReadFile) -> None:
    body = (
        numbered("总则", 0)
        + numbered("甲", 1)
        + numbered("乙", 1)
        + numbered("细项", 2)
        + numbered("期限", 0)
        + numbered("重新起算", 1)
        + numbered("另起", 0, number=6)
        + numbered("接着", 0, number=6)
    )
    text = read(write_docx(tmp_path / "a.docx", body, numbering=NUMBERING)).text
    assert text.splitlines() == [
        *("第一条总则", "（1）甲", "（2）乙", "1.2.1) 细项", "第二条期限", "（1）重新起算"),
        *("第二十条另起", "第二十一条接着"),
    ]


def test_a_style_can_bring_the_number_and_make_a_heading(tmp_path: Path, read: ReadFile) -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="B"><w:name w:val="base"/>'
        '<w:pPr><w:numPr><w:numId w:val="5"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="A"><w:name w:val="mine"/><w:basedOn w:val="B"/></w:style>'
    )
    body = paragraph("总则", '<w:pStyle w:val="A"/>') + paragraph("正文")
    file = write_docx(tmp_path / "a.docx", body, styles=styles, numbering=NUMBERING)
    assert read(file).text == "第一条总则\n\n正文"


def test_merged_and_nested_cells_keep_their_text_in_the_row(tmp_path: Path, read: ReadFile) -> None:
    inner = f"<w:tbl><w:tr><w:tc>{paragraph('x')}</w:tc><w:tc>{paragraph('y')}</w:tc></w:tr></w:tbl>"
    row = f"<w:tr><w:tc>{paragraph('a')}{paragraph('b')}</w:tc><w:tc>{inner}</w:tc></w:tr>"
    single = f"<w:tr><w:tc>{paragraph('第一段')}{paragraph('第二段')}</w:tc></w:tr>"
    assert read(write_docx(tmp_path / "a.docx", f"<w:tbl>{row}{single}</w:tbl>")).text == "a b | x | y\n第一段\n第二段"


def test_a_picture_only_document_is_empty_with_a_reason(tmp_path: Path, read: ReadFile) -> None:
    outcome = read(write_docx(tmp_path / "a.docx", paragraph("")))
    assert outcome.states == [PageState.EMPTY]
    assert outcome.read[0].problem


def test_entities_are_never_expanded(tmp_path: Path, read: ReadFile) -> None:
    file = write_docx(tmp_path / "a.docx", paragraph("x"))
    entity = '<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
    evil = f'{entity}<w:document xmlns:w="w"><w:body>&e;</w:body></w:document>'
    rewrite(file, {"word/document.xml": evil.encode()})
    with pytest.raises(DocumentError, match="damaged"):
        read(file)


def test_a_zip_bomb_is_not_opened(tmp_path: Path, read: ReadFile) -> None:
    file = write_docx(tmp_path / "a.docx", paragraph("x"))
    rewrite(file, {"word/media/image1.png": bytes(64 << 20)})
    with pytest.raises(DocumentLimit, match="unpacks"):
        read(file)


def test_absurd_nesting_is_refused(tmp_path: Path, read: ReadFile) -> None:
    body = "<w:tbl><w:tr><w:tc>" * 60 + paragraph("x") + "</w:tc></w:tr></w:tbl>" * 60
    with pytest.raises(DocumentError, match="nested"):
        read(write_docx(tmp_path / "a.docx", body))


def test_what_is_not_a_docx_is_said_so(tmp_path: Path, read: ReadFile) -> None:
    not_zip, other_zip, cut, ole = (tmp_path / f"{n}.docx" for n in "abcd")
    not_zip.write_bytes(b"plain text")
    with zipfile.ZipFile(other_zip, "w") as archive:
        archive.writestr("readme.txt", "x")
    cut.write_bytes(write_docx(tmp_path / "whole.docx", paragraph("x" * 5000)).read_bytes()[:-300])
    ole.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000) + "EncryptedPackage".encode("utf-16-le"))
    for file in (not_zip, other_zip, cut, ole):
        with pytest.raises(DocumentError, match="damaged") as caught:
            read(file)
        assert not isinstance(caught.value, UnsupportedFormat)


def test_a_macro_enabled_document_is_read_and_its_macros_are_not(tmp_path: Path, read: ReadFile) -> None:
    file = write_docx(tmp_path / "a.docm", paragraph("正文"))
    rewrite(file, {"word/vbaProject.bin": b"Sub AutoOpen()"})
    assert read(file).text == "正文"


def rewrite(file: Path, members: dict[str, bytes]) -> None:
    """Put members into a zip, in place of those of the same name."""
    with zipfile.ZipFile(io.BytesIO(file.read_bytes())) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if name not in members:
                new.writestr(name, old.read(name))
        for name, data in members.items():
            new.writestr(name, data)
