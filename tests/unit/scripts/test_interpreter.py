"""Which Python sets up."""

from __future__ import annotations

import ast
import stat
import sys
from pathlib import Path

import pytest
from setting_up import interpreter

SCRIPTS = Path(__file__).parents[3] / "scripts"


def put_python(folder: Path, name: str, exit_status: int) -> Path:
    """A stand-in for an interpreter that answers the question about its version with its exit status."""
    path = folder / name
    path.write_text(f"#!/bin/sh\nexit {exit_status}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize("path", ["setup.py", "setting_up/interpreter.py", "setting_up/__init__.py"])
def test_an_old_python_can_read_what_it_must_read(path: str) -> None:
    ast.parse((SCRIPTS / path).read_text(encoding="utf-8"), feature_version=(3, 6))
    assert "from __future__ import annotations" not in (SCRIPTS / path).read_text(encoding="utf-8")


def test_this_python_is_new_enough_and_a_missing_one_is_not(tmp_path: Path) -> None:
    assert interpreter.is_new_enough(sys.executable)
    assert not interpreter.is_new_enough(str(tmp_path / "python3.12"))


def test_a_name_that_does_not_run_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_python(tmp_path, "python3.11", 127)
    good = put_python(tmp_path, "python3.13", 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert interpreter.find_newer(interpreter.NAMES) == str(good)


def test_without_a_newer_python_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert interpreter.run_with_newer(["setup.py"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("AIPC needs Python 3.11 or newer, but python3 here is ")
    assert said.count("\n") == 1


def test_a_newer_python_is_given_the_same_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = put_python(tmp_path, "python3.12", 0)
    python.write_text(f'#!/bin/sh\n[ "$1" = -c ] || echo "$@" > {tmp_path}/asked\n[ "$1" = -c ] || exit 7\n')
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(interpreter, "NAMES", ("python3.12",))
    assert interpreter.run_with_newer(["setup.py", "--models", "none"]) == 7
    assert (tmp_path / "asked").read_text() == "setup.py --models none\n"
