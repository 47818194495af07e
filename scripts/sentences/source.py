"""The program's source, parsed: what is defined where, and who calls what."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PACKAGES = ("aipc_app", "engine")
LEFT_OUT = ("aipc_app/ui/",)  # its words have a catalogue of their own

Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOG_CALLS = frozenset({"debug", "info", "warning", "error", "exception", "critical", "log"})


@dataclass(eq=False)
class Module:
    """One file and what is defined in it. `scopes`: the function that each node stands in."""

    path: Path
    name: str
    tree: ast.Module
    values: dict[str, list[ast.expr]] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    scopes: dict[ast.AST, Function | None] = field(default_factory=dict)


def read_modules(root: Path) -> dict[str, Module]:
    """By dotted name."""
    modules = {}
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        place = path.relative_to(root)
        if not place.as_posix().startswith(LEFT_OUT):
            name = ".".join(place.with_suffix("").parts).removesuffix(".__init__")
            modules[name] = _index(Module(place, name, ast.parse(path.read_text(encoding="utf-8"))))
    return modules


def is_logging(call: ast.Call) -> bool:
    """A call of a logger, which by our naming is a constant: _LOG.error(…), log.UI.error(…)."""
    function = call.func
    return isinstance(function, ast.Attribute) and function.attr in _LOG_CALLS and last_name(function.value).isupper()


def called(call: ast.Call) -> str:
    """The name of what is called, without where it belongs to."""
    function = call.func.value if isinstance(call.func, ast.Subscript) else call.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def last_name(node: ast.AST) -> str:
    """The last identifier of an expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    named = [(n.end_lineno, n.end_col_offset, name) for n in ast.walk(node) for name in _identifier(n)]  # type: ignore[attr-defined]
    return max(named)[2] if named else "value"


def place_name(node: ast.AST) -> str:
    """What a place filled by this expression is called."""
    return re.sub(r"\W", "", last_name(node)).strip("_").lower() or "value"


def assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names given a value by this statement. Of a tuple each name gets its element."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _paired(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield from _paired(node.target, node.value)
    elif isinstance(node, ast.For | ast.comprehension):
        for element in _elements(node.iter):
            yield from _paired(node.target, element)


def given(node: ast.AST, name: str) -> Iterator[ast.expr]:
    """What the statement makes of the name: its value, or an element of the list it is."""
    yield from (value for target, value in assigned(node) if target == name)
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="append"), args=[element]) if owner == name:
            yield element


def arguments(function: Function) -> list[ast.arg]:
    """Its parameters, without self."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [argument for argument in every if argument.arg not in ("self", "cls")]


def may_be_text(parameter: ast.arg) -> bool:
    """By its annotation."""
    if parameter.annotation is None:
        return True
    return "str" in {n.id for n in ast.walk(parameter.annotation) if isinstance(n, ast.Name)}


def element_of(value: ast.expr, index: int | None) -> ast.expr:
    """The expression `value[index]`; None: any element."""
    return ast.copy_location(ast.Subscript(value, ast.Constant(index), ast.Load()), value)


def _index(module: Module) -> Module:
    for statement in module.tree.body:
        for name, value in assigned(statement):
            module.values.setdefault(name, []).append(value)
    for node in ast.walk(module.tree):
        if isinstance(node, Function):
            module.functions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ImportFrom) and node.module:
            module.imports.update({(a.asname or a.name): (node.module, a.name) for a in node.names})
    _note_scopes(module, module.tree, None)
    return module


def _note_scopes(module: Module, node: ast.AST, scope: Function | None) -> None:
    for child in ast.iter_child_nodes(node):
        module.scopes[child] = scope
        _note_scopes(module, child, child if isinstance(child, Function) else scope)


def _paired(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple):
        for i, part in enumerate(target.elts):
            alike = isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts)
            yield from _paired(part, value.elts[i] if alike and isinstance(value, ast.Tuple) else element_of(value, i))


def _elements(iterated: ast.expr) -> Sequence[ast.expr]:
    return iterated.elts if isinstance(iterated, ast.Tuple | ast.List) else (element_of(iterated, None),)


def _identifier(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        yield node.value
