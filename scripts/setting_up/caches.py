"""Folders of the user's cache that a wheel, once built, is kept in for all checkouts."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from setting_up import say
from setting_up.say import SetupError


def user_cache() -> Path:
    """The folder that the program itself uses too (engine.models.assembly.default_cache_dir)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aipc"


def system_tag() -> str:
    """What a compiled library depends on besides its flags: processor family and C library."""
    library, version = platform.libc_ver()
    return "-".join(filter(None, [sysconfig.get_platform(), f"{library}{version}"])).replace(".", "_")


def python_tag() -> str:
    """The binary interface of this Python, for wheels that compile against its headers."""
    return sysconfig.get_config_var("SOABI") or f"cpython-{sys.version_info.major}{sys.version_info.minor}"


def wheel_in(folder: Path, pattern: str = "*.whl") -> Path | None:
    """The wheel that a finished build left, if any; or whatever else it was to leave."""
    return next(iter(sorted(folder.glob(pattern))), None)


def built_once(folder: Path, build: Callable[[Path], None], pattern: str = "*.whl") -> Path:
    """The wheel in `folder`; if there is none, `build` is called with an empty folder to leave one in.

    Two processes at once build once; a build that fails or is killed leaves nothing that looks finished.
    Raises SetupError if no wheel comes of it. Another `pattern` is for what is no wheel."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_name(folder.name + ".lock"), f"another build of {folder.name}"):
        if found := wheel_in(folder, pattern):
            return found
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".building-") as unfinished:
            build(Path(unfinished))
            wheel = wheel_in(Path(unfinished), pattern)
            if wheel is None:
                raise SetupError(f"Building {folder.name} left no wheel.")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            return wheel.replace(folder / wheel.name)


@contextlib.contextmanager
def locked(path: Path, who: str) -> Iterator[None]:
    """Alone until the end of the block; `who` is waited for, and named while we wait. A crash lets go."""
    try:
        import fcntl
    except ImportError:  # Windows: two set-ups at once are a waste there, not a fault
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say.detail(f"waiting for {who}")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
