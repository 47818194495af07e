"""aipc backup FILE, aipc restore FILE."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import Any

from aipc_app import paths
from aipc_app.cli.output import Output
from aipc_app.operations.backup import back_up, restore_home
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    backup = commands.add_parser("backup", parents=[common], help="cases, documents, answers and settings in one file")
    backup.add_argument("file", type=Path, metavar="FILE")
    backup.set_defaults(action=_backup)
    restore = commands.add_parser("restore", parents=[common], help="put such a file into the data folder")
    restore.add_argument("file", type=Path, metavar="FILE")
    restore.add_argument("--force", action="store_true", help="move what is there aside")
    restore.set_defaults(action=_restore, without_home=True)


def _backup(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    path = options.file.absolute()
    manifest = back_up(services, path=path).run(lambda share: output.status(f"Backing up … {share:.0%}"), cancel)
    size = path.stat().st_size
    if output.json:
        output.object(
            {
                "file": str(path),
                "bytes": size,
                "files": len(manifest.files),
                "missing": manifest.missing,
                "damaged": manifest.damaged,
            }
        )
    output.line(f"{path}: {len(manifest.files)} files, {size / 1e6:.1f} MB")
    for name in manifest.missing:
        output.line(f"  not there any more: {name}")
    for name in manifest.damaged:
        output.line(f"  not what it was when it was added: {name}")
    return 0


def _restore(options: argparse.Namespace, output: Output) -> int:
    home = paths.home(options.home)
    operation = restore_home(home, path=options.file.absolute(), force=options.force)
    restored = operation.run(lambda share: output.status(f"Restoring … {share:.0%}"))
    if output.json:
        output.object(
            {
                "home": str(home.root),
                "files": len(restored.manifest.files),
                "made": restored.manifest.made,
                "aside": restored.aside,
                "left_out": restored.left_out,
            }
        )
    output.line(f"{home.root}: {len(restored.manifest.files)} files restored")
    if restored.aside:
        output.line(f"  what was there before is in {restored.aside}")
    for name in restored.left_out:
        output.line(f"  left out: {name}")
    return 0
