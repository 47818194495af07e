"""The Python that the program brings: the one that runs the build, without what a desktop program has no use for."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
# readline and the DBM bindings would bring GPL code along; the rest is tests, other windows, terminals, other systems.
_MODULES_LEFT_OUT = [
    "_ctypes_test*",
    "_curses*",
    "_dbm*",
    "_gdbm*",
    "_test*",
    "_tkinter*",
    "_xx*",
    "xxlimited*",
    "_xxtest*",
    "readline*",
    "nis*",
    "ossaudiodev*",
    "spwd*",
    "_crypt.*",
]
_PACKAGES_LEFT_OUT = [
    "__pycache__",
    "test",
    "tests",
    "idlelib",
    "tkinter",
    "turtledemo",
    "lib2to3",
    "ensurepip",
    "site-packages",
    "dist-packages",
    "pydoc_data",
    "curses",
    "dbm",
    "config-*",
    "lib-dynload",
    "turtle.py",
    "crypt.py",
]


def copy(target: Path) -> None:
    """Interpreter, library and standard library under `target`, in the layout that finds itself wherever it lies."""
    library = target / "lib" / f"python{VERSION}"
    ignore = shutil.ignore_patterns(*_PACKAGES_LEFT_OUT)
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=ignore)
    extensions = Path(sysconfig.get_path("stdlib")) / "lib-dynload"
    shutil.copytree(extensions, library / "lib-dynload", ignore=shutil.ignore_patterns(*_MODULES_LEFT_OUT))
    (library / "site-packages").mkdir()
    (target / "bin").mkdir()
    program = target / "bin" / "python3"
    shutil.copyfile(Path(sys._base_executable).resolve(), program)  # type: ignore[attr-defined]
    program.chmod(0o755)
    shared = str(sysconfig.get_config_var("INSTSONAME") or "")
    if sysconfig.get_config_var("Py_ENABLE_SHARED"):
        found = Path(str(sysconfig.get_config_var("LIBDIR"))) / shared
        shutil.copyfile(found, target / "lib" / shared)
        subprocess.run(["strip", "--strip-unneeded", target / "lib" / shared], check=True)
    subprocess.run(["strip", "--strip-unneeded", program, *(library / "lib-dynload").glob("*.so")], check=True)
