"""Where the program says something to a person, and all that it says there."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sentences.resolver import Program, Resolver
from sentences.source import Module, arguments, called, is_logging, last_name, read_modules
from sentences.template import Template, has_words, shape, written

ERROR_ROOTS = ("AipcError", "EngineError", "ReadingError", "EncoderError")
SAID = ("reason", "problem", "message", "sentence", "reasons", "problems", "explanation", "why")

# What the operating system and msgspec say, shown inside our sentences.
FROM_LIBRARIES = (
    "Operation not permitted", "No such file or directory", "Input/output error",
    "Resource temporarily unavailable", "Cannot allocate memory", "Permission denied",
    "Device or resource busy", "File exists", "Invalid cross-device link", "No such device", "Not a directory",
    "Is a directory", "Invalid argument", "Too many open files in system", "Too many open files",
    "Text file busy", "File too large", "No space left on device", "Read-only file system", "Broken pipe",
    "File name too long", "Directory not empty", "Too many levels of symbolic links", "Disk quota exceeded",
    "Stale file handle", "Exec format error", "Connection timed out", "Transport endpoint is not connected",
    "Host is down", "Operation not supported",
    "Expected `{wanted}`, got `{found}` - at `{where}`",
    "Expected `{wanted}`, got `{found}`",
    "Expected `int` >= {least} - at `{where}`",
    "Expected `int` <= {most} - at `{where}`",
    "Expected `int` >= {least}",
    "Expected `int` <= {most}",
    "Invalid enum value {value} - at `{where}`",
    "Invalid enum value {value}",
)  # fmt: skip


@dataclass(frozen=True)
class Sentence:
    """`en` as the catalogue writes it; `sites` are where the program says it."""

    en: str
    sites: tuple[str, ...]

    @property
    def shape(self) -> str:
        return shape(self.en)


def extract(root: Path) -> list[Sentence]:
    """Every sentence of the source below `root`, in the order of files and lines."""
    program = Program(read_modules(root))
    found: dict[str, tuple[str, list[str]]] = {}

    def keep(template: Template, site: str) -> None:
        if has_words(template):
            en = written(template)
            found.setdefault(shape(en), (en, []))[1].append(site)

    errors, places = _error_classes(program.modules.values()), _places(program.modules.values())
    for module in program.modules.values():
        for call, text in _said(module, errors, places):
            for template in Resolver(program, module, module.scopes.get(call), keep).resolve(text):
                keep(template, f"{module.path}:{call.lineno}")
    for en in FROM_LIBRARIES:
        found.setdefault(shape(en), (en, ["a library"]))
    for en in _of_models(root / "assets" / "models.toml"):
        found.setdefault(shape(en), (en, ["assets/models.toml"]))
    return [Sentence(en, tuple(dict.fromkeys(sites))) for en, sites in found.values()]


def _of_models(catalogue: Path) -> list[str]:
    """What the window says each model of the catalogue is good for."""
    if not catalogue.is_file():
        return []
    return [model["good_for"] for model in tomllib.loads(catalogue.read_text(encoding="utf-8"))["model"]]


def _said(
    module: Module, errors: frozenset[str], places: dict[str, frozenset[int]]
) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Each call that hands over a sentence, and the sentence."""
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call) or is_logging(node):
            continue
        name = called(node)
        if name == "append" and isinstance(node.func, ast.Attribute):
            yield from ((node, argument) for argument in node.args if last_name(node.func.value) == "problems")
        for i, argument in enumerate(node.args):
            if name in errors or i in places.get(name, ()):
                yield node, argument
        yield from ((node, keyword.value) for keyword in node.keywords if keyword.arg in SAID)


def _error_classes(modules: Iterable[Module]) -> frozenset[str]:
    bases = {
        node.name: {last_name(base) for base in node.bases}
        for module in modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }
    errors = set(ERROR_ROOTS)
    while more := {name for name, above in bases.items() if above & errors} - errors:
        errors |= more
    return frozenset(errors)


def _places(modules: Iterable[Module]) -> dict[str, frozenset[int]]:
    """By the name of what is called: at which places of a call a sentence is handed over."""
    found: dict[str, frozenset[int]] = {}
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name != "__init__":
                places = frozenset(i for i, name in enumerate(_handed_over(node)) if name in SAID)
                found[node.name] = found.get(node.name, frozenset()) | places
    return found


def _handed_over(called_: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """Names of what a call hands over by position: parameters, of a class those of its __init__ or its fields."""
    if isinstance(called_, ast.FunctionDef):
        keywords = {a.arg for a in called_.args.kwonlyargs}
        return [a.arg for a in arguments(called_) if a.arg not in keywords]
    for node in called_.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            return _handed_over(node)
    fields = [f.target.id for f in called_.body if isinstance(f, ast.AnnAssign) and isinstance(f.target, ast.Name)]
    return [] if any(k.arg == "kw_only" for k in called_.keywords) else fields
