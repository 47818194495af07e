"""The settings in force, shared by everything that is built."""

from __future__ import annotations

import threading
from pathlib import Path

from aipc_app.settings.file import load, save
from aipc_app.settings.model import Settings


class SettingsHolder:
    """Current settings; a change is written before it is in force. Any thread."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._current = load(path)

    def __call__(self) -> Settings:
        return self._current

    def replace(self, settings: Settings) -> None:
        """Save, then use. Raises StorageError and keeps the old ones when they can't be saved."""
        with self._lock:
            save(self._path, settings)
            self._current = settings
