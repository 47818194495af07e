"""aipc library export | import: the law library as one file."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import Any

from aipc_app.cli.output import Output
from aipc_app.operations.library import LibraryProgress, export_library, import_library
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("library", parents=[common], help="hand the law library on as one file, or take one")
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    for name, action, does in (
        ("export", _export, "write the library into FILE.aipclib"),
        ("import", _import, "take a package into the library"),
    ):
        verb = verbs.add_parser(name, parents=[common], help=does)
        verb.add_argument("file", type=Path, metavar="FILE")
        verb.set_defaults(action=action)


def _export(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    written = export_library(services, target=options.file).run(lambda event: _progress(event, output), cancel)
    if output.json:
        output.object({"file": str(options.file), **_fields(written, ("documents", "passages", "bytes", "left_out"))})
    left_out = f", {written.left_out} that could not be read left out" if written.left_out else ""
    output.line(f"{written.documents} documents, {written.passages} passages{left_out}: {options.file}")
    return 0


def _import(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    operation = import_library(services, path=options.file, wait=True)
    taken = operation.run(lambda event: _progress(event, output), cancel)
    if output.json:
        output.object({"file": str(options.file), **_fields(taken, ("documents", "passages", "known", "to_embed"))})
    output.line(f"{taken.documents} documents, {taken.passages} passages taken in; {taken.known} were here already.")
    return 0


def _fields(value: object, names: tuple[str, ...]) -> dict[str, object]:
    return {name: getattr(value, name) for name in names}


def _progress(event: object, output: Output) -> None:
    if isinstance(event, LibraryProgress):
        output.status(f"{event.share:.0%}")
