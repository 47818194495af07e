"""Follows an expression back to the texts it may be: constants, branches, results and arguments of functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sentences.source import (
    Function,
    Module,
    arguments,
    called,
    element_of,
    given,
    is_logging,
    last_name,
    may_be_text,
    place_name,
)
from sentences.template import Hole, Template, formatted, has_words, is_bare, products

# In a place that may hold more different texts than this, each text is a sentence of its own.
MOST_ALTERNATIVES = 6
MOST_STEPS = 40  # from a place back to where its text was written


class Program:
    """All modules, and every call in them."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self.modules = modules
        self._calls: dict[str, list[tuple[Module, ast.Call]]] = {}
        for module in modules.values():
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Call) and not is_logging(node):
                    self._calls.setdefault(called(node), []).append((module, node))

    def calls(self, module: Module, name: str) -> list[tuple[Module, ast.Call]]:
        """Calls of a function of `module`; a private one is called in its own file."""
        return [(at, call) for at, call in self._calls.get(name, ()) if at is module or not name.startswith("_")]

    def origin(self, module: Module, name: str) -> tuple[Module | None, str]:
        """Where a name of `module` is defined: there, or where it was imported from; None outside the program."""
        if name not in module.imports:
            return module, name
        origin, original = module.imports[name]
        return self.modules.get(origin), original


