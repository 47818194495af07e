"""Builds the Windows installer, on 64-bit Windows: `.venv\\Scripts\\python installers\\windows\\build.py EMBED.zip`.

EMBED.zip is python.org's "Windows embeddable package (64-bit)" of the Python that runs this. Needs makensis in the
PATH, and the checkout set up there (llama.cpp compiled with Visual Studio's build tools). Never run so far: what was
tried is written in installers/README.md. `--stub` compiles the NSIS script over an empty tree, on any system.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "windows"
_COMMAND = '@"%~dp0python\\python.exe" -m aipc_app %*\r\n'
_PATHS = "python{0}.zip\r\n.\r\nLib\\site-packages\r\n..\\app\r\nimport site\r\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="build.py", description="Build the Windows installer of AIPC.")
    parser.add_argument("embedded", nargs="?", type=Path, help="python.org's embeddable package")
    parser.add_argument("--stub", action="store_true", help="only compile the script, over an empty tree")
    options = parser.parse_args()
    if options.stub:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "installation.json").write_text("{}")
            _compile(Path(folder), Path(folder).parent / "aipc-stub.exe")
        return 0
    if sys.platform != "win32" or options.embedded is None:
        parser.error("run this on Windows with the embeddable package, or with --stub anywhere")
    tree = _tree(options.embedded)
    (ROOT / "dist").mkdir(exist_ok=True)
    _compile(tree, ROOT / "dist" / f"aipc-{_version()}-x64.exe")
    return 0


def _tree(embedded: Path) -> Path:
    from building import licences, packages

    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    with zipfile.ZipFile(embedded) as archive:
        archive.extractall(tree / "python")
    digits = f"{sys.version_info.major}{sys.version_info.minor}"
    (tree / "python" / f"python{digits}._pth").write_text(_PATHS.format(digits), newline="")
    site = tree / "python" / "Lib" / "site-packages"
    chosen = packages.needed()
    packages.copy(chosen, site, packages.qt_modules(ROOT / "aipc_app"))
    packages.copy_program(ROOT, tree / "app")
    components = [licences.of_python(), *licences.of_packages(chosen)]
    licences.copy_texts(components, tree / "licences")
    (tree / "licences" / "components.cdx.json").write_text(licences.cyclonedx(components, _version()), encoding="utf-8")
    packages.compile_all(site)
    packages.compile_all(tree / "app")
    (tree / "aipc.cmd").write_text(_COMMAND, newline="")
    _icon(tree / "aipc.ico")
    (tree / "installation.json").write_text(json.dumps({"version": _version(), "machine": "AMD64"}) + "\n")
    return tree


def _icon(target: Path) -> None:
    from PySide6.QtGui import QGuiApplication, QIcon

    application = QGuiApplication([])
    QIcon(str(ROOT / "assets" / "icons" / "aipc.svg")).pixmap(256, 256).save(str(target), "ICO")
    del application


def _compile(tree: Path, target: Path) -> None:
    script = Path(__file__).with_name("aipc.nsi")
    defines = [f"-DVERSION={_version()}", f"-DTREE={tree}", f"-DOUT={target}"]
    subprocess.run(["makensis", "-V2", "-WX", "-INPUTCHARSET", "UTF8", *defines, str(script)], check=True)


def _version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


if __name__ == "__main__":
    sys.exit(main())
