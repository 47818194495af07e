"""The vector index follows the store: lost, damaged, or made by another embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus
from aipc_app.domain.jobs import JobKind
from aipc_app.errors import IndexDamaged

if TYPE_CHECKING:
    from tests.unit.aipc_app.ingest.conftest import Bench


def two_cases(bench: Bench) -> tuple[int, int]:
    one, two = bench.store.cases.create("一"), bench.store.cases.create("二")
    added = bench.drop(one.id, ("a.txt", "甲方。\f乙方。"), ("b.txt", "丙方。"))
    added += bench.drop(two.id, ("b.txt", "丙方。"), ("c.txt", "丁方。"))
    added += bench.drop(LIBRARY_ID, ("law.txt", "第一条　本法。"))
    bench.reports(added)
    return one.id, two.id


def contents(bench: Bench) -> dict[str, dict[int, int]]:
    return {name: dict(part) for name, part in bench.encoder.index.items() if part}


def test_a_deleted_index_is_filled_again_without_embedding_anything(bench: Bench) -> None:
    bench.queue.start()
    two_cases(bench)
    bench.until(lambda: not bench.store.jobs.unfinished())
    before, batches = contents(bench), len(bench.encoder.batches)
    bench.restart()
    bench.encoder.index.clear()
    bench.queue.start()
    bench.until_index(lambda: contents(bench) == before)
    assert len(bench.encoder.batches) == batches


def test_only_the_case_whose_count_differs_is_filled_again(bench: Bench) -> None:
    bench.queue.start()
    one, two = two_cases(bench)
    before = contents(bench)
    touched = bench.encoder.index[f"case-{two}"]
    bench.encoder.index[f"case-{one}"].popitem()
    bench.queue.check_index()
    bench.until_index(lambda: contents(bench) == before)
    assert bench.encoder.index[f"case-{two}"] is touched


def test_vectors_left_behind_by_a_kill_are_taken_out(bench: Bench) -> None:
    bench.queue.start()
    one, _ = two_cases(bench)
    before = contents(bench)
    bench.encoder.index[f"case-{one}"][9999] = 77
    bench.queue.check_index()
    bench.until_index(lambda: contents(bench) == before)


def test_an_index_that_breaks_in_the_middle_is_put_right_and_the_document_is_indexed(bench: Bench) -> None:
    bench.queue.start()
    one, _ = two_cases(bench)

    def break_once(*_arguments: object) -> None:
        del bench.encoder.index_add  # type: ignore[attr-defined]
        bench.encoder.index.clear()
        raise IndexDamaged("The index was lost.")

    bench.encoder.index_add = break_once  # type: ignore[method-assign]
    (report,) = bench.reports(bench.drop(one, ("d.txt", "戊方。")))
    assert report.status == "indexed"
    bench.until_index(lambda: len(bench.encoder.index.get(f"case-{one}", {})) == 4)
    assert len(bench.encoder.index[f"case-{LIBRARY_ID}"]) == 1


def test_another_embedder_makes_all_vectors_anew_while_the_old_ones_are_kept_until_then(bench: Bench) -> None:
    bench.queue.start()
    one, two = two_cases(bench)
    count = bench.store.vectors.embedders()["toy"]
    bench.restart()
    bench.encoder.name = "larger"
    bench.encoder.gate.clear()
    bench.encoder.embedding.clear()
    bench.queue.start()
    assert bench.encoder.embedding.wait(20)
    assert contents(bench) == {}  # what the new embedder asks for can't be met by the old one's vectors
    assert bench.store.vectors.embedders() == {"toy": count}
    assert {job.kind for job in bench.store.jobs.unfinished()} == {JobKind.EMBED}
    statuses = {document.status for case in (one, two) for document in bench.store.documents.of_case(case)}
    assert statuses == {DocumentStatus.INDEXED}  # they can be asked all the time
    bench.encoder.gate.set()
    bench.until(lambda: not bench.store.jobs.unfinished())
    assert bench.store.vectors.embedders() == {"larger": count}
    assert sorted(len(part) for part in contents(bench).values()) == [1, 2, 3]


def test_going_back_to_the_first_embedder_half_way_needs_only_what_was_replaced(bench: Bench) -> None:
    bench.queue.start()
    two_cases(bench)
    bench.encoder.batches.clear()
    bench.restart()
    bench.encoder.name = "larger"
    bench.encoder.deaths["甲"] = 9  # the new one fails on a document
    bench.queue.start()
    bench.until(lambda: bench.store.jobs.ended_badly(JobKind.EMBED) and not bench.store.jobs.unfinished())
    assert set(bench.store.vectors.embedders()) == {"toy", "larger"}
    bench.reports(bench.drop(LIBRARY_ID, ("more.txt", "第二条　本法。")))
    assert bench.encoder.deaths["甲"] == 7  # tried twice, then left alone
    bench.restart()
    bench.encoder.name, bench.encoder.deaths = "toy", {}
    bench.encoder.batches.clear()
    bench.queue.start()
    bench.until(lambda: bench.encoder.batches and not bench.store.jobs.unfinished())
    assert not any("甲" in text for batch in bench.encoder.batches for text in batch)
    assert set(bench.store.vectors.embedders()) == {"toy"}
