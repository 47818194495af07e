"""Writing documents in the real process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app.domain.exporting import ExportFormat
from aipc_app.errors import Cancelled, StorageError
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command
from tests.unit.aipc_app.reader.export.plans import judge_plan


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    opened = Reader(child_command("reader"), tmp_path_factory.mktemp("logs"))
    yield opened
    opened.close()


@pytest.mark.parametrize("format_", ExportFormat)
def test_a_document_is_written_and_nothing_beside_it(reader: Reader, tmp_path: Path, format_: ExportFormat) -> None:
    target = tmp_path / f"审查.{format_.value}"
    target.write_bytes(b"old")
    reader.write(judge_plan(), target, format_)
    assert target.read_bytes()[:4] in (b"PK\x03\x04", b"%PDF")
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_a_folder_that_is_not_there_is_told_in_one_sentence(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"x\.docx can't be written .*choose another folder"):
        reader.write(judge_plan(), tmp_path / "none" / "x.docx", ExportFormat.DOCX)


def test_a_cancelled_document_leaves_what_was_there(reader: Reader, tmp_path: Path) -> None:
    target, cancel = tmp_path / "x.pdf", threading.Event()
    target.write_bytes(b"old")
    cancel.set()
    with pytest.raises(Cancelled):
        reader.write(judge_plan(rows=200), target, ExportFormat.PDF, cancel)
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
