"""Logging to a file in the home. Named by subject; never a word of a user's document or question."""

from __future__ import annotations

import logging
import logging.handlers
import sys
from contextlib import suppress
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


class _LogFile(logging.handlers.RotatingFileHandler):
    """A line that a full disk has no room for is lost: what the user is told comes from elsewhere, in one sentence."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's own name
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


def to_file(path: Path, level: int = logging.INFO) -> logging.Handler:
    """Send the program's log to `path`, rotated. Returns the handler, to be closed at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = _LogFile(path, maxBytes=_MAX_BYTES, backupCount=_KEPT_FILES, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger("aipc")
    root.setLevel(level)
    root.propagate = False
    root.addHandler(handler)
    return handler


def stop(handler: logging.Handler) -> None:
    """Undo `to_file`."""
    logging.getLogger("aipc").removeHandler(handler)
    with suppress(OSError):  # what was not written yet may have no room
        handler.close()
