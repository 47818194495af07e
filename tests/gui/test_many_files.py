"""A folder of thousands of small files: memory steady, the window answering, the time left near what it is."""

from __future__ import annotations

import os
import time
from hashlib import sha256
from pathlib import Path

import psutil
import pytest

from aipc_app.domain.jobs import Indexing
from aipc_app.ui.watchdog import Watchdog
from tests.gui.conftest import Rig
from tests.gui.test_responsive import BUSY_PC, ticker

pytestmark = pytest.mark.long
FILES = int(os.environ.get("AIPC_MANY_FILES", "5000"))
PATIENCE_MS = 3_600_000
HUNDREDTH_BAR_S = 0.050
GROWTH_BAR_BYTES = 150 << 20  # of the desktop, from the first tenth of the files to the last
LINE = "原告于2021年3月5日向被告交付借款本金人民币{amount}元整，约定年利率为百分之十二，借款期限为一年。\n"


@pytest.fixture
def reading() -> bool:
    return True


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


@pytest.mark.data
@pytest.mark.timeout(7200)
def test_all_statutes_of_a_library(rig: Rig, shared_data: Path) -> None:
    """Fifteen hundred files, sixty thousand articles."""
    folder = shared_data / "laws" / "cn"
    files = (file.read_bytes() for file in folder.rglob("*") if file.is_file())
    taken_in(rig, folder, len({sha256(data).digest() for data in files}))  # the same bytes are one document


def taken_in(rig: Rig, folder: Path, files: int) -> None:
    """The folder is put into a case and read to its end; memory, the window's waiting and the estimates are told."""
    rig.open_case()
    documents, store = rig.case_page.bench.documents, rig.services.store
    watchdog, samples = Watchdog(rig.window), [memory()]
    estimates: list[tuple[float, Indexing]] = []
    started = time.monotonic()
    idle: list[float] = []
    with ticker(idle):
        watchdog.start()
        documents.add_paths([folder])
        follow(rig, files, samples, estimates, started)
        took, stall = time.monotonic() - started, watchdog.stop()
    rig.until(lambda: len(documents.model.rows) == files + 2)
    desktop = [one for one, _ in samples]
    left = [(round(now), round(one.seconds_left)) for now, one in estimates if one.seconds_left is not None]
    told = (
        f"{files} files in {took:.0f} s; {stall}; desktop {desktop[0] >> 20} to {max(desktop) >> 20} MiB, "
        f"reader at most {max(child for _, child in samples) >> 20} MiB; a ticking process waited {idle[0]:.3f} s; "
        f"(after s, said to be left s): {left}"
    )
    print(told)
    assert store.jobs.pending_work().read_documents == 0
    assert max(desktop) - desktop[1] < GROWTH_BAR_BYTES, told
    assert stall.hundredth_s < HUNDREDTH_BAR_S + BUSY_PC * idle[0], told


def follow(
    rig: Rig, files: int, samples: list[tuple[int, int]], estimates: list[tuple[float, Indexing]], started: float
) -> None:
    """Until all is searchable; memory and the estimate after each tenth."""
    for step in range(1, 11):
        wanted = 2 + files * step // 10
        rig.qtbot.waitUntil(lambda wanted=wanted: searchable(rig) >= wanted, timeout=PATIENCE_MS)
        samples.append(memory())
        estimates.append((time.monotonic() - started, rig.services.ingest.indexing()))


def searchable(rig: Rig) -> int:
    """How many documents can be found by their words; looked at seldom, because looking takes time too."""
    now, case = time.monotonic(), rig.case_page.case
    assert case is not None
    if now - _seen[0] > 0.5:
        found = rig.services.store.documents.of_case(case.id)
        _seen[:] = [now, sum(document.status.readable for document in found)]
    return int(_seen[1])


_seen: list[float] = [0.0, 0.0]
