"""Packages of Debian in a folder of ours, and the variables of a process that sees the software GPU."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from setting_up import debian, software_gpu
from setting_up.say import SetupError

TARGETS = """\
http://archive.example/cloud stable
http://mirror.example/debian-security/ bookworm-security
http://mirror.example/debian/ bookworm
http://mirror.example/debian/ bookworm-updates
"""


def test_the_mirror_is_the_one_the_system_uses() -> None:
    assert debian.mirror(TARGETS) == "http://mirror.example/debian"
    assert debian.mirror("http://archive.example/cloud stable\n") is None


def test_apt_is_kept_inside_our_folder(tmp_path: Path) -> None:
    options = debian._options(tmp_path, "http://mirror.example/debian", ("bookworm", "trixie"))
    sources = (tmp_path / "sources.list").read_text().splitlines()
    assert [line.rsplit(" ", 2)[1] for line in sources] == ["bookworm", "trixie"]
    assert all("signed-by=" in line and "trusted" not in line for line in sources)
    for name in ("Dir::Etc::SourceList", "Dir::State", "Dir::Cache"):
        assert any(option.startswith(f"{name}={tmp_path}") for option in options)


def test_packages_that_can_t_be_fetched_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_mirror = subprocess.CompletedProcess([], 0, stdout="")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: no_mirror)
    wanted = software_gpu.PACKAGES["bookworm"]
    with pytest.raises(SetupError, match="No mirror"):
        debian.unpacked(tmp_path / "unpacked", "bookworm", wanted, tmp_path / "log")
    assert [path.name for path in tmp_path.iterdir()] == ["unpacked.lock"]


def test_a_process_is_shown_the_unpacked_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = tmp_path / "usr" / "lib" / "x86_64-linux-gnu"
    libraries.mkdir(parents=True)
    (libraries / "libvulkan_lvp.so").touch()
    monkeypatch.setattr(software_gpu, "folder", lambda: tmp_path)
    found = software_gpu.environment()
    assert isinstance(found, dict)
    described = json.loads(Path(found["VK_DRIVER_FILES"]).read_text())
    assert described["ICD"]["library_path"] == str(libraries / "libvulkan_lvp.so")
    assert found["LD_LIBRARY_PATH"] == str(libraries)


def test_without_a_driver_there_is_a_sentence_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(software_gpu, "folder", lambda: None)
    monkeypatch.setattr(software_gpu, "_SYSTEM_DRIVERS", tmp_path)
    assert "setup.py --vulkan" in str(software_gpu.environment())
