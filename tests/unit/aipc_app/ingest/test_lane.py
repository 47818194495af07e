"""Threads that sleep when there is nothing, and end when told."""

from __future__ import annotations

import threading
import time

import pytest

from aipc_app.domain.jobs import Changes
from aipc_app.errors import StorageError
from aipc_app.ingest.announce import Announcer
from aipc_app.ingest.lane import LONGEST_PAUSE_S, Backoff, Lane


def test_a_lane_sleeps_until_it_is_woken_and_ends_when_told() -> None:
    steps: list[int] = []
    stepped = threading.Semaphore(0)

    def step() -> None:
        steps.append(1)
        stepped.release()

    lane = Lane("test", step)
    lane.start()
    assert stepped.acquire(timeout=10)
    assert not stepped.acquire(timeout=0.2)
    lane.wake()
    assert stepped.acquire(timeout=10)
    lane.ask_to_stop()
    assert lane.join(10)
    assert len(steps) == 2


def test_a_lane_survives_errors_and_keeps_the_storage_problem_until_it_is_over(
    caplog: pytest.LogCaptureFixture,
) -> None:
    errors: list[Exception | None] = [StorageError("The disk is full."), ValueError("甲方的话"), None]
    stepped = threading.Semaphore(0)
    seen: list[StorageError | None] = []

    def step() -> None:
        seen.append(lane.problem)
        error = errors.pop(0)
        stepped.release()
        if error is not None:
            raise error

    lane = Lane("test", step)
    lane.start()
    for _ in range(3):
        assert stepped.acquire(timeout=10)
        lane.wake()
    lane.ask_to_stop()
    lane.join(10)
    assert seen[0] is None
    assert isinstance(seen[1], StorageError)
    assert "ValueError at step test_lane.py" in caplog.text
    assert "甲方" not in caplog.text


def test_pauses_grow_to_a_bound_and_start_again_after_a_success() -> None:
    backoff = Backoff()
    pauses = [backoff.next_pause_s() for _ in range(12)]
    assert pauses == sorted(pauses) and pauses[0] < 1 and pauses[-1] == LONGEST_PAUSE_S
    backoff.reset()
    assert backoff.next_pause_s() == pauses[0]


def test_progress_is_told_at_most_ten_times_a_second_and_changes_of_state_always() -> None:
    heard: list[Changes] = []
    announcer = Announcer(heard.append)
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        announcer.progressed()
    assert 1 <= len(heard) <= 6
    heard.clear()
    for _ in range(20):
        announcer.changed(Changes(jobs=True))
    assert len(heard) == 20


def test_whoever_waits_for_news_is_woken_by_it() -> None:
    announcer = Announcer(lambda _changes: None)
    version = announcer.version
    threading.Timer(0.05, lambda: announcer.changed(Changes(jobs=True))).start()
    started = time.monotonic()
    announcer.wait_beyond(version, 20)
    assert time.monotonic() - started < 10
