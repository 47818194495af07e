"""Mail: headers and body on page 1 in any charset, attachments and nested messages as files of their own."""

from __future__ import annotations

import base64
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from aipc_app.domain.reader_wire import MemberFound
from aipc_app.errors import DocumentError
from tests.unit.aipc_app.reader.conftest import Outcome, ReadFile


class Mail:
    """What reading gave, and the files that came out by name."""

    def __init__(self, outcome: Outcome, found: list[MemberFound]) -> None:
        self.outcome, self.text = outcome, outcome.text
        self.files = {one.name: Path(one.path).read_bytes() for one in found if one.path}


ReadMail = Callable[..., Mail]


@pytest.fixture
def mail(tmp_path: Path, read: ReadFile) -> ReadMail:
    def read_mail(data: bytes, name: str = "a.eml") -> Mail:
        file, folder, found = tmp_path / name, tmp_path / "work", list[MemberFound]()
        file.write_bytes(data)
        folder.mkdir(exist_ok=True)
        return Mail(read(file, work_folder=folder, on_member=found.append), found)

    return read_mail


def test_headers_come_first_then_the_body(mail: ReadMail) -> None:
    data = (
        "From: =?gb2312?B?1cXI/Q==?= <a@x>\r\nTo: b@x\r\nDate: Mon, 2 Mar 2026 10:00:00 +0800\r\n"
        "Subject: =?utf-8?Q?=E5=80=9F=E6=AC=BE?=\r\n\r\n正文\r\n"
    )
    assert mail(data.encode()).text == (
        "From: 张三 <a@x>\nTo: b@x\nDate: Mon, 2 Mar 2026 10:00:00 +0800\nSubject: 借款\n\n正文"
    )


@pytest.mark.parametrize(
    ("charset", "codec", "text"),
    [
        ("gb2312", "gb18030", "镕基朱，请查收借款合同"),
        ("GBK", "gbk", "请查收借款合同"),
        ("big5", "big5", "請查收借款契約書"),
        ("iso-2022-jp", "iso-2022-jp", "契約書を送ります"),
        ("hz-gb-2312", "hz", "请查收借款合同"),
        ("utf-16", "utf-16", "请查收借款合同"),
        ("nonsense", "gb18030", "请查收借款合同，并按照法律的规定向人民法院起诉"),
    ],
)
def test_a_body_in_any_charset(mail: ReadMail, charset: str, codec: str, text: str) -> None:
    body = base64.b64encode(text.encode(codec))
    head = f"Subject: x\r\nContent-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    assert mail(head.encode() + body).text == f"Subject: x\n\n{text}"


def test_raw_chinese_in_a_header_and_characters_split_between_words(mail: ReadMail) -> None:
    raw = "Subject: 关于借款合同纠纷一案的函\r\n\r\nx".encode("gb18030")
    assert "关于借款合同纠纷一案的函" in mail(raw).text
    halves = base64.b64encode("合同".encode("gbk")[:3]).decode(), base64.b64encode("合同".encode("gbk")[3:]).decode()
    split = f"Subject: =?gbk?B?{halves[0]}?=\r\n =?gbk?B?{halves[1]}?=\r\n\r\nx"
    assert mail(split.encode()).text.startswith("Subject: 合同")


def test_of_two_forms_the_plain_one_unless_it_lacks_the_table(mail: ReadMail) -> None:
    message = EmailMessage()
    message.set_content("纯文本的内容在这里")
    message.add_alternative("<p>网页的内容在这里</p>", subtype="html")
    assert mail(message.as_bytes()).text == "纯文本的内容在这里"
    message = EmailMessage()
    message.set_content("户名 金额 甲 1 乙 2，详见表格")
    message.add_alternative("<table><tr><td>户名<td>金额<tr><td>甲<td>1<tr><td>乙<td>2</table>", subtype="html")
    assert mail(message.as_bytes()).text == "户名 | 金额\n甲 | 1\n乙 | 2"


def test_attachments_keep_their_names_and_bytes(mail: ReadMail) -> None:
    message = EmailMessage()
    message.set_content("见附件")
    message.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="证据/一.pdf")
    message.add_attachment(b"two", maintype="application", subtype="pdf", filename="证据/一.pdf")
    message.add_attachment("文字附件", filename="说明.txt")
    found = mail(message.as_bytes())
    assert found.files["证据_一.pdf"] == b"%PDF-" and found.files["证据_一 (2).pdf"] == b"two"
    assert "Attachments: 证据_一.pdf, 证据_一 (2).pdf, 说明.txt" in found.text
    assert "文字附件" not in found.text


def test_a_nested_message_is_a_file_and_logos_are_not(mail: ReadMail) -> None:
    inner = EmailMessage()
    inner["Subject"] = "内层"
    inner.set_content("内层正文")
    message = EmailMessage()
    message.set_content("<img src='cid:a'>外层", subtype="html")
    message.add_related(b"\x89PNG tiny", maintype="image", subtype="png", cid="<a>")
    message.make_mixed()
    message.add_attachment(inner)
    found = mail(message.as_bytes())
    assert list(found.files) == ["内层.eml"]
    assert "内层正文" not in found.text and mail(found.files["内层.eml"]).text.endswith("内层正文")


def test_uuencoded_files_in_the_text_are_attachments(mail: ReadMail) -> None:
    import binascii

    line = binascii.b2a_uu(b"hello world").decode()
    found = mail(f"Subject: x\n\nbefore\nbegin 644 a.txt\n{line}`\nend\nafter\n".encode())
    assert found.files == {"a.txt": b"hello world"}
    assert found.text == "Subject: x\nAttachments: a.txt\n\nbefore\n\nafter"


def test_an_encrypted_message_says_so(mail: ReadMail) -> None:
    data = (
        b'Content-Type: multipart/encrypted; boundary="b"\n\n--b\nContent-Type: application/octet-stream\n\nx\n--b--\n'
    )
    assert "encrypted" in mail(b"Subject: x\n" + data).outcome.read[0].problem


def test_mhtml_is_read_without_mail_headers(mail: ReadMail) -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "<Saved by Blink>", "网页"
    message.set_content("<h1>公告</h1><img src='x.png'>", subtype="html")
    message.add_related(b"x" * 50_000, maintype="image", subtype="png", cid="<x>")
    assert mail(message.as_bytes(), "a.mht").text == "公告"
    assert mail(message.as_bytes(), "a.doc").text.endswith("公告")


def test_a_mailbox_gives_its_messages(mail: ReadMail) -> None:
    start = b"From %s Mon Mar  2 10:00:00 2026\nSubject: %s\n\n"
    data = start % (b"a@x", b"one") + b"first\n>From here\n\n" + start % (b"b@x", b"two") + b"second\n"
    found = mail(data, "a.mbox")
    assert list(found.files) == ["1 one.eml", "2 two.eml"]
    assert b"\nFrom here" in found.files["1 one.eml"]


def test_compressed_rtf_of_outlook_is_unpacked() -> None:
    """The example of [MS-OXRTFCP] 4.1.1."""
    from aipc_app.reader.convert.compressed_rtf import decompress

    example = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )
    assert decompress(example) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    with pytest.raises(Exception, match="damaged"):
        decompress(b"short")


def test_parts_nested_without_end_are_refused(mail: ReadMail) -> None:
    data = b"Subject: x\n"
    for number in range(200):
        data += b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (number, number)
    with pytest.raises(DocumentError, match="nested"):
        mail(data + b"\nx")
