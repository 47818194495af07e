"""The reader's client: limits, cancelling, deaths and closing, each with the real process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from aipc_app.domain.reader_wire import FileRead, PageRead, ReadFile, ReadLimits
from aipc_app.errors import Cancelled, DocumentError, DocumentLimit, WorkerDied
from aipc_app.workers.reader import Reader
from aipc_app.workers.reader import _Work as Work
from aipc_app.workers.reader_lane import Lane
from aipc_app.workers.spawn import child_command
from tests.unit.aipc_app.reader.making import PdfPage, pdf_bytes, show

PAGES = 200
SOON_S = 2.0  # 0.5 s on an idle machine; a test machine may be busy
MARK = "Pseudonym"  # must not turn up in a log


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def reader(logs: Path) -> Iterator[Reader]:
    opened = Reader(child_command("reader"), logs)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def long_pdf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Takes about two seconds to read."""
    file = tmp_path_factory.mktemp("long") / "long.pdf"
    page = PdfPage("".join(show(f"{MARK} line {y} with some words in it", y=y, size=3) for y in range(0, 200, 8)))
    file.write_bytes(pdf_bytes([page] * PAGES))
    return file


@pytest.fixture
def short_pdf(tmp_path: Path) -> Path:
    file = tmp_path / "short.pdf"
    file.write_bytes(pdf_bytes([PdfPage(show("Short"))]))
    return file


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def read_short(reader: Reader, file: Path) -> str:
    pages: list[PageRead] = []
    reader.read(file, file.name, on_page=pages.append)
    return pages[0].page.text


def test_pages_come_in_order_on_the_calling_thread_while_the_file_is_read(reader: Reader, long_pdf: Path) -> None:
    seen: list[tuple[int, int]] = []
    end = reader.read(long_pdf, "long.pdf", on_page=lambda p: seen.append((p.page.number, threading.get_ident())))
    assert [number for number, _ in seen] == list(range(1, PAGES + 1))
    assert {thread for _, thread in seen} == {threading.get_ident()}
    assert end.pages == PAGES


def test_a_cancel_is_heard_between_pages_and_the_child_lives(reader: Reader, long_pdf: Path, short_pdf: Path) -> None:
    cancel = threading.Event()
    started: list[float] = []

    def on_page(_: PageRead) -> None:
        if not cancel.is_set():
            started.append(time.monotonic())
            cancel.set()

    with pytest.raises(Cancelled):
        reader.read(long_pdf, "long.pdf", on_page=on_page, cancel=cancel)
    assert time.monotonic() - started[0] < SOON_S
    before = [child.pid for child in children()]
    assert read_short(reader, short_pdf) == "Short"
    assert [child.pid for child in children()] == before


class SetAfterLooks(threading.Event):
    """Set once it has been looked at `looks` times: cancels in the middle of one long step."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._looks, self.at = looks, 0.0

    def is_set(self) -> bool:
        self._looks -= 1
        if self._looks == 0:
            self.at = time.monotonic()
        return self._looks <= 0


def test_a_child_too_busy_to_hear_a_cancel_is_replaced(reader: Reader, tmp_path: Path, short_pdf: Path) -> None:
    slow = tmp_path / "slow.html"
    slow.write_text("<p>words and <b>more</b></p>\n" * 400_000, encoding="utf-8")
    cancel = SetAfterLooks(6)
    with pytest.raises(Cancelled):
        reader.read(slow, "slow.html", on_page=lambda _: None, cancel=cancel)
    assert time.monotonic() - cancel.at < SOON_S
    assert read_short(reader, short_pdf) == "Short"


def test_a_file_over_its_time_fails_alone(reader: Reader, long_pdf: Path, short_pdf: Path) -> None:
    with pytest.raises(DocumentLimit, match="longer than"):
        reader.read(long_pdf, "long.pdf", on_page=lambda _: None, limits=ReadLimits(seconds=0.1))
    assert read_short(reader, short_pdf) == "Short"


class SilentLane(Lane):
    """Has a reader that says nothing; a second passes with each look, `busy` of it worked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, busy: float) -> None:
        self.now, self._busy = 0.0, busy
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def start(self, cancel: threading.Event | None = None) -> None: ...
    def send(self, message: object) -> None: ...
    def drop(self) -> None: ...

    def cpu_seconds(self) -> float:
        return self._busy * self.now

    def receive(self, timeout_s: float) -> None:
        self.now += 1.0


@pytest.mark.parametrize(("busy", "after_s"), [(1.0, 60), (0.25, 120), (0.0, 180)])
def test_a_reader_that_the_pc_gives_little_time_is_slow_not_stuck(
    monkeypatch: pytest.MonkeyPatch, busy: float, after_s: int
) -> None:
    with monkeypatch.context() as patch:
        lane = SilentLane(patch, busy)
        work = Work(lane, ReadFile(1, "a.pdf", "a.pdf"), 60.0, None, set())
        with pytest.raises(DocumentLimit, match="60 seconds"):
            work.run(FileRead)
    assert lane.now == after_s


