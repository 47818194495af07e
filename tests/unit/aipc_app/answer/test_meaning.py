"""Vectors are worked out once, kept within bounds, and safe to ask for from several threads."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Sequence

import pytest
from msgspec import Struct

from aipc_app.answer import meaning
from aipc_app.answer.meaning import Meaning
from aipc_app.answer.units import Units, cut_units
from aipc_app.domain.encoder_wire import TextKind
from tests.unit.aipc_app.answer.material import source


class Rows(Struct, frozen=True):
    dimensions: int
    data: bytes


class Letters:
    """Encodes a text as (its length, 1), and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], kind: TextKind) -> Rows:
        self.asked += texts
        return Rows(2, b"".join(array("f", (len(text), 1.0)).tobytes() for text in texts))


def units(first: int, count: int) -> Units:
    return cut_units((source("".join(f"Sentence number {first + i} says so.\n" for i in range(count))),))


def expected(claim: str, of: Units) -> dict[int, float]:
    return {i: len(claim) * len(unit.text) + 1.0 for i, unit in enumerate(of.items)}


def test_more_units_than_the_cache_holds_all_get_their_similarity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "_MOST_CACHED", 4)
    encoder, many = Letters(), units(10, 9)
    asked = Meaning(encoder)
    assert asked.similarities("claim", many) == expected("claim", many)
    assert asked.similarities("claim", many) == expected("claim", many)


def test_units_known_before_survive_the_new_ones_of_the_same_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "_MOST_CACHED", 4)
    encoder = Letters()
    asked = Meaning(encoder)
    asked.similarities("claim", units(10, 4))
    overlapping = units(9, 2)
    assert asked.similarities("claim", overlapping) == expected("claim", overlapping)


def test_a_vector_is_worked_out_once_and_the_longest_unused_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "_MOST_CACHED", 4)
    encoder = Letters()
    asked = Meaning(encoder)
    for first, count in ((10, 2), (20, 2), (10, 2), (30, 2)):
        asked.similarities("claim", units(first, count))
    encoder.asked.clear()
    asked.similarities("claim", units(10, 2))
    assert encoder.asked == ["claim"]
    asked.similarities("claim", units(20, 2))
    assert len(encoder.asked) == 4


class Meeting(Letters):
    """Lets the first call wait in the middle until the others have gone through, or have had to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.inside, self.go_on = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str], kind: TextKind) -> Rows:
        if tuple(texts) == ("first",):
            self.inside.set()
            assert self.go_on.wait(60)
        return super().embed(texts, kind)


def test_another_threads_units_do_not_push_out_those_of_a_call_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "_MOST_CACHED", 4)
    encoder = Meeting()
    asked = Meaning(encoder)
    results: dict[str, dict[int, float]] = {}

    def ask(claim: str, of: Units) -> None:
        results[claim] = asked.similarities(claim, of)

    early, late = units(10, 3), units(20, 4)
    first = threading.Thread(target=ask, args=("first", early))
    first.start()
    assert encoder.inside.wait(60)
    ask("second", late)
    encoder.go_on.set()
    first.join(60)
    assert results == {"first": expected("first", early), "second": expected("second", late)}
