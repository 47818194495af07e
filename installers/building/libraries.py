"""System libraries that travel along, so that a bare system runs the program.

Two kinds. What Python and the packages need is found by the files that need it (a run path relative to themselves).
What Qt needs of the desktop's own (X, GL, fonts, the bus) lies apart and is used only where the system has none:
a driver that the system loads into us must meet the system's own libxcb, not ours (`aipc_app.carried`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from building import elf

# Loaded by name at run time, so that no file names it as needed: RAR archives.
_LOADED_BY_NAME = ("libarchive.so.13",)
_ALWAYS_NEEDED = frozenset({"libz.so.1", "liblzma.so.5", "libbz2.so.1.0"})  # by Python too
_OF_THE_DESKTOP = "PySide6"


def carry(tree: Path) -> dict[str, Path]:
    """Copy them under `tree`; returns the originals by name, for the list of components."""
    python, site = tree / "python", _site_packages(tree)
    _drop_unreached_qt(site / _OF_THE_DESKTOP)
    compiled = elf.compiled_in(python)
    shipped = {file.path.name for file in compiled}
    own: dict[str, list[elf.Compiled]] = {}
    desktop: set[str] = set()
    for file in compiled:
        lacking = file.needed - elf.OF_THE_SYSTEM - shipped
        if _OF_THE_DESKTOP in file.path.parts:
            desktop |= lacking
        else:
            for name in lacking:
                own.setdefault(name, []).append(file)
    beside_python = elf.with_dependencies([*own, *_LOADED_BY_NAME])
    for name, source in beside_python.items():
        _copy(source, python / "lib" / name)
        _look_in(python / "lib" / name, python / "lib")
    for file in {file.path: file for files in own.values() for file in files}.values():
        _look_in(file.path, python / "lib", *file.looks_in)
    _look_in_python(tree)
    fallback = elf.with_dependencies(desktop)
    _lay_apart(fallback, tree / "libraries")
    return beside_python | fallback


def oldest_glibc(tree: Path) -> str:
    """The C library that the newest demand of what must run asks for. What is carried for systems without it,
    and what unpacks RAR, is left out: where it can't be loaded the system's own is, or RAR is refused with a sentence.
    """
    for_rar = elf.with_dependencies(_LOADED_BY_NAME)
    counted = (
        f for f in elf.compiled_in(tree / "python") if f.path.name not in for_rar or f.path.name in _ALWAYS_NEEDED
    )
    newest = max((file.glibc for file in counted), default=(2, 34))
    return ".".join(map(str, newest[:2]))


def _site_packages(tree: Path) -> Path:
    return next((tree / "python" / "lib").glob("python3.*/site-packages"))


def _lay_apart(libraries: dict[str, Path], folder: Path) -> None:
    folder.mkdir()
    for name, source in libraries.items():
        _copy(source, folder / name)
    (folder / "order").write_text("\n".join(libraries) + "\n", encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755)


def _look_in_python(tree: Path) -> None:
    """The interpreter and its own extensions find libpython and what lies beside it."""
    library = tree / "python" / "lib"
    files = [
        *(tree / "python" / "bin").iterdir(),
        *library.glob("libpython*"),
        *library.glob("python3.*/lib-dynload/*.so"),
    ]
    for path in files:
        _look_in(path, library)


def _look_in(path: Path, folder: Path, *also: str) -> None:
    """Set the run path of a file: the folder relative to the file, after what it had."""
    relative = os.path.relpath(folder, path.parent)
    here = "$ORIGIN" if relative == "." else f"$ORIGIN/{relative}"
    runpath = ":".join(dict.fromkeys([*(p for p in also if p.startswith("$ORIGIN")), here]))
    subprocess.run(["patchelf", "--set-rpath", runpath, path], check=True)


def _drop_unreached_qt(folder: Path) -> None:
    """Of Qt's libraries only what the modules and plugins at hand need; plugins for what is not there go too."""
    libraries = folder / "Qt" / "lib"
    for plugin in [path for path in (folder / "Qt" / "plugins").rglob("*.so") if path.is_file()]:
        if not all((libraries / n).exists() for n in elf.read([plugin])[0].needed if n.startswith("libQt6")):
            plugin.unlink()
    compiled = {file.path: file for file in elf.compiled_in(folder)}
    by_name = {path.name: file for path, file in compiled.items()}
    reached: set[str] = set()
    waiting = [n for path, file in compiled.items() if path.parent != libraries for n in file.needed]
    while waiting:
        name = waiting.pop()
        if name in by_name and name not in reached:
            reached.add(name)
            waiting += by_name[name].needed
    for path in compiled:
        if path.parent == libraries and path.name not in reached:
            path.unlink()
