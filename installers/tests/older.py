"""A package of an earlier version, to update from: the program of before the last change of the schema.

Python and the packages are today's: what an update may lose is the data, and that depends on the program alone.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import packing

ROOT = Path(__file__).resolve().parents[2]
NAME, VERSION = "aipc_0.0.1_older.deb", "0.0.1"
_PROGRAM = ("aipc_app", "engine", "assets")


def package(work: Path) -> Path:
    """It is made in `work`, over the folder that the last build left."""
    tree, target = work / "older", work / NAME
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT / "build" / "installer" / "tree", tree, copy_function=os.link)
    shutil.rmtree(tree / "app")
    (tree / "app").mkdir()
    archive = ["git", "archive", commit(), *_PROGRAM]
    with subprocess.Popen(archive, cwd=ROOT, stdout=subprocess.PIPE) as files:
        subprocess.run(["tar", "-x", "-C", tree / "app"], stdin=files.stdout, check=True)
    about = json.loads((tree / "installation.json").read_text(encoding="utf-8"))
    # Not through the link: that would write into today's folder, too.
    (tree / "installation.json").unlink()
    (tree / "installation.json").write_text(json.dumps({**about, "version": VERSION, "commit": commit()[:12]}) + "\n")
    made = packing.About(VERSION, about["glibc"], platform.machine())
    packing.debian_package(tree, made, work, target, level=0)
    shutil.rmtree(tree)
    return target


def commit() -> str:
    """The last one that knew an earlier schema."""
    migrations = ["git", "log", "-1", "--format=%H", "--", "aipc_app/store/migrations"]
    last = subprocess.check_output(migrations, cwd=ROOT, text=True).strip()
    return subprocess.check_output(["git", "rev-parse", f"{last}^"], cwd=ROOT, text=True).strip()
