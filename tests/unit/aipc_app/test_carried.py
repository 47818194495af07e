"""An installed program brings libraries for systems that lack them, and leaves the system's own alone."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from aipc_app import carried, paths
from aipc_app.paths import Home


def test_the_systems_own_library_is_used_and_only_a_missing_one_is_taken_from_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "order").write_text("libthere.so.1\nliblacking.so.1\nlibbroken.so.1\n", encoding="utf-8")
    loaded: list[str] = []

    def load(name: str) -> None:
        if name in ("liblacking.so.1", "libbroken.so.1", str(tmp_path / "libbroken.so.1")):
            raise OSError(name)
        loaded.append(name)

    monkeypatch.setattr(ctypes, "CDLL", load)
    carried.load_from(tmp_path)
    assert loaded == ["libthere.so.1", str(tmp_path / "liblacking.so.1")]


def test_a_checkout_brings_none_and_an_installation_has_models_for_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert paths.installation() is None
    (tmp_path / "installation.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "python"))
    assert paths.installation() == tmp_path
    assert tmp_path / "models" in paths.model_folders(Home(tmp_path / "home"))
