"""Thousands of small files, and one file of thousands of pages: memory steady, the window answering, an honest end."""

from __future__ import annotations

import gc
import os
import threading
import time
from hashlib import sha256
from pathlib import Path
from types import TracebackType

import psutil
import pytest

from aipc_app.ui.watchdog import Watchdog
from tests.gui.conftest import Rig
from tests.gui.test_responsive import BUSY_PC, ticker
from tests.unit.aipc_app.reader.making import PdfPage, pdf_bytes, show_chinese

pytestmark = pytest.mark.long
FILES = int(os.environ.get("AIPC_MANY_FILES", "5000"))
PAGES = int(os.environ.get("AIPC_MANY_PAGES", "2000"))
PATIENCE_MS = 3_600_000
HUNDREDTH_BAR_S = 0.050
GROWTH_BAR_BYTES = 150 << 20  # of the desktop, from the first tenth of the files to the last
HONEST = 1.5  # the time said to be left after a third of the work, and the time it then takes: at most so many times
LINE = "原告于2021年3月5日向被告交付借款本金人民币{amount}元整，约定年利率为百分之十二，借款期限为一年。\n"
A4 = (0.0, 0.0, 595.0, 842.0)
_LOOK_EVERY_S = 0.5


@pytest.fixture
def reading() -> bool:
    return True


class Following:
    """Looks at the work from a thread of its own, so that looking doesn't hold up the window that is measured."""

    def __init__(self, rig: Rig, files: int) -> None:
        case = rig.case_page.case
        assert case is not None
        self._services, self._case_id, self._before, self._files = rig.services, case.id, case.documents, files
        self._thread = threading.Thread(target=self._follow, name="following", daemon=True)
        self._leave = threading.Event()
        self.done = threading.Event()
        self.memory: list[tuple[int, int]] = [memory()]
        self.told: list[tuple[float, float]] = []  # seconds since the beginning, seconds said to be left
        self.third: tuple[float, float] | None = None

    def __enter__(self) -> Following:
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._leave.set()
        self._thread.join()

    def share(self) -> float:
        """Of the files, or of the pages of the one that is being read."""
        store = self._services.store
        taken = store.cases.get(self._case_id).documents - self._before
        waiting = store.jobs.pending_work().read_documents
        running = sum(job.progress for job in store.jobs.running() if job.kind == "read")
        return (taken - waiting + running) / self._files

    def _follow(self) -> None:
        tenth = 0
        while not self._leave.wait(_LOOK_EVERY_S):
            share, now = self.share(), time.monotonic() - self._began
            left = self._services.ingest.indexing().seconds_left
            if share * 10 >= tenth + 1:
                tenth = int(share * 10)
                self.memory.append(memory())
                self.told += [(now, left)] if left is not None else []
            if share >= 1 / 3 and self.third is None and left is not None:
                self.third = now, left
            if share >= 1.0:
                self.took = now
                self.done.set()
                return


def memory() -> tuple[int, int]:
    """Resident bytes of the desktop, and of the largest of its children."""
    here = psutil.Process()
    children = [child.memory_info().rss for child in here.children(recursive=True)]
    return here.memory_info().rss, max(children, default=0)


@pytest.mark.timeout(7200)
def test_a_folder_of_thousands_of_files(rig: Rig, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FILES):
        text = f"证据{number}\n" + "".join(LINE.format(amount=number * 1000 + line) for line in range(12))
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    taken_in(rig, folder, FILES)


@pytest.mark.timeout(7200)
def test_a_file_of_thousands_of_pages(rig: Rig, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "卷宗.pdf").write_bytes(pdf_bytes([page_of(number) for number in range(PAGES)]))
    taken_in(rig, folder, 1)


@pytest.mark.data
@pytest.mark.timeout(7200)
def test_all_statutes_of_a_library(rig: Rig, shared_data: Path) -> None:
    """Fifteen hundred files, sixty thousand articles."""
    folder = shared_data / "laws" / "cn"
    files = (file.read_bytes() for file in folder.rglob("*") if file.is_file())
    taken_in(rig, folder, len({sha256(data).digest() for data in files}))  # the same bytes are one document


def page_of(number: int) -> PdfPage:
    """Sixteen lines of Chinese."""
    lines = (LINE.format(amount=number * 100 + line).strip() for line in range(16))
    content = "".join(show_chinese(text, 40, 790 - 45 * at, 11) for at, text in enumerate(lines))
    return PdfPage(content, media=A4)


def taken_in(rig: Rig, folder: Path, files: int) -> None:
    """The folder is put into a case and read to its end; memory, the window's waiting and the estimates are told."""
    rig.open_case()
    documents = rig.case_page.bench.documents
    watchdog, idle = Watchdog(rig.window), list[float]()
    gc.freeze()  # as the program does once its window is there
    with ticker(idle), Following(rig, files) as following:
        watchdog.start()
        documents.add_paths([folder])
        rig.qtbot.waitUntil(following.done.is_set, timeout=PATIENCE_MS)
        stall = watchdog.stop()
    gc.unfreeze()
    rig.until(lambda: len(documents.model.rows) == files + 2)
    desktop = [one for one, _ in following.memory]
    told = (
        f"{files} files in {following.took:.0f} s; {stall}; desktop {desktop[0] >> 20} to {max(desktop) >> 20} MiB, "
        f"reader at most {max(child for _, child in following.memory) >> 20} MiB; a ticking process waited "
        f"{idle[0]:.3f} s; (after s, said to be left s): {[(round(a), round(b)) for a, b in following.told]}; "
        f"after a third: {following.third}"
    )
    print(told)
    assert max(desktop) - desktop[1] < GROWTH_BAR_BYTES, told
    assert stall.hundredth_s < HUNDREDTH_BAR_S + BUSY_PC * idle[0], told
    assert following.third is not None, told
    after, left = following.third
    assert 1 / HONEST <= left / (following.took - after) <= HONEST, told
