"""Dropped files become searchable, whatever happens on the way."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus
from aipc_app.domain.jobs import JobKind, JobState
from aipc_app.errors import (
    Cancelled,
    DocumentError,
    DocumentLimit,
    PasswordNeeded,
    StorageError,
    UnsupportedFormat,
    UserMistake,
    WorkerDied,
)
from aipc_app.ingest.report import IngestProgress, ReportStatus
from aipc_app.ingest.sources import Source
from aipc_app.workers.encoder_states import Unavailable

if TYPE_CHECKING:
    from tests.unit.aipc_app.ingest.conftest import Bench

LOAN = "甲方于2021年3月5日向乙方出借人民币五十万元。\f乙方应于一年内归还借款本金及利息。"


def found(bench: Bench, token: str, case_id: int) -> int:
    return len(bench.store.passages.keyword([token], cases=[case_id], documents=None, limit=50))


def test_a_dropped_file_is_read_found_by_word_and_fact_and_put_into_the_index(bench: Bench) -> None:
    case = bench.store.cases.create("借贷")
    bench.queue.start()
    added = bench.drop(case.id, ("合同.txt", LOAN))
    assert added[0].document is not None and added[0].document.status is DocumentStatus.QUEUED
    (report,) = bench.reports(added)
    assert (report.status, report.document, report.pages, report.passages) == ("indexed", "合同.txt", 2, 2)
    assert report.path == str(bench.folder / "合同.txt")
    assert report.seconds > 0 and report.reason is None
    assert found(bench, "利息", case.id) == 1
    facts = bench.store.passages.exact([("figure", "500000")], cases=[case.id], documents=None, limit=5)
    assert len(facts) == 1
    assert len(bench.encoder.index[f"case-{case.id}"]) == 2
    assert bench.store.documents.get(report.document_id or 0).has_layout


def test_the_same_bytes_twice_are_stored_once_and_belong_to_both_cases(bench: Bench) -> None:
    one, two = bench.store.cases.create("一"), bench.store.cases.create("二")
    bench.queue.start()
    first, again = bench.drop(one.id, ("a.txt", LOAN), ("b.txt", LOAN))
    (other,) = bench.drop(two.id, ("c.txt", LOAN))
    reports = bench.reports([first, again, other])
    assert [report.status for report in reports] == ["indexed", "duplicate", "duplicate"]
    assert len({report.document_id for report in reports}) == 1
    assert bench.reader.read_names == ["a.txt"]
    assert len([path for path in bench.home.originals.rglob("*") if path.is_file()]) == 1
    assert bench.encoder.index[f"case-{one.id}"] == bench.encoder.index[f"case-{two.id}"]
    assert len(bench.encoder.batches) == 1
    assert found(bench, "利息", two.id) == 1


def test_a_document_put_into_another_case_later_is_found_there_by_meaning_without_embedding_it_again(
    bench: Bench,
) -> None:
    one, two = bench.store.cases.create("一"), bench.store.cases.create("二")
    bench.queue.start()
    bench.reports(bench.drop(one.id, ("a.txt", LOAN)))
    (again,) = bench.reports(bench.drop(two.id, ("a.txt", LOAN)))
    assert (again.status, again.seconds) == ("duplicate", 0.0)
    assert len(bench.encoder.index[f"case-{two.id}"]) == 2
    assert len(bench.encoder.batches) == 1


def test_pages_without_text_are_named_and_the_rest_is_found(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.queue.start()
    (report,) = bench.reports(bench.drop(case.id, ("a.txt", "利息。\f\f?\f !\f\f \f本金。")))
    assert report.status is ReportStatus.INDEXED_WITH_GAPS
    assert (report.empty_pages, report.garbled_pages, report.failed_pages) == ((2, 5, 6), (3,), (4,))
    assert report.reason == (
        "3 of 7 pages have no text: 2, 5-6. 1 of 7 pages is garbled: 3. 1 of 7 pages could not be read: 4."
    )
    assert found(bench, "利息", case.id) == found(bench, "本金", case.id) == 1


def test_a_file_with_no_readable_page_is_never_called_indexed(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.queue.start()
    (report,) = bench.reports(bench.drop(case.id, ("scan.txt", "\f")))
    assert (report.status, report.passages, report.empty_pages) == ("indexed_with_gaps", 0, (1, 2))
    assert report.reason == "2 of 2 pages have no text: 1-2. Nothing of it can be asked."
    assert bench.encoder.batches == []


@pytest.mark.parametrize(
    ("error", "status", "retryable"),
    [
        (UnsupportedFormat("no reader"), DocumentStatus.UNSUPPORTED, False),
        (PasswordNeeded("encrypted", retryable=True), DocumentStatus.FAILED, True),
        (DocumentLimit("too slow"), DocumentStatus.FAILED, False),
        (DocumentError("damaged"), DocumentStatus.FAILED, False),
        (KeyError("a bug"), DocumentStatus.FAILED, True),
    ],
)
def test_a_bad_file_says_why_and_stops_no_other(
    bench: Bench, error: Exception, status: DocumentStatus, retryable: bool
) -> None:
    case = bench.store.cases.create("一")
    bench.reader.raises["bad.txt"] = [error, error]
    bench.queue.start()
    bad, good = bench.reports(bench.drop(case.id, ("bad.txt", "x"), ("good.txt", LOAN)))
    assert (bad.status, good.status) == (status.value, "indexed")
    assert bad.reason and "bug" not in bad.reason
    document = bench.store.documents.get(bad.document_id or 0)
    assert (document.status, document.retryable) == (status, retryable)


def test_a_reader_that_dies_once_is_tried_again_and_twice_is_not(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    died = WorkerDied("The reader ended.")
    bench.reader.raises = {"once.txt": [died], "ever.txt": [died] * 9}
    bench.queue.start()
    once, ever, good = bench.reports(bench.drop(case.id, ("once.txt", "甲"), ("ever.txt", "乙"), ("good.txt", LOAN)))
    assert (once.status, ever.status, good.status) == ("indexed", "failed", "indexed")
    assert ever.reason == "The reader ended."
    assert sorted(bench.reader.read_names) == ["ever.txt", "ever.txt", "good.txt", "once.txt", "once.txt"]
    assert bench.store.documents.get(ever.document_id or 0).retryable


def test_a_password_is_used_and_kept_nowhere(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.reader.raises["a.txt"] = [PasswordNeeded("encrypted", retryable=True)]
    bench.queue.start()
    (report,) = bench.reports(added := bench.drop(case.id, ("a.txt", LOAN)))
    assert report.status == "failed"
    bench.queue.retry(report.document_id or 0, password="geheim-7")
    (report,) = bench.reports(added)
    assert report.status == "indexed"
    assert bench.reader.passwords == [None, "geheim-7"]
    bench.store.close()
    assert not any(b"geheim-7" in path.read_bytes() for path in bench.home.root.rglob("*") if path.is_file())


def test_adding_a_failed_file_again_tries_again(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.reader.raises["a.txt"] = [DocumentError("damaged")]
    bench.queue.start()
    assert [r.status for r in bench.reports(bench.drop(case.id, ("a.txt", LOAN)))] == ["failed"]
    assert [r.status for r in bench.reports(bench.drop(case.id, ("a.txt", LOAN)))] == ["indexed"]


def test_a_file_that_failed_under_one_name_is_read_under_the_next(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.reader.raises = {"a.bin": [UnsupportedFormat("no reader")], "a.pdf": [DocumentError("no PDF")]}
    bench.queue.start()
    for name, status in (("a.bin", "unsupported"), ("a.pdf", "failed"), ("a.txt", "indexed")):
        (report,) = bench.reports(bench.drop(case.id, (name, LOAN)))
        assert (report.document, report.status) == (name, status)
    (again,) = bench.reports(bench.drop(case.id, ("b.txt", LOAN)))
    assert (again.document, again.status) == ("a.txt", "duplicate")
    assert bench.reader.read_names == ["a.bin", "a.pdf", "a.txt"]


def test_a_file_that_vanished_is_reported_and_stops_no_other(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    gone = Source(path=bench.folder / "gone.txt", name="gone.txt", given="gone.txt")
    bench.queue.start()
    added = (*bench.queue.add(case.id, [gone]), *bench.drop(case.id, ("good.txt", LOAN)))
    lost, good = bench.reports(added)
    assert (lost.status, lost.document_id, good.status) == ("failed", None, "indexed")
    assert lost.reason is not None and "gone.txt" in lost.reason
    with pytest.raises(UserMistake):
        bench.queue.add(4711, [gone])


def test_reading_goes_on_while_the_document_before_is_embedded(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.gate.clear()
    bench.queue.start()
    added = bench.drop(case.id, ("a.txt", "甲方。"), ("b.txt", "乙方。"), ("c.txt", "丙方。"))
    assert bench.encoder.embedding.wait(20)
    bench.until(lambda: found(bench, "丙方", case.id) == 1)
    statuses = {document.status for document in bench.store.documents.of_case(case.id)}
    assert statuses == {DocumentStatus.SEARCHABLE}
    bench.encoder.gate.set()
    assert [report.status for report in bench.reports(added)] == ["indexed"] * 3


def test_without_an_encoder_words_are_found_and_the_vectors_follow_when_it_comes(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.go()
    bench.queue.start()
    added = bench.drop(case.id, ("a.txt", LOAN))
    bench.until(lambda: found(bench, "利息", case.id) == 1)
    assert [job.kind for job in bench.store.jobs.unfinished()] == [JobKind.EMBED]
    bench.encoder.come()
    (report,) = bench.reports(added)
    assert report.status == "indexed"
    assert len(bench.encoder.index[f"case-{case.id}"]) == 2


def test_waiting_ends_when_no_encoder_can_be_had(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aipc_app.ingest.embedding.ENCODER_PATIENCE_S", 0.0)
    case = bench.store.cases.create("一")
    bench.encoder.go()
    bench.queue.start()
    (report,) = bench.reports(bench.drop(case.id, ("a.txt", LOAN)))
    assert report.status == "indexed_with_gaps"
    assert report.reason is not None and "keyword only" in report.reason
    assert bench.store.documents.of_case(case.id)[0].status is DocumentStatus.SEARCHABLE


def test_an_absent_encoder_is_not_asked_for_all_the_time(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.go()
    bench.queue.start()
    bench.drop(case.id, *((f"{n}.txt", f"第{n}份合同") for n in range(20)))
    bench.until(lambda: found(bench, "合同", case.id) == 20)
    assert 1 <= bench.encoder.starts <= 8  # ever more seldom, however much news there is


def test_without_an_encoder_the_time_left_is_that_of_reading(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.go()
    bench.queue.start()
    bench.drop(case.id, *((f"{n}.txt", f"第{n}份合同") for n in range(5)))
    bench.until(lambda: found(bench, "合同", case.id) == 5)
    bench.until(lambda: bench.queue.indexing().seconds_left == 0.0)
    assert bench.queue.indexing().pending.embed_documents == 5


def test_an_encoder_killed_in_mid_document_costs_one_batch(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.deaths["第70页"] = 1
    bench.queue.start()
    text = "\f".join(f"第{n}页写着一句话。" for n in range(1, 101))
    (report,) = bench.reports(bench.drop(case.id, ("a.txt", text)))
    assert (report.status, report.passages) == ("indexed", 100)
    assert sum(len(batch) for batch in bench.encoder.batches) == 100  # nothing twice, nothing left out
    assert len(bench.encoder.index[f"case-{case.id}"]) == 100


def test_a_document_that_kills_the_encoder_again_and_again_is_given_up_and_can_be_retried(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.deaths["毒"] = 3
    bench.queue.start()
    added = bench.drop(case.id, ("poison.txt", "毒药。"), ("good.txt", LOAN))
    poison, good = bench.reports(added)
    assert (poison.status, good.status) == ("indexed_with_gaps", "indexed")
    assert poison.reason is not None and "keyword only" in poison.reason
    assert bench.encoder.deaths["毒"] == 1
    bench.queue.retry(poison.document_id or 0)
    (poison,) = bench.reports(added[:1])
    assert (poison.status, poison.reason) == ("indexed", None)
    assert bench.reader.read_names.count("poison.txt") == 1


def test_cancelling_a_file_that_is_read_stops_it_and_it_can_be_retried(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.reader.gate.clear()
    bench.queue.start()
    added = bench.drop(case.id, ("a.txt", LOAN), ("b.txt", "另一份。"))
    assert bench.reader.reading.wait(20)
    for one in added:
        assert one.document is not None
        bench.queue.cancel(one.document.id)
    reports = bench.reports(added)
    assert [report.status for report in reports] == ["failed", "failed"]
    assert all("stopped" in (report.reason or "") for report in reports)
    bench.reader.gate.set()
    bench.queue.retry(reports[0].document_id or 0)
    assert [report.status for report in bench.reports(added)] == ["indexed", "failed"]


def test_cancelling_while_embedding_leaves_the_document_found_by_keyword(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.gate.clear()
    bench.queue.start()
    added = bench.drop(case.id, ("a.txt", "\f".join(f"第{n}页的话。" for n in range(40))))
    assert bench.encoder.embedding.wait(20)
    assert added[0].document is not None
    bench.queue.cancel(added[0].document.id)
    bench.encoder.gate.set()
    (report,) = bench.reports(added)
    assert report.status == "indexed_with_gaps" and "stopped" in (report.reason or "")
    bench.restart()
    bench.queue.start()
    assert bench.reports(bench.drop(case.id, ("b.txt", "乙。")))[0].status == "indexed"
    assert bench.reports(added)[0].status == "indexed_with_gaps"  # what the user stopped stays stopped
    bench.queue.retry(added[0].document.id)
    assert bench.reports(added)[0].status == "indexed"


def test_what_a_stop_interrupts_goes_on_at_the_next_start(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.reader.gate.clear()
    bench.queue.start()
    added = bench.drop(case.id, ("a.txt", LOAN), ("b.txt", "另一份。"))
    assert bench.reader.reading.wait(20)
    bench.restart()
    assert [(job.state, job.attempts) for job in bench.store.jobs.unfinished()] == [(JobState.QUEUED, 0)] * 2
    bench.reader.gate.set()
    bench.queue.start()
    assert [report.status for report in bench.reports(added)] == ["indexed", "indexed"]


def test_a_paused_queue_begins_nothing_until_it_is_resumed(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.queue.pause()
    bench.queue.start()
    added = bench.drop(case.id, ("a.txt", LOAN))
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    with pytest.raises(Cancelled):
        bench.queue.wait(added, cancel=cancel)
    assert bench.reader.read_names == []
    bench.queue.resume()
    assert bench.reports(added)[0].status == "indexed"


def test_the_case_that_is_looked_at_goes_first_even_in_the_middle_of_a_long_document(bench: Bench) -> None:
    other, mine = bench.store.cases.create("别的"), bench.store.cases.create("我的")
    bench.encoder.gate.clear()
    bench.queue.start()
    long_text = "\f".join(f"长文第{n}页。" for n in range(1, 101))
    added = bench.drop(other.id, ("long.txt", long_text))
    assert bench.encoder.embedding.wait(20)
    added += bench.drop(mine.id, ("short.txt", "短文。"))
    bench.until(lambda: found(bench, "短文", mine.id) == 1)
    bench.queue.prefer(mine.id)
    bench.encoder.gate.set()
    bench.reports(added)
    order = [batch[0][:2] for batch in bench.encoder.batches]
    assert order == ["长文", "短文", "长文", "长文", "长文"]


def test_progress_grows_to_the_end(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.queue.start()
    added = bench.drop(case.id, *((f"{n}.txt", f"第{n}份。") for n in range(5)))
    seen: list[IngestProgress] = []
    bench.queue.wait(added, seen.append)
    assert seen[-1] == IngestProgress(5, 5, 1.0)
    assert all(0 <= step.fraction <= 1 and step.total == 5 for step in seen)
    assert [step.done for step in seen] == sorted(step.done for step in seen)


def test_unlinking_the_last_case_removes_words_vectors_jobs_and_the_file(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.queue.start()
    (report,) = bench.reports(bench.drop(case.id, ("a.txt", LOAN)))
    assert report.document_id is not None
    assert bench.queue.unlink(case.id, report.document_id) is True
    bench.until(lambda: True)
    assert found(bench, "利息", case.id) == 0
    assert bench.store.vectors.embedders() == {"toy": 0}
    assert not [path for path in bench.home.originals.rglob("*") if path.is_file()]
    (again,) = bench.reports(bench.drop(case.id, ("b.txt", "后来的。")))
    assert set(bench.encoder.index[f"case-{case.id}"].values()) == {again.document_id}


def test_removing_a_document_while_it_is_read_or_embedded_disturbs_nothing(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.reader.gate.clear()
    bench.encoder.gate.clear()
    bench.queue.start()
    (reading,) = bench.drop(case.id, ("a.txt", LOAN))
    assert bench.reader.reading.wait(20) and reading.document is not None
    bench.queue.unlink(case.id, reading.document.id)
    bench.reader.gate.set()
    (embedding,) = bench.drop(case.id, ("b.txt", "乙。"))
    assert bench.encoder.embedding.wait(20) and embedding.document is not None
    bench.queue.unlink(case.id, embedding.document.id)
    bench.encoder.gate.set()
    (good,) = bench.drop(case.id, ("c.txt", "丙。"))
    reports = bench.reports([reading, embedding, good])
    assert [report.status for report in reports] == ["failed", "failed", "indexed"]
    assert [job.state for job in bench.store.jobs.list()] == [JobState.DONE, JobState.DONE]
    assert set(bench.encoder.index[f"case-{case.id}"].values()) == {good.document and good.document.id}


def test_unlinking_one_of_two_cases_takes_the_vectors_out_of_that_case_alone(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.queue.start()
    (report,) = bench.reports([*bench.drop(case.id, ("a.txt", LOAN)), *bench.drop(LIBRARY_ID, ("a.txt", LOAN))][:1])
    bench.until(lambda: not bench.store.jobs.unfinished())
    assert bench.queue.unlink(LIBRARY_ID, report.document_id or 0) is False
    bench.reports(bench.drop(case.id, ("b.txt", "乙。")))
    assert bench.encoder.index[f"case-{LIBRARY_ID}"] == {}
    assert len(bench.encoder.index[f"case-{case.id}"]) == 3


def test_reading_a_document_again_leaves_no_old_passage_in_the_index(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.queue.start()
    (report,) = bench.reports(added := bench.drop(case.id, ("a.txt", LOAN)))
    bench.queue.retry(report.document_id or 0)
    bench.reports(added)
    passages = {passage.id for passage in bench.store.passages.of_document(report.document_id or 0)}
    assert set(bench.encoder.index[f"case-{case.id}"]) == passages


def test_no_word_of_a_document_reaches_the_log(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    case = bench.store.cases.create("一")
    bench.reader.raises["a.txt"] = [ValueError(LOAN)]
    bench.queue.start()
    with caplog.at_level("DEBUG"):
        bench.reports(bench.drop(case.id, ("a.txt", LOAN), ("b.txt", "乙方的秘密。")))
    assert "ValueError at read" in caplog.text
    assert "乙方" not in caplog.text


def test_stopping_takes_no_longer_than_promised_even_when_a_child_hangs(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.gate.clear()
    bench.queue.start()
    bench.drop(case.id, ("a.txt", LOAN))
    assert bench.encoder.embedding.wait(20)
    started = time.monotonic()
    bench.queue.stop()
    assert time.monotonic() - started < 4  # two seconds, and a busy machine
    bench.encoder.gate.set()


def test_a_full_disk_is_told_to_who_waits_and_the_work_goes_on_when_there_is_room(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = bench.store.cases.create("一")
    full = threading.Event()
    full.set()
    save = bench.store.documents.save_read

    def save_if_there_is_room(*arguments: Any, **named: Any) -> None:
        if full.is_set():
            raise StorageError("The disk is full.")
        save(*arguments, **named)

    monkeypatch.setattr(bench.store.documents, "save_read", save_if_there_is_room)
    bench.queue.start()
    added = bench.drop(case.id, ("a.txt", LOAN))
    with pytest.raises(StorageError, match="disk is full"):
        bench.reports(added)
    assert bench.store.documents.of_case(case.id)[0].status in (DocumentStatus.QUEUED, DocumentStatus.READING)
    full.clear()
    bench.until(lambda: bench.store.documents.of_case(case.id)[0].status is DocumentStatus.INDEXED)
    assert bench.reports(added)[0].status == "indexed"


def test_an_encoder_that_can_not_run_here_is_not_waited_for(bench: Bench) -> None:
    case = bench.store.cases.create("一")
    bench.encoder.go()
    bench.queue.start()
    bench.encoder.tell(Unavailable(reason="no AVX2"))
    (report,) = bench.reports(bench.drop(case.id, ("a.txt", LOAN)))
    assert report.status == "indexed_with_gaps"
    assert [job.kind for job in bench.store.jobs.unfinished()] == [JobKind.EMBED]
