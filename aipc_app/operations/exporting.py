"""Documents for others, besides reviews."""

from __future__ import annotations

import threading
from pathlib import Path

from aipc_app.domain.exporting import DocumentPlan, ExportFormat
from aipc_app.errors import UserMistake
from aipc_app.operations.op import Op
from aipc_app.operations.services import Services


def write_document(services: Services, *, plan: DocumentPlan, path: Path) -> Op[Path]:
    """Write a document in the format that the path's ending tells. Raises UserMistake for another one, StorageError."""
    return Op("write document", lambda _emit, cancel: _write(services, plan, path, cancel))


def _write(services: Services, plan: DocumentPlan, path: Path, cancel: threading.Event) -> Path:
    ending = path.suffix.lower().removeprefix(".")
    if ending not in tuple(ExportFormat):
        known = ", ".join(f".{one.value}" for one in ExportFormat)
        raise UserMistake(f"A document is written as {known}; '{path.name}' ends otherwise.")
    services.reader.write(plan, path, ExportFormat(ending), cancel)
    return path
