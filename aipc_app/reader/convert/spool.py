"""Temporary files of one document, in a folder that goes when the document is closed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO


class Spool:
    """Files under names of ours, found by the name that the document gives them.

    `within`: where the folder is made; whoever owns that one clears up when this process is killed.
    """

    def __init__(self, within: Path | None) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="aipc-reader-", dir=within))
        self._files: dict[str, Path] = {}

    def open(self, name: str) -> BinaryIO:
        """A new file to write and read, to be closed by the caller; of one name the last counts."""
        path = self.folder / f"{len(self._files):06}"
        self._files[name] = path
        return path.open("w+b")

    def writer(self, name: str) -> Callable[[BinaryIO], None]:
        """What puts the file of that name into another one; nothing for an empty file that was never written."""
        return partial(_copy, self._files.get(name))

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _copy(path: Path | None, target: BinaryIO) -> None:
    if path is not None:
        with path.open("rb") as file:
            shutil.copyfileobj(file, target, 1 << 20)