def test_a_killed_reader_takes_only_its_own_file_with_it(reader: Reader, long_pdf: Path, short_pdf: Path) -> None:
    def kill_at_page_five(read: PageRead) -> None:
        if read.page.number == 5:
            for child in children():
                child.kill()

    with pytest.raises(DocumentError, match="crash; try once more") as first:
        reader.read(long_pdf, "long.pdf", on_page=kill_at_page_five)
    assert first.value.retryable
    assert read_short(reader, short_pdf) == "Short"
    with pytest.raises(DocumentError, match="crash again") as second:
        reader.read(long_pdf, "long.pdf", on_page=kill_at_page_five)
    assert not second.value.retryable


def test_an_error_in_the_callers_page_handler_leaves_a_usable_reader(
    reader: Reader, long_pdf: Path, short_pdf: Path
) -> None:
    def fail(_: PageRead) -> None:
        raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        reader.read(long_pdf, "long.pdf", on_page=fail)
    assert read_short(reader, short_pdf) == "Short"


def test_a_page_is_drawn_while_a_long_file_is_read(reader: Reader, long_pdf: Path, short_pdf: Path) -> None:
    drawn_at_page: list[int] = []

    def draw(read: PageRead) -> None:
        if read.page.number == 1:
            assert reader.render(short_pdf, "short.pdf", 1, 1.0).width == 300
            drawn_at_page.append(read.page.number)

    assert reader.read(long_pdf, "long.pdf", on_page=draw).pages == PAGES
    assert drawn_at_page == [1]


def test_two_workers_read_two_files_at_once(logs: Path, short_pdf: Path, long_pdf: Path) -> None:
    reader = Reader(child_command("reader"), logs, workers=2)
    texts: list[str] = []

    def read_another(read: PageRead) -> None:
        if read.page.number == 1:
            texts.append(read_short(reader, short_pdf))

    reader.read(long_pdf, "long.pdf", on_page=read_another)
    assert texts == ["Short"]
    reader.close()


def test_closing_ends_a_reading_in_progress_and_leaves_nothing_running(logs: Path, long_pdf: Path) -> None:
    reader = Reader(child_command("reader"), logs)
    closer = threading.Thread(target=reader.close)

    def close_now(_: PageRead) -> None:
        if closer.ident is None:
            closer.start()

    with pytest.raises(WorkerDied, match="closing"):
        reader.read(long_pdf, "long.pdf", on_page=close_now)
    closer.join()
    assert children() == []
    assert [t.name for t in threading.enumerate() if t.name.startswith("child-")] == []
    with pytest.raises(WorkerDied):
        reader.read(long_pdf, "long.pdf", on_page=lambda _: None)


def test_a_reader_that_can_not_start_is_said_so(logs: Path, short_pdf: Path) -> None:
    reader = Reader(["/no/such/program"], logs)
    with pytest.raises(WorkerDied, match="could not be started"):
        reader.read(short_pdf, "short.pdf", on_page=lambda _: None)
    reader.close()


def test_the_child_goes_when_its_parent_closes_the_wire(logs: Path, short_pdf: Path) -> None:
    reader = Reader(child_command("reader"), logs)
    read_short(reader, short_pdf)
    (child,) = children()
    reader.close()
    assert not child.is_running()


def test_logs_hold_no_word_of_a_document(reader: Reader, logs: Path, long_pdf: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(long_pdf.read_bytes()[:9000].replace(b"/Catalog", b"/Cxxxxxx"))
    broken = tmp_path / "broken.docx"
    broken.write_bytes(b"PK\x03\x04" + MARK.encode() * 50)
    for file in (cut, broken):
        with pytest.raises(DocumentError):
            reader.read(file, file.name, on_page=lambda _: None)
    written = (logs / "reader.log").read_text(encoding="utf-8")
    assert "damaged" in written
    assert MARK not in written and "cut.pdf" not in written


@pytest.mark.skipif(not hasattr(os, "nice"), reason="priorities are a matter of POSIX systems")
def test_reading_has_a_lower_priority_than_the_window_and_drawing_has_not(
    reader: Reader, short_pdf: Path
) -> None:
    reader.render(short_pdf, "short.pdf", 1, 1.0)
    (drawing,) = children()
    read_short(reader, short_pdf)
    (reading,) = [child for child in children() if child.pid != drawing.pid]
    assert (drawing.nice(), reading.nice()) == (os.nice(0), max(os.nice(0), 5))
