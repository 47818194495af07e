"""Logging to a file in the home. Named by subject; never a word of a user's document or question."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

INIT = logging.getLogger("aipc.init")
STORE = logging.getLogger("aipc.store")
INGEST = logging.getLogger("aipc.ingest")
SEARCH = logging.getLogger("aipc.search")
ENGINE = logging.getLogger("aipc.engine")
WORKERS = logging.getLogger("aipc.workers")
ANSWER = logging.getLogger("aipc.answer")
UI = logging.getLogger("aipc.ui")

_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_MAX_BYTES, _KEPT_FILES = 2_000_000, 3


def to_file(path: Path, level: int = logging.INFO) -> logging.Handler:
    """Send the program's log to `path`, rotated. Returns the handler, to be closed at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=_MAX_BYTES, backupCount=_KEPT_FILES, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger("aipc")
    root.setLevel(level)
    root.propagate = False
    root.addHandler(handler)
    return handler


def stop(handler: logging.Handler) -> None:
    """Undo `to_file`."""
    logging.getLogger("aipc").removeHandler(handler)
    handler.close()
