"""What the person in front of the terminal sees, and how a step is run under their eyes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

LAST_LINES = 15


class SetupError(Exception):
    """Setting up can't go on; the message says what to do."""


def step(text: str) -> None:
    """A step begins."""
    print(f"==> {text}", flush=True)


def detail(text: str) -> None:
    """Something that happened inside a step."""
    print(f"    {text}", flush=True)


def duration(seconds: float) -> str:
    """A duration as a person says it: 40 s, 3 min 05 s."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def run(
    command: Sequence[str | Path],
    log: Path,
    *,
    on_line: Callable[[str], None] = lambda line: None,
    environment: Mapping[str, str] | None = None,
) -> bool:
    """Run the command, its output appended to `log` and shown to `on_line`; whether it succeeded."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        output.write(f"\n$ {' '.join(map(str, command))}   ({time.strftime('%Y-%m-%d %H:%M:%S')})\n")
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(os.environ if environment is None else environment),
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )
        with process, _stopped_with_us(process):
            for line in process.stdout or ():
                output.write(line)
                on_line(line.rstrip())
    return process.returncode == 0


@contextlib.contextmanager
def _stopped_with_us(process: subprocess.Popen[str]) -> Iterator[None]:
    """Whoever is interrupted takes the compilers along that pip has started."""
    try:
        yield
    except BaseException:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGTERM)
        else:
            process.terminate()
        raise


def must_run(
    command: Sequence[str | Path],
    log: Path,
    what_failed: str,
    *,
    on_line: Callable[[str], None] = lambda line: None,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Like run, but a failure raises SetupError with the end of the output and where the rest is."""
    if run(command, log, on_line=on_line, environment=environment):
        return
    ending = [f"    | {line}" for line in log.read_text(encoding="utf-8").splitlines()[-LAST_LINES:]]
    raise SetupError("\n".join([*ending, f"{what_failed} The whole log is in {log}."]))
