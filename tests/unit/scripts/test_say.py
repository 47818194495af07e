"""Commands that are run under a person's eyes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from setting_up import say
from setting_up.say import SetupError


@pytest.mark.parametrize(("seconds", "text"), [(0.4, "0 s"), (40, "40 s"), (59.7, "1 min 00 s"), (185, "3 min 05 s")])
def test_durations_are_said_as_people_do(seconds: float, text: str) -> None:
    assert say.duration(seconds) == text


def test_output_goes_to_the_log_and_line_by_line_to_the_caller(tmp_path: Path) -> None:
    lines: list[str] = []
    assert say.run([sys.executable, "-c", "print('one'); print('two')"], tmp_path / "l" / "log", on_line=lines.append)
    assert lines == ["one", "two"]
    assert "one\ntwo\n" in (tmp_path / "l" / "log").read_text()


def test_a_failure_shows_the_end_of_the_output_and_names_the_log(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('the cause'); raise SystemExit(3)"]
    with pytest.raises(SetupError) as failure:
        say.must_run(command, tmp_path / "log", "It could not be built.")
    assert "| the cause" in str(failure.value)
    assert str(failure.value).endswith(f"It could not be built. The whole log is in {tmp_path / 'log'}.")


def test_an_interruption_takes_along_what_the_command_started(tmp_path: Path) -> None:
    """The grandchild holds a pipe open; its end shows at the reading end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            script = f"exec 3>{pipe}; sleep 600 & echo started; wait"
            say.run(["sh", "-c", script], tmp_path / "log", on_line=interrupt)
        os.set_blocking(reading, True)
        assert os.read(reading, 1) == b""
    finally:
        os.close(reading)
