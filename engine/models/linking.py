"""One file under two names without its bytes twice, where the file system can."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def link(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`: a hard link, else a symbolic link, else a copy that keeps its
    time of writing. Something else under that name is replaced in one step. Raises OSError."""
    if target.exists() and target.samefile(source):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(target.name + ".new")
    new.unlink(missing_ok=True)
    try:
        os.link(source, new)
    except OSError:
        _link_or_copy(source, new)
    new.replace(target)


def _link_or_copy(source: Path, new: Path) -> None:
    try:
        new.symlink_to(source.resolve())
    except OSError:
        shutil.copy2(source, new)
