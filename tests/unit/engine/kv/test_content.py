"""A model file's name changes with any of its bytes, and it is hashed once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.kv import content
from engine.kv.content import content_name


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(bytes(range(256)) * 40)
    return path


def test_one_changed_byte_gives_another_name_and_a_copy_the_same(model: Path, tmp_path: Path) -> None:
    book = tmp_path / "kv" / "models.json"
    name = content_name([str(model)], "sampled", book)
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(model.read_bytes())
    assert content_name([str(copy)], "sampled", book) == name
    data = bytearray(model.read_bytes())
    data[5_000] ^= 1
    copy.write_bytes(data)
    assert content_name([str(copy)], "sampled", book) != name
    assert content_name([str(model), str(copy)], "sampled", book) != name
    assert content_name([str(model)], "other header", book) != name


def test_a_file_is_hashed_again_only_when_it_changed(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book, hashed = tmp_path / "models.json", list[Path]()
    digest = content._digest

    def counted(path: Path) -> str:
        hashed.append(path)
        return digest(path)

    monkeypatch.setattr(content, "_digest", counted)
    name = content_name([str(model)], "s", book)
    assert content_name([str(model)], "s", book) == name and len(hashed) == 1
    os.utime(model, ns=(1, 1))
    assert content_name([str(model)], "s", book) == name and len(hashed) == 2
    book.write_bytes(b"damaged")
    assert content_name([str(model)], "s", book) == name and len(hashed) == 3


def test_without_a_place_for_it_nothing_is_hashed_and_time_counts(model: Path) -> None:
    name = content_name([str(model)], "s", None)
    os.utime(model, ns=(1, 1))
    assert content_name([str(model)], "s", None) != name
