"""An original handed to the program that the system has for such files."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath

from aipc_app.domain.documents import Document
from aipc_app.errors import StorageError, UserMistake
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services

# Opening anything else might run it, or, for pages of the web, fetch what they name.
_PAPERS = ("pdf", "ofd", "doc", "docx", "wps", "odt", "rtf", "txt", "md", "eml", "msg")
_SHEETS = ("csv", "xls", "xlsx", "et", "ods", "ppt", "pptx", "dps", "odp")
_PICTURES = ("png", "jpg", "jpeg", "tif", "tiff", "bmp", "webp")
_OPENED = frozenset((*_PAPERS, *_SHEETS, *_PICTURES))


def copy_to_open(services: Services, *, document_id: int) -> Op[Path]:
    """A read-only copy of the original under its own name, for another program to open.

    Raises UserMistake for kinds of files that are not opened from here: programs, scripts, web pages, archives.
    """
    return simply("open original", lambda: _copy(services, services.store.documents.get(document_id)))


def _copy(services: Services, document: Document) -> Path:
    name = _safe_name(document.name)
    if PurePosixPath(name).suffix.lower().lstrip(".") not in _OPENED:
        raise UserMistake(
            "Files of this kind are not opened from here, because opening them may run or fetch something."
        )
    folder = services.home.caches / "opened" / document.sha256[:16]
    target = folder / name
    try:
        if not target.exists():
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.copyfile(services.store.originals.path(document.sha256), target)
            target.chmod(0o400)
    except OSError as error:
        raise StorageError(f"The file could not be copied to be opened ({error.strerror}).") from error
    return target


def _safe_name(name: str) -> str:
    """The last part of the name, without what a file system or a shell may take for something else."""
    last = PurePosixPath(name.replace("\\", "/")).name
    kept = "".join(c for c in last if c.isprintable() and c not in '<>:"/\\|?*').strip(". ")
    stem, dot, suffix = kept.rpartition(".")
    return f"{stem[:80]}{dot}{suffix[:10]}" if dot else kept[:80]
