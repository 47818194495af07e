"""The window takes what a second start of the program lays at the doorstep, and comes forward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject

from aipc_app.paths import Home
from aipc_app.store import doorstep


class Doorstep(QObject):
    """Watched from when it is made until `close`. `look_at` gets each request's files, none when it has none."""

    def __init__(self, parent: QObject, home: Home, look_at: Callable[[Sequence[Path]], object]) -> None:
        super().__init__(parent)
        self._home, self._look_at = home, look_at
        self._watcher = QFileSystemWatcher([str(doorstep.opened(home))], self)
        self._watcher.directoryChanged.connect(self._take)
        self._take()

    def close(self) -> None:
        """Nothing is taken any more."""
        self._watcher.removePaths(self._watcher.directories())

    def _take(self) -> None:
        for brought in doorstep.taken(self._home):
            self._look_at([Path(file) for file in brought.files])
