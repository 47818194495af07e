"""A screen that nobody sees: Xvfb, what a program shows there, pictures of it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

TOOLS = ("Xvfb", "import", "xwininfo")
SIZE = "1280x800x24"
_PAINTED_S = 12  # from a window's being there to its having shown what it has to


@contextmanager
def virtual(display: str) -> Iterator[None]:
    """A screen under that name (":97") without a network."""
    command = ["Xvfb", display, "-screen", "0", SIZE, "-nolisten", "tcp"]
    screen = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        _until(lambda: Path(f"/tmp/.X11-unix/X{display[1:]}").exists(), 20)
        yield
    finally:
        screen.terminate()
        screen.wait()


def wait_for_window(display: str, program: subprocess.Popen[str], limit_s: float = 120) -> None:
    """Until a window is mapped and has had time to paint. Raises AssertionError with what the program said."""
    listing = ["xwininfo", "-display", display, "-root", "-tree"]

    def is_there() -> bool:
        return "AIPC" in subprocess.run(listing, capture_output=True, text=True).stdout or program.poll() is not None

    _until(is_there, limit_s)
    if program.poll() is None:
        time.sleep(_PAINTED_S)
    output = program.communicate(timeout=5)[0] if program.poll() is not None else ""
    assert program.poll() is None, f"the window is gone: {output[-800:]}"


def picture(display: str, target: Path) -> None:
    """All that is on the screen, as PNG."""
    subprocess.run(["import", "-display", display, "-window", "root", target], check=True)


def end(program: subprocess.Popen[str]) -> None:
    """It and all it started: strace alone would let go of the program and leave it running."""
    os.killpg(program.pid, signal.SIGTERM)
    try:
        program.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        program.communicate()


def _until(holds: Callable[[], object], limit_s: float) -> None:
    until = time.monotonic() + limit_s
    while not holds():
        assert time.monotonic() < until, f"it did not happen within {limit_s:.0f} s"
        time.sleep(0.2)
