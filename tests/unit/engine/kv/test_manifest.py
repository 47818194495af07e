"""Whose blocks these are survives what happens to files."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kv.manifest import Manifest, Marks, Owned, Pinned

ONE, TWO = bytes(20), bytes([1]) * 20


def owned(key: bytes, *owners: str, sources: tuple[str, ...] = ()) -> Owned:
    return Owned(key.hex(), owners, sources)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "owners.jsonl"


def test_marks_add_up_and_the_last_word_on_a_pin_counts(path: Path) -> None:
    book = Manifest(path)
    book.append([owned(ONE, "case:1", sources=("document:7",)), Pinned("case:1", True), Pinned("案件:2", True)])
    book.append([owned(ONE, "library"), owned(TWO, "case:2"), Pinned("case:1", False)])
    marks, pinned = Manifest(path).read()
    assert marks == {ONE: Marks({"case:1", "library"}, {"document:7"}), TWO: Marks({"case:2"}, set())}
    assert pinned == {"案件:2"}


def test_what_is_written_anew_is_all_there_is(path: Path) -> None:
    book = Manifest(path)
    book.append([owned(ONE, "case:1"), Pinned("case:1", True)])
    book.rewrite({TWO: Marks({"case:2"}, {"document:1"})}, ["case:2"])
    book.append([owned(TWO, "case:3")])
    assert Manifest(path).read() == ({TWO: Marks({"case:2", "case:3"}, {"document:1"})}, {"case:2"})
    assert b"case:1" not in path.read_bytes()


def test_no_file_is_no_marks(path: Path) -> None:
    assert Manifest(path).read() == ({}, set())


@settings(max_examples=60)
@given(st.integers(0, 400), st.integers(0, 7))
def test_a_flipped_bit_or_a_cut_costs_little_and_the_file_stays_of_use(at: int, bit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "owners.jsonl"
        keys = [bytes([n]) * 20 for n in range(6)]
        Manifest(path).append([owned(key, "case:1") for key in keys])
        data = bytearray(path.read_bytes())
        where = at % len(data)
        for damaged in (bytes(data[:where]), bytes([*data[:where], data[where] ^ 1 << bit, *data[where + 1 :]])):
            path.write_bytes(damaged)
            book = Manifest(path)
            before, _ = book.read()
            assert all(marks == Marks({"case:1"}, set()) and key in keys for key, marks in before.items())
            if len(damaged) == len(data):
                assert len(before) >= len(keys) - 2  # a flipped line's end joins two lines
            book.append([owned(TWO, "case:9")])
            assert "case:9" in Manifest(path).read()[0][TWO].owners
