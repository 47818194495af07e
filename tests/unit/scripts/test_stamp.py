"""When nothing is to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from setting_up import stamp
from setting_up.stamp import Stamp


def test_more_than_asked_for_is_enough_and_less_is_not() -> None:
    installed = Stamp("a", frozenset({"dev", "transformers"}))
    assert installed.covers(Stamp("a", frozenset({"dev"})))
    assert not Stamp("a", frozenset({"dev"})).covers(installed)
    assert not installed.covers(Stamp("b", frozenset({"dev"})))


def test_a_stamp_is_read_back_until_it_is_removed(tmp_path: Path) -> None:
    written = Stamp("a", frozenset({"dev"}))
    stamp.write(tmp_path, written)
    assert stamp.read(tmp_path) == written
    stamp.remove(tmp_path)
    assert stamp.read(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"fingerprint": "a"}', '{"fingerprint": "a", "extras": 1}'])
def test_a_damaged_stamp_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / stamp.NAME).write_text(text)
    assert stamp.read(tmp_path) is None


def test_the_fingerprint_follows_texts_and_files(tmp_path: Path) -> None:
    file = tmp_path / "constraints.txt"
    file.write_text("a==1\n")
    first = stamp.fingerprint(["x", "y"], [file])
    assert stamp.fingerprint(["x", "y"], [file]) == first
    assert stamp.fingerprint(["xy", ""], [file]) != first
    file.write_text("a==2\n")
    assert stamp.fingerprint(["x", "y"], [file]) != first
