"""Several files read at once; paused, cancelled, gone on; and how long it takes."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from aipc_app.domain.documents import DocumentStatus
from aipc_app.ingest.queue import IngestQueue
from aipc_app.settings.model import Settings
from aipc_app.workers.reader import worker_count


class Two:
    """A reader of which two reads must be under way before either may end."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._both = threading.Barrier(2)

    def read(self, *arguments: Any, **named: Any) -> Any:
        self._both.wait(20.0)
        return self._inner.read(*arguments, **named)


def test_two_readers_read_two_files_at_once(bench: Any) -> None:
    case = bench.store.cases.create("案").id
    queue = IngestQueue(bench.store, Two(bench.reader), bench.encoder, Settings, bench._hear, readers=2)
    bench.queue = queue
    queue.start()
    added = bench.drop(case, *((f"{n}.txt", f"第{n}份文件。") for n in range(8)))
    reports = bench.reports(added)
    assert {str(report.status) for report in reports} == {"indexed"}
    assert len(bench.store.passages.of_document(added[0].document.id)) == 1


def test_what_is_cancelled_is_the_file_that_was_named(bench: Any) -> None:
    case = bench.store.cases.create("案").id
    bench.queue = IngestQueue(bench.store, bench.reader, bench.encoder, Settings, bench._hear, readers=3)
    bench.reader.gate.clear()
    bench.queue.start()
    added = bench.drop(case, *((f"{n}.txt", f"第{n}份文件。\f第二页") for n in range(6)))
    documents = bench.store.documents
    bench.until(lambda: sum(d.status is DocumentStatus.READING for d in documents.of_case(case)) == 3)
    running, waiting = added[0].document.id, added[5].document.id
    bench.queue.cancel(waiting)
    bench.queue.cancel(running)
    assert documents.get(waiting).status is DocumentStatus.FAILED
    bench.reader.gate.set()
    reports = bench.reports(added)
    assert [str(report.status) for report in reports] == ["failed", *["indexed"] * 4, "failed"]
    assert all("stopped" in (report.reason or "") for report in (reports[0], reports[5]))


def test_a_pause_begins_nothing_and_tells_what_waits(bench: Any) -> None:
    case = bench.store.cases.create("案").id
    bench.queue.pause()
    bench.queue.start()
    added = bench.drop(case, ("a.txt", "甲"), ("b.txt", "乙乙"))
    now = bench.queue.indexing()
    assert now.paused and now.pending.read_documents == 2 and now.pending.read_bytes == 9
    assert now.seconds_left is None
    bench.queue.resume()
    bench.reports(added)
    after = bench.queue.indexing()
    assert not after.paused and after.pending.read_documents == 0 and after.seconds_left == 0.0


@pytest.mark.parametrize(
    ("cores", "gib", "workers"), [(1, 64, 1), (2, 64, 1), (4, 64, 2), (16, 64, 4), (16, 8, 1), (8, 16, 2), (2, 1, 1)]
)
def test_workers_where_cores_and_memory_allow(cores: int, gib: int, workers: int) -> None:
    assert worker_count(cores, gib << 30) == workers
