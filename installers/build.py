"""Builds the installers: `make installer`, or `.venv/bin/python installers/build.py --help`.

Everything comes from this checkout's environment and models, as tested; nothing is downloaded. Products: dist/.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from building import interpreter, libraries, licences, older_glibc, packages, packing, signing, sizes

ROOT = Path(__file__).resolve().parents[1]
WORK, DIST = ROOT / "build" / "installer", ROOT / "dist"
PARTS = packing.PARTS
DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
CHINESE_FONT = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
FAT32_FILE = (4 << 30) - 1
T = TypeVar("T")


def main() -> int:
    options = _parser().parse_args()
    started = time.monotonic()
    for tool in ("patchelf", "readelf", "strip", "dpkg-deb", "openssl", "tar"):
        if shutil.which(tool) is None:
            print(
                f"Building the installers needs {tool}: apt-get install patchelf binutils dpkg openssl tar",
                file=sys.stderr,
            )
            return 1
    tree = WORK / "tree"
    if not options.keep_tree:
        _step("program folder", lambda: build_tree(tree))
    about = packing.About(_version(), json.loads((tree / "installation.json").read_text())["glibc"], platform.machine())
    print(sizes.table(tree))
    if options.only != "tree":
        _products(tree, about, options)
    print(f"Done in {time.monotonic() - started:.0f} s.")
    return 0


def _products(tree: Path, about: packing.About, options: argparse.Namespace) -> None:
    DIST.mkdir(exist_ok=True)
    stem = f"aipc-{about.version}-{about.machine}"
    models = [ROOT / ".models" / name for name in options.models]
    made = []
    if options.only in (None, "deb"):
        made.append(DIST / f"aipc_{about.version}_{about.debian_architecture}.deb")
        _step(made[-1].name, lambda: packing.debian_package(tree, about, WORK, made[-1], level=options.level))
    if options.only in (None, "run"):
        made.append(DIST / f"{stem}.run")
        _step(made[-1].name, lambda: packing.self_extracting(tree, [], about, WORK, made[-1], level=options.level))
    if options.only is None:
        made.append(DIST / f"{stem}-complete.run")
        _step(made[-1].name, lambda: packing.self_extracting(tree, models, about, WORK, made[-1], level=options.level))
        made[-1:] = packing.in_parts(made[-1], options.part_bytes)
        for model in models:
            made += _step(f"pack of {model.name}", partial(packing.split, model, DIST, options.part_bytes))
        made.append(DIST / f"{stem}.cdx.json")
        shutil.copyfile(tree / "licences" / "components.cdx.json", made[-1])
    signing.sign(signing.sums(made, DIST))


def build_tree(tree: Path) -> Path:
    """The folder that both packages hold; it runs from wherever it lies."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    interpreter.copy(tree / "python")
    site = next((tree / "python" / "lib").glob("python3.*/site-packages"))
    chosen = packages.needed()
    packages.copy(chosen, site, packages.qt_modules(ROOT / "aipc_app"))
    packages.copy_gpu_backend(Path(sysconfig.get_path("platlib")), site)
    packages.copy_program(ROOT, tree / "app")
    (site / "aipc.pth").write_text("../../../../app\n", encoding="ascii")
    originals = libraries.carry(tree)
    packages.link_duplicates(site)
    _copy_parts(tree)
    components = [
        licences.of_python(),
        *licences.of_packages(chosen),
        *licences.of_libraries([*originals.values(), CHINESE_FONT]),
        *licences.of_models(ROOT / "assets" / "models.toml", [DEFAULT_MODEL]),
    ]
    licences.copy_texts(components, tree / "licences")
    (tree / "licences" / "components.cdx.json").write_text(licences.cyclonedx(components, _version()), encoding="utf-8")
    packages.compile_all(tree / "python" / "lib")
    packages.compile_all(tree / "app")
    older_glibc.loosen(tree / "python")
    about = {
        "version": _version(),
        "commit": _commit(),
        "glibc": libraries.oldest_glibc(tree),
        "machine": platform.machine(),
    }
    (tree / "installation.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
    return tree


def _copy_parts(tree: Path) -> None:
    for folder in ("bin", "fonts", "models", "parts"):
        (tree / folder).mkdir()
    for source, target in (("aipc.sh", "bin/aipc"), ("uninstall.sh", "uninstall")):
        shutil.copyfile(PARTS / source, tree / target)
        (tree / target).chmod(0o755)
    shutil.copyfile(PARTS / "fonts.conf", tree / "fonts" / "fonts.conf")
    shutil.copyfile(CHINESE_FONT, tree / "fonts" / CHINESE_FONT.name)
    for name in ("links.sh", "aipc.desktop", "aipc.xml"):
        shutil.copyfile(PARTS / name, tree / "parts" / name)
    shutil.copyfile(ROOT / "assets" / "icons" / "aipc.svg", tree / "parts" / "aipc.svg")


def _version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def _step(what: str, do: Callable[[], T]) -> T:
    started = time.monotonic()
    print(f"==> {what}", flush=True)
    result = do()
    print(f"    {time.monotonic() - started:.0f} s", flush=True)
    return result


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="build.py", description="Build the installers of AIPC.")
    parser.add_argument("--keep-tree", action="store_true", help="pack the program folder that the last build left")
    parser.add_argument("--level", type=int, default=6, help="of gzip; 1 packs three times as fast, a little larger")
    parser.add_argument("--only", choices=("tree", "deb", "run"), help="one product instead of all")
    parser.add_argument(
        "--models", nargs="*", default=[DEFAULT_MODEL], metavar="FILE", help="models of the complete bundle"
    )
    parser.add_argument("--part-bytes", type=int, default=FAT32_FILE, help="largest file; larger ones come in parts")
    return parser


if __name__ == "__main__":
    sys.exit(main())
