"""Plain text in the encodings people have, and Markdown as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.domain.documents import PageState
from aipc_app.errors import UnsupportedFormat
from aipc_app.reader.convert.encoding import decode
from tests.unit.aipc_app.reader.conftest import ReadFile

SIMPLIFIED = "原告张三诉被告李四民间借贷纠纷一案，借款人民币500,000元，年利率8%。\n双方于2021年3月5日签订借款合同。"
TRADITIONAL = "原告張三訴被告李四民間借貸糾紛一案，借款新臺幣500,000元，年利率8%。\n雙方於民國110年3月5日簽訂借款契約。"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SIMPLIFIED, "utf-8"), (SIMPLIFIED, "utf-8-sig"), (SIMPLIFIED, "gbk"), (SIMPLIFIED, "gb18030"),
        (SIMPLIFIED, "utf-16"), (SIMPLIFIED + "\nEND OF FILE, ALL ASCII HERE", "utf-16-le"),
        (TRADITIONAL, "big5"), (TRADITIONAL, "utf-8"), (SIMPLIFIED[:14], "gbk"), (TRADITIONAL[:14], "big5"),
        ("Le contrat a été signé à Besançon, en présence du maître d’œuvre.", "cp1252"),
        ("Die Prüfung der Bürgschaft läßt Fragen offen; größere Beträge fehlen.", "cp1252"),
        ("Истец обратился в суд с иском о взыскании задолженности по договору займа.", "cp1251"),
        ("원고는 피고에게 금 5천만원을 대여하였다. 변제기는 2021년 3월 5일이다.", "euc_kr"),
        ("原告は被告に対し、金五百万円を貸し付けた。弁済期は令和三年三月五日とする。", "shift_jis"),
        ("plain ASCII only", "ascii"),
    ],
)  # fmt: skip
def test_the_encoding_is_found(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    assert decode(data).text.lstrip("\ufeff") == text


def test_one_broken_byte_does_not_make_utf8_something_else() -> None:
    data = bytearray((SIMPLIFIED * 20).encode())
    data[100:101] = b"\xff"
    assert decode(bytes(data)).text.count("原告张三") == 20


def test_binary_named_txt_is_unsupported(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(UnsupportedFormat, match="holds none"):
        read(file)


def test_line_ends_and_trailing_spaces_are_made_plain(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes("一 \r\n二\r三\u2028四\t\n\n\n\n五\x00\n".encode())
    outcome = read(file)
    assert outcome.text == "一\n二\n三\n四\n\n五"
    assert outcome.states == [PageState.TEXT]


def test_markdown_is_stored_as_written(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.md"
    file.write_text("# 标题\n\n\n两空格换行  \n**粗**\n", encoding="utf-8")
    assert read(file).text == "# 标题\n\n\n两空格换行  \n**粗**"


def test_text_of_unknown_encoding_is_garbled_with_advice(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.txt"
    file.write_text("\ufffd" * 30 + "abc", encoding="utf-8")
    outcome = read(file)
    assert outcome.states == [PageState.GARBLED]
    assert "UTF-8" in outcome.read[0].problem
