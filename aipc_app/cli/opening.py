"""aipc open FILE …: the window on files, as the desktop opens them. The window itself is main's to open."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

FILES = "opened_files"


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    does = "open the window on a law library (.aipclib), a backup, or documents of a new case"
    parser = commands.add_parser("open", parents=[common], help=does)
    parser.add_argument(FILES, nargs="*", type=Path, metavar="FILE")
