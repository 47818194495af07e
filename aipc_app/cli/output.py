"""What goes to standard output and what to standard error."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import msgspec

from aipc_app.messages import system_language, translate


def readable(argument: str) -> str:
    """An argument whose bytes are no UTF-8 keeps its file reachable only as bytes; for text it is made printable."""
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:
        return argument if Path(argument).exists() else os.fsencode(argument).decode("utf-8", "replace")
    return argument


class Output:
    """With `json`, standard output carries only JSON, one object a line."""

    def __init__(self, *, json: bool) -> None:
        self.json = json
        self._status_shown = False
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # the answer is UTF-8 whatever the terminal's code page is
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    def object(self, value: Any) -> None:
        """One JSON object on one line."""
        sys.stdout.write(msgspec.json.encode(value).decode("utf-8") + "\n")
        sys.stdout.flush()

    def line(self, text: str = "") -> None:
        """A line for a person; not with --json."""
        if not self.json:
            self._clear_status()
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    def write(self, text: str) -> None:
        """Streaming text for a person; not with --json."""
        if not self.json:
            self._clear_status()
            sys.stdout.write(text)
            sys.stdout.flush()

    def status(self, text: str) -> None:
        """Progress, overwritten by the next one on a terminal; silent elsewhere."""
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K" + text)
            sys.stderr.flush()
            self._status_shown = True

    def error(self, sentence: str) -> None:
        self._clear_status()
        sys.stderr.write(f"aipc: {translate(sentence, system_language())}\n")

    def _clear_status(self) -> None:
        if self._status_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._status_shown = False
