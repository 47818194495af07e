"""Files inside files become documents of their own, through the real reader process."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from aipc_app.domain.documents import DocumentStatus
from aipc_app.ingest.intake import TOO_DEEP
from aipc_app.ingest.queue import IngestQueue
from aipc_app.ingest.report import IngestReport
from aipc_app.settings.model import Settings
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command
from tests.unit.aipc_app.ingest.conftest import Bench

Add = Callable[..., list[IngestReport]]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    opened = Reader(child_command("reader"), tmp_path_factory.mktemp("logs"))
    yield opened
    opened.close()


@pytest.fixture
def case(bench: Bench) -> int:
    return bench.store.cases.create("甲诉乙").id


@pytest.fixture
def add(bench: Bench, reader: Reader, case: int) -> Add:
    """add(name, bytes, case=, password=): what `aipc add` reports of one dropped file."""
    bench.queue = IngestQueue(bench.store, reader, bench.encoder, Settings, lambda changes: None)
    bench.queue.start()

    def add_file(name: str, data: bytes, into: int = case, password: str | None = None) -> list[IngestReport]:
        path = bench.folder / name
        path.write_bytes(data)
        from aipc_app.ingest.sources import expand

        return list(bench.queue.wait(bench.queue.add(into, expand([path]), password=password)))

    return add_file


def packed(*files: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def mail(subject: str, *attachments: tuple[str, bytes], nested: EmailMessage | None = None) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "张三 <zhang@example.com>", "li@example.com", subject
    message.set_content("请查收附件。")
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    if nested is not None:
        message.add_attachment(nested)
    return message


def test_an_archive_and_each_file_in_it_have_a_line(add: Add, bench: Bench, case: int) -> None:
    reports = add("卷宗.zip", packed(("证据/合同.txt", "借款合同正文".encode()), ("起诉状.txt", "起诉状正文".encode())))
    assert [report.document for report in reports] == ["卷宗.zip", "卷宗.zip/证据/合同.txt", "卷宗.zip/起诉状.txt"]
    assert [report.status for report in reports] == ["indexed"] * 3
    assert reports[1].path == f"{bench.folder / '卷宗.zip'}/证据/合同.txt"
    assert [document.name for document in bench.store.documents.of_case(case)] == [r.document for r in reports]
    assert "借款合同正文" in bench.store.documents.page(reports[1].document_id or 0, 1).text


def test_a_mail_its_attachment_and_the_message_in_it_are_documents(add: Add, bench: Bench) -> None:
    inner = mail("被转发的邮件", ("清单.txt", "证据清单".encode()))
    reports = add("往来.eml", mail("转发", ("合同.txt", "合同正文".encode()), nested=inner).as_bytes())
    assert [report.document for report in reports] == [
        "往来.eml", "往来.eml/合同.txt", "往来.eml/被转发的邮件.eml", "往来.eml/被转发的邮件.eml/清单.txt",
    ]  # fmt: skip
    text = bench.store.documents.page(reports[0].document_id or 0, 1).text
    assert "From: 张三 <zhang@example.com>" in text and "Subject: 转发" in text and "请查收附件。" in text


def test_what_can_not_be_taken_in_has_a_line_with_the_reason_and_the_archive_says_so(add: Add) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../evil.txt", "x")
        archive.writestr("/etc/evil.txt", "x")
        archive.writestr(link, "/etc/passwd")
        archive.writestr("good.txt", "好的文件")
    reports = add("a.zip", out.getvalue())
    assert [(report.document, report.status) for report in reports[1:]] == [
        ("a.zip/../evil.txt", "failed"), ("a.zip//etc/evil.txt", "failed"), ("a.zip/link", "failed"),
        ("a.zip/good.txt", "indexed"),
    ]  # fmt: skip
    assert all(report.document_id is None and "not taken in" in (report.reason or "") for report in reports[1:4])
    assert reports[0].status == "indexed_with_gaps"
    assert "3 of 4 files in it were not taken in: ../evil.txt" in (reports[0].reason or "")


def test_archives_in_archives_are_opened_three_deep_and_no_deeper(add: Add) -> None:
    data = packed(("deep.txt", "最深处".encode()))
    for level in range(4):
        data = packed((f"{level}.zip", data))
    reports = add("a.zip", data)
    names = [report.document for report in reports]
    assert "a.zip/3.zip/2.zip/1.zip" in names and not any(name.endswith("deep.txt") for name in names)
    last = next(report for report in reports if report.document == "a.zip/3.zip/2.zip/1.zip")
    assert last.status == "indexed_with_gaps" and TOO_DEEP in (last.reason or "")


def test_a_known_attachment_keeps_its_first_document(add: Add) -> None:
    (first,) = add("合同.txt", "合同正文".encode())
    reports = add("往来.eml", mail("转发", ("另名.txt", "合同正文".encode())).as_bytes())
    assert [report.status for report in reports] == ["indexed", "duplicate"]
    assert reports[1].document_id == first.document_id and reports[1].document == "合同.txt"


def test_a_known_archive_brings_its_files_into_the_other_case_too(add: Add, bench: Bench) -> None:
    data = packed(("a.txt", "甲方".encode()))
    ids = {report.document_id for report in add("a.zip", data)}
    other = bench.store.cases.create("另案").id
    reports = add("a.zip", data, other)
    assert [report.status for report in reports] == ["duplicate", "duplicate"]
    assert {document.id for document in bench.store.documents.of_case(other)} == ids


def test_system_files_in_an_archive_are_left_out_as_in_folders(add: Add) -> None:
    reports = add("a.zip", packed(("__MACOSX/._a.txt", b"x"), ("a.txt", "甲".encode()), (".DS_Store", b"x")))
    assert [report.document for report in reports] == ["a.zip", "a.zip/a.txt"]


def test_an_archive_that_holds_itself_ends(add: Add, bench: Bench) -> None:
    """Its bytes are known, so nothing is read again."""
    (outer, *_) = add("a.zip", packed(("x.txt", "甲".encode())))
    assert outer.document_id is not None
    from aipc_app.domain.documents import Member

    bench.store.members.save(outer.document_id, [Member(name="a.zip", document_id=outer.document_id)])
    assert [path for path, _ in bench.store.members.below(outer.document_id)] == ["/a.zip"]
    assert bench.store.members.depth(outer.document_id) <= 1


def test_an_attachment_of_no_known_kind_is_unsupported_by_itself(add: Add) -> None:
    reports = add("a.eml", mail("录音", ("a.mp3", b"ID3\x04")).as_bytes())
    assert [report.status for report in reports] == ["indexed", "unsupported"]


def test_the_charset_that_was_found_is_stated(add: Add, bench: Bench) -> None:
    text = "本院认为，被告应当按照合同的约定返还借款，并支付逾期利息。"
    (report,) = add("判决.txt", text.encode("gb18030"))
    assert report.encoding == "gb18030"
    assert bench.store.documents.get(report.document_id or 0).encoding == "gb18030"


def test_nothing_is_left_of_the_work_folder(add: Add, bench: Bench, tmp_path: Path) -> None:
    add("a.zip", packed(("a.txt", "甲".encode())))
    bench.queue.stop()
    assert not list((tmp_path / "home").rglob(".work-*"))


def test_removing_the_mail_leaves_its_attachments(add: Add, bench: Bench, case: int) -> None:
    reports = add("a.eml", mail("转发", ("合同.txt", "合同正文".encode())).as_bytes())
    bench.queue.unlink(case, reports[0].document_id or 0)
    (left,) = bench.store.documents.of_case(case)
    assert left.name == "a.eml/合同.txt" and left.status is DocumentStatus.INDEXED
