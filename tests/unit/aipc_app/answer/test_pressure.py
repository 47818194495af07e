"""The load of other programs is what is busy without ourselves; asked too often it keeps what it said."""

from __future__ import annotations

import os

import pytest

from aipc_app.answer.pressure import CoreSeconds, Pressure, core_seconds, others_share, running_on_battery


def test_our_own_work_is_no_load_of_others() -> None:
    before = CoreSeconds(100.0, 50.0, {1: 10.0, 2: 20.0})
    ours = CoreSeconds(120.0, 70.0, {1: 18.0, 2: 20.0, 3: 12.0})  # a child that began meanwhile counts in full
    assert others_share(before, ours) == 0.0
    theirs = CoreSeconds(120.0, 68.0, {1: 12.0, 2: 20.0})
    assert others_share(before, theirs) == pytest.approx(16 / 20)
    assert others_share(before, before) == 0.0


def test_a_moment_is_too_short_to_tell() -> None:
    now, busy = [0.0], [0.0]
    pressure = Pressure(lambda: CoreSeconds(now[0], busy[0], {}), lambda: False, lambda: now[0])
    now[0], busy[0] = 10.0, 9.0
    assert pressure.busy()
    now[0], busy[0] = 10.5, 9.0
    assert pressure.busy()
    now[0], busy[0] = 12.0, 9.0
    assert not pressure.busy()


def test_this_pc_is_read() -> None:
    before = core_seconds()
    assert os.getpid() in before.own
    assert 0.0 < before.busy <= before.total
    assert running_on_battery() in (True, False)
