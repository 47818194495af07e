"""What a second start brings to the window that has the home open: files to look at, or only the wish to see it.

A request is a file in `Home.doorstep`, there whole or not at all. The window deletes it when it takes it, which is the
receipt; one that nobody takes is taken back, so that nothing is opened hours later.
"""

from __future__ import annotations

import os
import time
import uuid
from contextlib import suppress
from pathlib import Path

import msgspec

from aipc_app.log import STORE
from aipc_app.paths import Home
from aipc_app.store.home_lock import is_held

_ENDING = ".json"
_LOOK_S = 0.02
_MOST_BYTES = 1 << 20


class Brought(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Absolute paths of files; none when the window is only to be shown."""

    files: tuple[str, ...] = ()


def hand_over(home: Home, files: tuple[Path, ...], *, wait_s: float = 3.0) -> bool:
    """Lay the files before the window that has the home open. True when it took them within `wait_s`.

    False when no program has the home open, or one that shows no window, like a command at work.
    """
    if not (home.doorstep.is_dir() and is_held(home)):
        return False
    request = home.doorstep / f"{uuid.uuid4().hex}{_ENDING}"
    try:
        _lay(request, Brought(tuple(str(file.absolute()) for file in files)))
    except OSError:
        return False
    until = time.monotonic() + wait_s
    while request.exists() and time.monotonic() < until:
        time.sleep(_LOOK_S)
    try:
        request.unlink()
    except OSError:
        return not request.exists()
    return False


def opened(home: Home) -> Path:
    """The folder to watch. What a second start laid there while the first one was opening is still there."""
    home.doorstep.mkdir(mode=0o700, exist_ok=True)
    return home.doorstep


def taken(home: Home) -> list[Brought]:
    """What lies there, in the order it came, and gone from there now. What can't be read is dropped."""
    found = []
    for request in sorted(home.doorstep.glob(f"*{_ENDING}"), key=_age):
        try:
            with request.open("rb") as file:
                found.append(msgspec.json.decode(file.read(_MOST_BYTES), type=Brought))
        except (OSError, msgspec.MsgspecError) as error:
            STORE.warning("a request at the doorstep is no request: %s", type(error).__name__)
        with suppress(OSError):
            request.unlink()
    return found


def _lay(request: Path, brought: Brought) -> None:
    unfinished = request.with_suffix(".new")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.encode(brought))
    unfinished.replace(request)


def _age(request: Path) -> int:
    try:
        return request.stat().st_mtime_ns
    except OSError:
        return 0
