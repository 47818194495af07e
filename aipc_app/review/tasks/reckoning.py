"""The calculator and the calendar of free tasks: expressions of figures, days between dates. Pure, without eval."""

from __future__ import annotations

import ast
import calendar
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext

from msgspec import Struct

from aipc_app.text.facts import DateValue, FactKind, find_facts
from aipc_app.text.normalise import fold

_LONGEST = 200
_SIGNS = {"×": "*", "÷": "/", "−": "-", "–": "-", "（": "(", "）": ")"}
_GROUPING = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_UNITS = re.compile(r"(?<=[\d万亿%])\s*(?:人民币|美元|元|天|日|个月|月|年|岁|倍|yuan|RMB|days?|euros?)", re.IGNORECASE)
_SCALED = re.compile(r"(\d[\d.]*)\s*([万亿%])")
_SCALES = {"亿": "*100000000", "万": "*10000", "%": "/100"}
_OPERATORS: dict[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}
_LARGEST_YEAR = 2_200
# What anyone may multiply or divide by: scales; and counts, months, days of a year. Added, 12 is twelve of something.
_SCALING = frozenset(map(Decimal, (100, 1_000, 10_000, 100_000_000)))
_CONSTANTS = _SCALING | frozenset(map(Decimal, (*range(13), 30, 360, 365, 366)))


class NotReckoned(Exception):
    """`key`: a sentence of tasks.toml, `about` what goes into it."""

    def __init__(self, key: str, about: str = "") -> None:
        super().__init__(key)
        self.key, self.about = key, about


class Reckoned(Struct, frozen=True):
    """`figures` that the expression names, but for constants that something is multiplied or divided by; `steps`
    whose results it takes up.
    """

    value: Decimal
    figures: tuple[Decimal, ...]
    steps: tuple[int, ...]
    shown: str


def reckon(expression: str, results: Mapping[int, Decimal]) -> Reckoned:
    """Work an expression out. `results` of earlier steps by number. Raises NotReckoned."""
    plain = _plain(expression)
    if not plain or len(plain) > _LONGEST:
        raise NotReckoned("no_expression")
    try:
        tree = ast.parse(plain, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotReckoned("no_expression") from error
    if isinstance(tree.body, ast.Constant | ast.Name):
        raise NotReckoned("no_expression")  # one figure is nothing worked out
    walked = _Walk(plain, results)
    with localcontext(Context(prec=28, traps=[DivisionByZero, InvalidOperation, Overflow])):
        try:
            value = walked.value(tree.body)
        except DivisionByZero as error:
            raise NotReckoned("by_zero") from error
        except (InvalidOperation, Overflow, RecursionError) as error:
            raise NotReckoned("no_expression") from error
    return Reckoned(value, tuple(walked.figures), tuple(walked.steps), expression.strip().rstrip("=? "))


def shown_figure(value: Decimal) -> str:
    """With groups of three, to four places."""
    if not value.is_finite() or abs(value) >= Decimal(10) ** 20:
        return f"{value:.6g}"
    text = f"{value.quantize(Decimal('0.0001')):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def day_of(text: str) -> date:
    """The one whole date that a text names. Raises NotReckoned."""
    days = [fact.value for fact in find_facts(text) if fact.kind is FactKind.DATE]
    whole = [day for day in days if isinstance(day, DateValue) and day.year and day.month and day.day]
    if len(whole) != 1:
        raise NotReckoned("no_date", text[:40])
    (found,) = whole
    assert found.year and found.month and found.day
    try:
        return date(found.year, found.month, found.day)
    except ValueError as error:
        raise NotReckoned("no_date", text[:40]) from error


def moved(day: date, amount: int, unit: str) -> date:
    """`unit` "days", "months" or "years"; the last day of a month stays in its month. Raises NotReckoned."""
    try:
        if unit == "days":
            found = day + timedelta(days=amount)
        else:
            months = day.year * 12 + day.month - 1 + amount * (12 if unit == "years" else 1)
            year, month = divmod(months, 12)
            found = date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
    except (OverflowError, ValueError) as error:
        raise NotReckoned("no_date", str(amount)) from error
    if found.year > _LARGEST_YEAR:
        raise NotReckoned("no_date", str(amount))
    return found


def _plain(expression: str) -> str:
    text = fold(expression).text.strip().rstrip("=? ")
    for mark, sign in _SIGNS.items():
        text = text.replace(mark, sign)
    text = _UNITS.sub("", _GROUPING.sub("", text))
    return _SCALED.sub(lambda found: f"({found[1]}{_SCALES[found[2]]})", text)


class _Walk:
    """Over one expression; anything but figures, steps, signs and brackets is refused."""

    def __init__(self, source: str, results: Mapping[int, Decimal]) -> None:
        self._source, self._results = source, results
        self.figures: list[Decimal] = []
        self.steps: list[int] = []

    def value(self, node: ast.expr, *, free: frozenset[Decimal] = frozenset()) -> Decimal:
        """`free`: figures that needn't have been read, where this is multiplied or divides."""
        match node:
            case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
                both = isinstance(left, ast.Constant) and isinstance(right, ast.Constant)
                scaled = self.value(left, free=_SCALING if both else _CONSTANTS)
                return _OPERATORS[type(op)](scaled, self.value(right, free=_CONSTANTS))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](self.value(left), self.value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand, free=free)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand, free=free)
            case ast.Constant(value=int() | float() as figure) if not isinstance(figure, bool):
                return self._figure(Decimal(ast.get_source_segment(self._source, node) or str(figure)), free)
            case ast.Name(id=name) if re.fullmatch(r"[sS]\d{1,2}", name):
                return self._step(int(name[1:]))
        raise NotReckoned("no_expression")

    def _figure(self, value: Decimal, free: frozenset[Decimal]) -> Decimal:
        if value not in free:
            self.figures.append(value)
        return value

    def _step(self, number: int) -> Decimal:
        if number not in self._results:
            raise NotReckoned("no_step", str(number))
        self.steps.append(number)
        return self._results[number]
