"""Durable work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.domain.jobs import JobKind, JobState
from aipc_app.paths import Home
from aipc_app.store import Store

if TYPE_CHECKING:
    from tests.unit.aipc_app.store.conftest import Filler

READ, EMBED = JobKind.READ, JobKind.EMBED


def test_work_is_queued_once_and_taken_in_order_of_its_kind(store: Store, fill: Filler) -> None:
    a, b = fill.document(LIBRARY_ID, "a"), fill.document(LIBRARY_ID, "b")
    first = store.jobs.add(READ, a.id)
    assert store.jobs.add(READ, a.id) == first
    store.jobs.add(EMBED, a.id)
    store.jobs.add(READ, b.id)
    taken = store.jobs.next([READ])
    assert taken is not None and (taken.document_id, taken.state, taken.attempts) == (a.id, JobState.RUNNING, 1)
    again = store.jobs.add(READ, a.id)  # while one runs, another may wait
    assert again.id != first.id
    order = [job.document_id for job in iter(lambda: store.jobs.next([READ]), None)]
    assert order == [b.id, a.id]
    assert store.jobs.pending() == 4
    assert store.jobs.next([EMBED, READ]) is not None
    assert store.jobs.next([EMBED]) is None


def test_a_glance_counts_documents_and_a_list_begins_with_what_matters(store: Store, fill: Filler) -> None:
    done, failed, running, waiting = (fill.document(LIBRARY_ID, text).id for text in "abcd")
    for document_id in (done, failed, running):
        store.jobs.add(READ, document_id)
        job = store.jobs.next([READ])
        assert job is not None
        if document_id == done:
            store.jobs.finish(job.id)
        elif document_id == failed:
            store.jobs.fail(job.id, "damaged", retry=False)
    for kind in (READ, EMBED):
        store.jobs.add(kind, waiting)
    glance = store.jobs.glance()
    assert (glance.pending, glance.failed) == ({running, waiting}, 1)
    assert [job.document_id for job in store.jobs.foremost(9)] == [running, failed, waiting, waiting]
    assert [job.document_id for job in store.jobs.foremost(2)] == [running, failed]
    assert store.jobs.any_unfinished(EMBED)
    store.jobs.next([EMBED])
    assert store.jobs.any_unfinished(EMBED)
    store.jobs.cancel(store.jobs.of_document(waiting)[-1].id)
    assert not store.jobs.any_unfinished(EMBED) and store.jobs.any_unfinished(READ)


def test_the_preferred_case_goes_first(store: Store, fill: Filler) -> None:
    case = store.cases.create("一")
    other, mine = fill.document(LIBRARY_ID, "a"), fill.document(case.id, "b")
    for document in (other, mine):
        store.jobs.add(READ, document.id)
    assert store.jobs.waiting(READ, case.id)
    taken = store.jobs.next([READ], prefer_case=case.id)
    assert taken is not None and taken.document_id == mine.id
    assert not store.jobs.waiting(READ, case.id)


def test_what_a_kill_left_running_is_queued_again(store: Store, fill: Filler, home: Home) -> None:
    a, b = fill.document(LIBRARY_ID, "a"), fill.document(LIBRARY_ID, "b")
    for document in (a, b):
        store.jobs.add(READ, document.id)
        store.jobs.next([READ])
    store.jobs.add(READ, b.id)
    store.close()
    opened = Store.open(home)
    opened.jobs.requeue_running()
    assert [(job.document_id, job.state) for job in opened.jobs.list()] == [
        (a.id, JobState.QUEUED),
        (b.id, JobState.QUEUED),
    ]
    opened.close()


def test_a_job_ends_done_failed_or_cancelled_or_waits_for_another_try(store: Store, fill: Filler) -> None:
    ids = [fill.document(LIBRARY_ID, text).id for text in "abcde"]
    jobs = []
    for document_id in ids:
        store.jobs.add(READ, document_id)
        job = store.jobs.next([READ])
        assert job is not None
        jobs.append(job)
    store.jobs.progress(jobs[0].id, 0.5)
    assert store.jobs.get(jobs[0].id).progress == 0.5
    store.jobs.finish(jobs[0].id)
    store.jobs.fail(jobs[1].id, "damaged", retry=False)
    store.jobs.fail(jobs[2].id, "died", retry=True)
    store.jobs.cancel(jobs[3].id)
    store.jobs.postpone(jobs[4].id)
    seen = [(job.state, job.attempts, job.reason, job.progress) for job in store.jobs.list()]
    assert seen == [
        (JobState.DONE, 1, None, 1.0),
        (JobState.FAILED, 1, "damaged", 0.0),
        (JobState.QUEUED, 1, "died", 0.0),
        (JobState.CANCELLED, 1, None, 0.0),
        (JobState.QUEUED, 0, None, 0.0),
    ]
    assert store.jobs.ended_badly(READ) == {ids[1], ids[3]}
    store.jobs.fail(jobs[0].id, "too late", retry=False)
    assert store.jobs.get(jobs[0].id).state is JobState.DONE
    store.jobs.add(READ, ids[1])
    assert store.jobs.ended_badly(READ) == {ids[3]}


def test_only_the_latest_finished_jobs_are_kept(store: Store, fill: Filler) -> None:
    document = fill.document(LIBRARY_ID)
    for _ in range(230):
        store.jobs.add(READ, document.id)
        job = store.jobs.next([READ])
        assert job is not None
        store.jobs.finish(job.id)
    assert 190 <= len(store.jobs.list()) <= 201
