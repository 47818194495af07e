"""A wheel is built once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from setting_up import caches
from setting_up.say import SetupError

NAME = "x-1-py3-none-any.whl"


def test_a_wheel_is_built_once_and_then_taken_from_the_cache(tmp_path: Path) -> None:
    built: list[Path] = []

    def build(target: Path) -> None:
        built.append(target)
        (target / NAME).write_text("wheel")

    first = caches.built_once(tmp_path / "wheels" / "key", build)
    assert caches.built_once(tmp_path / "wheels" / "key", build) == first == tmp_path / "wheels" / "key" / NAME
    assert len(built) == 1


def test_a_build_that_fails_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    def build(target: Path) -> None:
        (target / NAME).write_text("half a wheel")
        raise SetupError("The compiler crashed.")

    with pytest.raises(SetupError, match="crashed"):
        caches.built_once(tmp_path / "key", build)
    assert caches.wheel_in(tmp_path / "key") is None
    assert list(tmp_path.rglob("*.whl")) == []


def test_a_build_that_makes_no_wheel_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="left no wheel"):
        caches.built_once(tmp_path / "key", lambda target: None)


def test_two_set_ups_at_once_build_once(tmp_path: Path) -> None:
    started, go_on = threading.Event(), threading.Event()
    built: list[str] = []

    def slow(target: Path) -> None:
        started.set()
        assert go_on.wait(30)
        built.append("first")
        (target / NAME).write_text("wheel")

    def never(target: Path) -> None:
        built.append("second")
        (target / NAME).write_text("wheel")

    first = threading.Thread(target=caches.built_once, args=(tmp_path / "key", slow))
    second = threading.Thread(target=caches.built_once, args=(tmp_path / "key", never))
    first.start()
    assert started.wait(30)
    second.start()
    go_on.set()
    first.join()
    second.join()
    assert built == ["first"]


def test_the_cache_is_the_one_the_program_uses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from engine.models.assembly import default_cache_dir

    for value in (str(tmp_path), ""):
        monkeypatch.setenv("XDG_CACHE_HOME", value)
        assert caches.user_cache() == default_cache_dir()