@dataclass(frozen=True)
class Resolver:
    """Works in one function (or, with none, at the top) of one module. `keep` takes texts of wide places."""

    program: Program
    module: Module
    scope: Function | None
    keep: Callable[[Template, str], None]
    steps: int = 0
    seen: frozenset[ast.AST] = frozenset()

    def resolve(self, node: ast.expr) -> list[Template]:
        """The texts that `node` may be; a place alone where that can't be told, nothing for None."""
        if self._is_far(node):
            return _unknown(node)
        inner = self._step(node)
        match node:
            case ast.Constant(value=None):
                return []
            case ast.Constant(value=str() as text):
                return [(text,)] if text else [()]
            case ast.JoinedStr(values=values):
                return products([inner._piece(value) for value in values])
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return products([inner._narrow(left), inner._narrow(right)])
        parts = _alternatives(node)
        if parts is not None:
            return [template for part in parts for template in inner.resolve(part)]
        return self._followed(node) or _unknown(node)

    def _followed(self, node: ast.expr) -> list[Template]:
        match node:
            case ast.Name(id=name):
                return self._step(node)._name(node, name)
            case ast.Subscript():
                return [t for at, held in self._held(node) for t in at.resolve(held)]
            case ast.Call():
                return self._step(node)._call(node)
        return []

    def _is_far(self, node: ast.AST) -> bool:
        return self.steps > MOST_STEPS or node in self.seen

    def _step(self, node: ast.AST) -> Resolver:
        return self._at(self.module, self.scope, node)

    def _at(self, module: Module, scope: Function | None, node: ast.AST) -> Resolver:
        return Resolver(self.program, module, scope, self.keep, self.steps + 1, self.seen | {node})

    def _piece(self, value: ast.expr) -> list[Template]:
        """Of an f-string."""
        if not isinstance(value, ast.FormattedValue):
            return self.resolve(value)
        if value.format_spec is not None or value.conversion != -1:
            return _unknown(value.value)
        return self._narrow(value.value)

    def _narrow(self, node: ast.expr) -> list[Template]:
        """What a place may hold: texts if they are few and all known, else a place, its known texts kept apart."""
        found = list(dict.fromkeys(self.resolve(node)))
        texts, empty = [t for t in found if t], [t for t in found if not t]
        if len(texts) > MOST_ALTERNATIVES or any(map(is_bare, texts)):
            for template in filter(has_words, texts):
                self.keep(template, f"{self.module.path}:{node.lineno}")
            texts = _unknown(node)
        return [*texts, *empty] or [()]

    def _name(self, node: ast.expr, name: str) -> list[Template]:
        scope = self.scope
        while scope is not None:
            values = [value for n in ast.walk(scope) for value in given(n, name)]
            if values:
                return [t for value in values for t in self._at(self.module, scope, node).resolve(value)]
            parameter = next((a for a in arguments(scope) if a.arg == name), None)
            if parameter is not None:
                return self._parameter(node, scope, name) if may_be_text(parameter) else []
            scope = self.module.scopes.get(scope)
        module, original = self.program.origin(self.module, name)
        values = module.values.get(original, []) if module else []
        return [t for value in values if module for t in self._at(module, None, node).resolve(value)]

    def _parameter(self, node: ast.expr, function: Function, name: str) -> list[Template]:
        """What callers hand over."""
        index = [a.arg for a in arguments(function)].index(name)
        found: list[Template] = []
        for module, call in self.program.calls(self.module, function.name):
            handed = next((k.value for k in call.keywords if k.arg == name), None)
            if handed is None and index < len(call.args):
                handed = call.args[index]
            if handed is not None:
                found += self._at(module, module.scopes.get(call), node).resolve(handed)
        return found

    def _call(self, node: ast.Call) -> list[Template]:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=" "), attr="join"), args=[joined]):
                return self.resolve(joined)  # sentences one after the other: each is one
            case ast.Call(func=ast.Attribute(value=text, attr="format")):
                names = [place_name(argument) for argument in node.args]
                return [formatted(template, names) for template in self.resolve(text)]
            case ast.Call(func=ast.Attribute(value=mapping, attr="get")):
                return [t for at, held in self._held(element_of(mapping, None)) for t in at.resolve(held)]
            case ast.Call(func=ast.Name(id="str" | "filter" | "tuple" | "next"), args=[*_, last]):
                return self.resolve(last)
        return [template for at, result in self._results(node) for template in at.resolve(result)]

    def _results(self, node: ast.Call) -> Iterator[tuple[Resolver, ast.expr]]:
        """What a function of ours returns."""
        module: Module | None = self.module
        name = called(node)
        if isinstance(node.func, ast.Name):
            module, name = self.program.origin(self.module, name)
        elif last_name(node.func) == name and last_name(getattr(node.func, "value", node)) not in ("self", "cls"):
            return
        for function in module.functions.get(name, ()) if module else ():
            for n in ast.walk(function):
                if isinstance(n, ast.Return) and n.value is not None and module and module.scopes.get(n) is function:
                    yield self._at(module, function, node), n.value

    def _held(self, node: ast.expr) -> Iterator[tuple[Resolver, ast.expr]]:
        """The tuples, lists, mappings or their elements, as written, that `node` stands for."""
        if self._is_far(node):
            return
        inner = self._step(node)
        match node:
            case ast.Subscript(value=value, slice=index):
                place = index.value if isinstance(index, ast.Constant) else None
                for at, container in inner._held(value):
                    for element in _chosen(container, place):
                        yield from at._held(element)
            case ast.Call() if results := list(inner._results(node)):
                for at, result in results:
                    yield from at._held(result)
            case ast.Name(id=name):
                yield from inner._held_by(node, name)
            case _:
                yield self, node

    def _held_by(self, node: ast.expr, name: str) -> Iterator[tuple[Resolver, ast.expr]]:
        local = [value for n in ast.walk(self.scope or ast.Pass()) for value in given(n, name)]
        for value in local:
            yield from self._held(value)
        module, original = self.program.origin(self.module, name)
        if module and not local:
            for value in module.values.get(original, []):
                yield from self._at(module, None, node)._held(value)


def _unknown(node: ast.AST) -> list[Template]:
    return [(Hole(place_name(node)),)]


def _alternatives(node: ast.expr) -> Sequence[ast.expr] | None:
    """Expressions of which `node` is one, or holds all."""
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            return [body, orelse]
        case ast.BoolOp(values=values) | ast.Tuple(elts=values) | ast.List(elts=values) | ast.Dict(values=values):
            return values
        case ast.Starred(value=value) | ast.NamedExpr(value=value):
            return [value]
    return None


def _chosen(container: ast.expr, place: object) -> Sequence[ast.expr]:
    """The element of a tuple, list or mapping, or all of them when the place can't be told."""
    if isinstance(container, ast.Dict):
        keys = [key.value if isinstance(key, ast.Constant) else None for key in container.keys]
        return [container.values[keys.index(place)]] if isinstance(place, str) and place in keys else container.values
    elements = container.elts if isinstance(container, ast.Tuple | ast.List) else []
    return [elements[place]] if isinstance(place, int) and place < len(elements) else elements
