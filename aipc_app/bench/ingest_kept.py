"""Outcomes of files kept from an unfinished run of the reading benchmark: a long one may be stopped and go on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

READER = Path(__file__).resolve().parents[1] / "reader"
Outcome = TypeVar("Outcome", bound=msgspec.Struct)


class Kept(Generic[Outcome]):
    """A file with one outcome a line. Those of another reader, or of a file that has changed, are worked out anew."""

    def __init__(self, path: Path | None, kind: type[Outcome]) -> None:
        self._path, self._reader = path, reader_version()
        self._found: dict[str, Outcome] = {}
        if path is not None and path.is_file():
            for line in path.read_bytes().splitlines():
                key, outcome = msgspec.json.decode(line, type=tuple[str, kind])  # type: ignore[valid-type]
                self._found[key] = outcome

    def get(self, file: Path, work_out: Callable[[], Outcome]) -> Outcome:
        """What is kept of this file, or what `work_out` says, which is kept from now on."""
        state = file.stat()
        key = f"{self._reader} {state.st_size} {state.st_mtime_ns} {file}"
        if key not in self._found:
            self._found[key] = work_out()
            if self._path is not None:
                with self._path.open("ab") as kept:
                    kept.write(msgspec.json.encode((key, self._found[key])) + b"\n")
        return self._found[key]


def reader_version() -> str:
    """What the reader's source is; the same for every run of an installed program."""
    digest = hashlib.sha256()
    for module in sorted(READER.rglob("*.py")):
        digest.update(module.read_bytes())
    return digest.hexdigest()[:16]
