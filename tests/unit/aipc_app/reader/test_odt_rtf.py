"""ODT and RTF read as the office program shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.errors import DocumentError, PasswordNeeded
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.making_office import write_odf

LIST = (
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"'
    ' style:num-suffix="、"/><text:list-level-style-number text:level="2" style:num-format="1" style:num-prefix="（"'
    ' style:num-suffix="）"/></text:list-style>'
)


@pytest.fixture
def odt(tmp_path: Path, read: ReadFile):  # type: ignore[no-untyped-def]
    return lambda body, **options: (
        read(write_odf(tmp_path / "a.odt", f"<office:text>{body}</office:text>", **options)).text
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<text:h>标题</text:h><text:p>正<text:span>文</text:span></text:p>", "标题\n\n正文"),
        ('<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d</text:p>', "a   b\tc\nd"),
        ("<text:p>a\n   b</text:p>", "a b"),
        ("<text:p>a<office:annotation><text:p>批注</text:p></office:annotation>b</text:p>", "ab"),
        ("<text:tracked-changes><text:p>删去</text:p></text:tracked-changes><text:p>留</text:p>", "留"),
        ("<text:p>甲<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>注文</text:p>"
         "</text:note-body></text:note>乙</text:p>", "甲[1]乙\n\n[1] 注文"),
        ("<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>项</text:p></table:table-cell>"
         "<table:table-cell><text:p>额</text:p></table:table-cell></table:table-row></table:table-header-rows>"
         '<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>甲</text:p></table:table-cell>'
         "<table:table-cell><text:p>1</text:p><text:p>2</text:p></table:table-cell></table:table-row><table:table-row>"
         "<table:covered-table-cell/><table:table-cell><text:p>3</text:p></table:table-cell></table:table-row>"
         "</table:table>", "项 | 额\n甲 | 1 2\n甲 | 3"),
    ],
)  # fmt: skip
def test_what_an_odt_shows(odt, body: str, expected: str) -> None:  # type: ignore[no-untyped-def]
    assert odt(body) == expected


def test_an_odt_list_has_its_numbers(odt) -> None:  # type: ignore[no-untyped-def]
    inner = "<text:list><text:list-item><text:p>子项</text:p></text:list-item></text:list>"
    body = (
        f'<text:list text:style-name="L"><text:list-item><text:p>甲</text:p>{inner}</text:list-item>'
        "<text:list-item><text:p>乙</text:p></text:list-item></text:list>"
    )
    assert odt(body, styles=LIST) == "1、 甲\n（1） 子项\n2、 乙"


def test_a_protected_odt_opens_with_its_password_only(tmp_path: Path, read: ReadFile) -> None:
    file = write_odf(tmp_path / "a.odt", "<office:text><text:p>机密</text:p></office:text>", password="密码")
    for wrong in (None, "x"):
        with pytest.raises(PasswordNeeded):
            read(file, password=wrong)
    assert read(file, password="密码").text == "机密"


@pytest.fixture
def rtf(tmp_path: Path, read: ReadFile):  # type: ignore[no-untyped-def]
    def text_of(body: bytes) -> str:
        file = tmp_path / "a.rtf"
        file.write_bytes(
            b"{\\rtf1\\ansi\\ansicpg936\\deff0{\\fonttbl{\\f0\\fcharset134 SimSun;}{\\f1 Arial;}}" + body + b"}"
        )
        return read(file).text

    return text_of


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rb"\f0\'bd\'e8\'bf\'ee\'ba\'cf\'cd\'ac\f1 ABC\par next", "借款合同ABC\nnext"),
        ("借款".encode("gbk") + rb"\par", "借款"),
        (rb"\u20511?\u27454?x", "借款x"),
        (rb"\uc2\u20511 ??y", "借y"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"a{\v hidden}b{\deleted gone}c", "abc"),
        (rb"{\pict\bin4 }}}}\'ff}a", "a"),
        (rb"{\*\unknown x}{\header h}{\footer f}a", "a"),
        (rb"{\field{\*\fldinst HYPERLINK x}{\fldrslt shown}}", "shown"),
        (rb"{\listtext\tab (1)\tab}first\par{\pntext\'b7\tab}dot", "(1) first\ndot"),
        (rb"a{\footnote\chftn  note}b", "a[1]b\n\n[1] note"),
        (rb"{\upr{old}{\*\ud{new}}}", "new"),
        (rb"{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt box\par}}{\shprslt box}}a", "box\na"),
        (rb"\trowd\cellx1\cellx2\intbl a\par b\cell c\cell\row\trowd\clvmrg\cellx1\cellx2\intbl\cell d\cell\row\pard e",
         "a b | c\na b | d\ne"),
        (rb"a\emdash b\~c\_d\{\}", "a—b\u00a0c-d{}"),
    ],
)  # fmt: skip
def test_what_an_rtf_shows(rtf, body: bytes, expected: str) -> None:  # type: ignore[no-untyped-def]
    assert rtf(body) == expected


def test_groups_without_end_are_refused(rtf) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DocumentError, match="nested"):
        rtf(b"{" * 100_000)


def test_what_follows_the_last_brace_is_not_text(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.rtf"
    file.write_bytes(b"{\\rtf1 text}\xff\xfe\x00garbage")
    assert read(file).text == "text"
