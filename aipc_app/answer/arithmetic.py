"""Calculations that a sentence states are done again. Pure.

A + B = C written with signs or words, a list and its total, two figures and their difference, interest from principal,
rate and time, and a figure held against a floor or a ceiling ("met", "未满足"). What is wrong comes with the right
figure; what is right may stand in no document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from msgspec import Struct

from aipc_app.text.bounds import Bound, bound_of
from aipc_app.text.facts import Fact, FactKind, find_facts
from aipc_app.text.normalise import settled
from aipc_app.text.values import Quantity

_FIGURES = (
    FactKind.NUMBER, FactKind.AMOUNT, FactKind.PERCENT, FactKind.RATE, FactKind.MULTIPLE, FactKind.DURATION,
    FactKind.COUNT,
)  # fmt: skip
_SIGNS = (
    ("+", re.compile(r"\s?(?:\+|加上?|plus)\s?", re.IGNORECASE)),
    ("-", re.compile(r"\s?[,，]?\s?(?:-|减去?|扣除|扣减|minus|less)(?:已还|已付|已扣)?的?\s?", re.IGNORECASE)),
    ("*", re.compile(r"\s?(?:[×*xX]|乘以?|times|multiplied by)\s?", re.IGNORECASE)),
    ("/", re.compile(r"\s?(?:[÷/]|除以|divided by)\s?", re.IGNORECASE)),
)
_EQUALS = re.compile(
    r"\s?(?:[,，]\s?)?(?:=|即为?|等于|得出?|后?[,，]?\s?(?:剩余?|还剩|尚欠|仍欠|余额?为?)"
    r"|equals|is equal to|gives|leaves)\s?:?\s?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s?(?:[、,，和及与]|以及|,? and)\s?(?:\S{1,4}?)?\s?", re.IGNORECASE)
_TOTAL = re.compile(
    r"\s?[,，(]?\s?(?:共计|合计|总计|一共|总共|总额为|共|in total|totall?ing|for a total of)\s?(?:为|是|:)?\s?",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"[,，;；]?\s?(?:两者|二者|前后|差额|差距|相差|短少|少了|多出|少|多|a difference of|differing by)+"
    r"(?:为|是|了|达)?\s?",
    re.IGNORECASE,
)
_INTEREST = re.compile(r"利息|interest", re.IGNORECASE)
_UNMET = re.compile(
    r"未(?:能)?(?:满足|达到|达标|符合)|不(?:满足|符合|达标)|没有(?:满足|达到|达标)|(?<!没有)违反"
    r"|not (?:been )?(?:met|satisf\w+)"
    r"|does not (?:meet|comply|satisfy)|did not (?:meet|comply|satisfy)|fail\w* to (?:meet|comply|satisfy)|breach\w*",
    re.IGNORECASE,
)
_MET = re.compile(r"满足|达到|达标|符合|\bmet\b|\bmeets?\b|compl(?:y|ies|ied)|satisf\w+", re.IGNORECASE)
_UNSURE = re.compile(
    r"是否|如果|若|应当?(?:满足|达到|符合)|whether|\bif\b|must (?:meet|satisfy)|shall (?:meet|satisfy)", re.IGNORECASE
)
_BELOW = re.compile(
    r"[,，]?[^,，;；。\d]{0,6}?(?<!不)(?:低于|小于|少于|不足|below|less than|lower than|under)[^,，;；。\d]{0,8}",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"[,，]?[^,，;；。\d]{0,6}?(?<!不)(?:高于|大于|多于|超过|超出|above|more than|higher than|exceed\w*)"
    r"[^,，;；。\d]{0,8}",
    re.IGNORECASE,
)
_DAYS_A_YEAR, _MONTHS_A_YEAR = (365, 360), 12
_TOLERANCE = Decimal("0.005")  # of interest: conventions of counting days differ by more than a rounding
_MOST_TERMS = 8


class Checked(Struct, frozen=True, kw_only=True):
    """`wrong`: the calculation as it should be, "" if nothing is wrong; `derived`: facts that follow from the others.

    `doubtful`: a list whose total is another one, which may only be a part of what was added up.
    """

    wrong: str = ""
    kind: str = "sum"
    doubtful: bool = False
    derived: tuple[Fact, ...] = ()


class _Figure(Struct, frozen=True):
    fact: Fact
    value: Decimal
    kind: FactKind
    unit: str


def check_arithmetic(text: str, facts: Sequence[Fact], limits: Callable[[], Sequence[str]] = tuple) -> Checked:
    """Do again what the sentence calculates. `facts` are the sentence's; `limits` gives sentences of the material
    with the floor or ceiling that this one may be about and not name; it is called only where one is wanted."""
    figures = [figure for fact in facts if (figure := _figure(fact)) is not None]
    derived: list[Fact] = []
    for found in (*_expressions(text, figures), *_differences(text, figures), *_interest(text, figures)):
        if isinstance(found, Checked):
            return found
        derived.append(found)
    if wrong := _against_bound(text, figures, limits):
        return Checked(wrong=wrong, kind="floor", derived=tuple(derived))
    return next(_totals(text, figures), None) or Checked(derived=tuple(derived))


def _figure(fact: Fact) -> _Figure | None:
    if fact.kind not in _FIGURES or not isinstance(fact.value, Quantity) or fact.value.approximate:
        return None
    return _Figure(fact, fact.value.amount, fact.kind, fact.value.unit)


def _gap(text: str, one: _Figure, other: _Figure) -> str:
    return settled(text[one.fact.end : other.fact.start])


def _sign(text: str, one: _Figure, other: _Figure) -> str:
    """The sign between two figures; a minus may have been read as the second figure's own."""
    gap = _gap(text, one, other)
    if not gap and other.value < 0:
        return "-"
    return next((sign for sign, pattern in _SIGNS if pattern.fullmatch(gap)), "")


def _expressions(text: str, figures: Sequence[_Figure]) -> Iterator[Checked | Fact]:
    """Figures joined by signs up to an equals: wrong ones as Checked, results of right ones as facts."""
    at = 0
    while at < len(figures) - 2:
        signs: list[str] = []
        end = at
        while (
            end + 1 < len(figures)
            and len(signs) < _MOST_TERMS
            and (sign := _sign(text, figures[end], figures[end + 1]))
        ):
            signs.append(sign)
            end += 1
        if signs and end + 1 < len(figures) and _EQUALS.fullmatch(_gap(text, figures[end], figures[end + 1])):
            yield _compared(figures[at : end + 1], signs, figures[end + 1])
        at = end + 1 if signs else at + 1


def _compared(terms: Sequence[_Figure], signs: Sequence[str], result: _Figure) -> Checked | Fact:
    value = _evaluate([_plain(term) for term in terms], signs)
    stated = _plain(result)
    if value is None or abs(value - stated) <= _rounding(result):
        return result.fact
    shown = " ".join(part for pair in zip((t.fact.text for t in terms), (*signs, "="), strict=True) for part in pair)
    shown = shown.replace("*", "×").replace(" / ", " ÷ ").replace("- -", "- ")
    return Checked(wrong=f"{shown} {_shown(value, result)} ≠ {result.fact.text}")


def _plain(figure: _Figure) -> Decimal:
    share = figure.kind in (FactKind.PERCENT, FactKind.RATE) and figure.unit != "point"
    return figure.value / 100 if share else figure.value


def _evaluate(values: list[Decimal], signs: Sequence[str]) -> Decimal | None:
    """Products first, from left to right."""
    total, term, pending = Decimal(0), values[0], Decimal(1)
    try:
        for sign, value in zip(signs, values[1:], strict=True):
            if sign == "*":
                term *= value
            elif sign == "/":
                term /= value
            else:
                total, term, pending = total + pending * term, abs(value), Decimal(-1 if sign == "-" else 1)
        return total + pending * term
    except (InvalidOperation, ZeroDivisionError):
        return None


def _rounding(figure: _Figure) -> Decimal:
    """Half of the last place that the figure was written to: 1.5万元 may be 15,499."""
    digits = re.search(r"\d[\d,，]*(?:\.(\d+))?\s?([十百千万亿%]*)", settled(figure.fact.text))
    if digits is None or digits[1] is None:
        written = Decimal(1)
    else:
        written = Decimal(10) ** -len(digits[1])
    scale = {"万": Decimal(10**4), "亿": Decimal(10**8), "千": Decimal(1000)}.get(
        (digits[2] if digits else "")[:1], Decimal(1)
    )
    share = Decimal(100) if _plain(figure) != figure.value else Decimal(1)
    exact = digits is not None and digits[1] is None and scale == 1 and share == 1
    return Decimal("0.5") if exact else written * scale / share / 2


def _shown(value: Decimal, like: _Figure) -> str:
    """The right figure, written somewhat as the wrong one was."""
    if _plain(like) != like.value:
        return f"{_trimmed(value * 100)}%"
    text = settled(like.fact.text)
    behind = text[-3:] if text.endswith("人民币") else text[-1:] if text[-1:] in "元圆倍" else ""
    return _trimmed(value) + behind


def _trimmed(value: Decimal) -> str:
    text = f"{value.quantize(Decimal('0.01')):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _totals(text: str, figures: Sequence[_Figure]) -> Iterator[Checked]:
    """本金50万元、利息3万元，合计53万元."""
    for end in range(2, len(figures)):
        if not _TOTAL.fullmatch(_gap(text, figures[end - 1], figures[end])):
            continue
        first = end - 1
        while (
            first
            and _AND.fullmatch(_gap(text, figures[first - 1], figures[first]))
            and _alike(figures[first - 1], figures[end])
        ):
            first -= 1
        items = figures[first:end]
        value = sum((item.value for item in items), Decimal(0))
        if (
            len(items) > 1
            and _alike(items[-1], figures[end])
            and abs(value - figures[end].value) > _rounding(figures[end])
        ):
            shown = " + ".join(item.fact.text for item in items)
            yield Checked(wrong=f"{shown} = {_shown(value, figures[end])} ≠ {figures[end].fact.text}", doubtful=True)


def _differences(text: str, figures: Sequence[_Figure]) -> Iterator[Checked | Fact]:
    """50万元与45万元相差5万元: the difference of the two figures before."""
    for one, other, stated in zip(figures, figures[1:], figures[2:], strict=False):
        if _alike(one, other) and _alike(other, stated) and _DIFFERENCE.fullmatch(_gap(text, other, stated)):
            value = abs(one.value - other.value)
            if abs(value - stated.value) <= _rounding(stated):
                yield stated.fact
            else:
                shown = f"|{one.fact.text} - {other.fact.text}| = {_shown(value, stated)}"
                yield Checked(wrong=f"{shown} ≠ {stated.fact.text}")


def _alike(one: _Figure, other: _Figure) -> bool:
    return one.kind is other.kind and one.unit == other.unit


def _interest(text: str, figures: Sequence[_Figure]) -> Iterator[Checked | Fact]:
    """Simple interest, where a sentence names one principal, one rate, one time and the interest behind that word."""
    amounts = [f for f in figures if f.kind is FactKind.AMOUNT]
    rates = [f for f in figures if f.kind is FactKind.RATE]
    times = [f for f in figures if f.kind is FactKind.DURATION and f.unit in ("month", "day")]
    if len(amounts) != 2 or len(rates) != 1 or len(times) != 1 or amounts[0].value <= amounts[1].value:
        return
    principal, stated = amounts
    if not _INTEREST.search(settled(text[max(0, stated.fact.start - 8) : stated.fact.start])):
        return
    right = _simple_interest(principal.value, rates[0], times[0])
    if not right:
        return
    if any(abs(value - stated.value) <= max(_TOLERANCE * value, _rounding(stated)) for value in right):
        yield stated.fact
    else:
        shown = f"{principal.fact.text} × {rates[0].fact.text} × {times[0].fact.text}"
        yield Checked(wrong=f"{shown} = {_shown(right[0], stated)} ≠ {stated.fact.text}")


def _simple_interest(principal: Decimal, rate: _Figure, time: _Figure) -> tuple[Decimal, ...]:
    """By each usual way of counting days; none for units that don't go together."""
    a_year = {"year": Decimal(1), "month": Decimal(_MONTHS_A_YEAR)}.get(rate.unit)
    if rate.unit == "day" and time.unit == "day":
        return (principal * rate.value / 100 * time.value,)
    if a_year is None:
        return ()
    if time.unit == "month":
        return (principal * rate.value / 100 * a_year * time.value / _MONTHS_A_YEAR,)
    return tuple(principal * rate.value / 100 * a_year * time.value / days for days in _DAYS_A_YEAR)


def _against_bound(text: str, figures: Sequence[_Figure], limits: Callable[[], Sequence[str]]) -> str:
    """What is wrong where the sentence compares two figures, or says that one meets a bound; "" if nothing."""
    for one, other in pairwise(figures):
        gap = _gap(text, one, other)
        if one.kind is other.kind and (wrong := _compares_wrongly(one, other, gap)):
            return wrong
    if _UNSURE.search(text):
        return ""
    unmet = bool(_UNMET.search(text))
    if not unmet and not _MET.search(text):
        return ""
    bounded = [(figure, bound) for figure in figures if (bound := _bound(text, figure.fact))]
    plain = [figure for figure in figures if not _bound(text, figure.fact)]
    if not bounded:
        bounded = [pair for quote in limits() for pair in _bounds_in(quote)]
    pairs = {
        (value.fact.text, limit.fact.text): (value, limit, bound)
        for limit, bound in bounded
        for value in plain
        if value.kind is limit.kind
        and value.kind in (FactKind.MULTIPLE, FactKind.PERCENT, FactKind.NUMBER, FactKind.AMOUNT)
    }
    if len(pairs) != 1:
        return ""  # which figure is held against which limit can't be told
    value, limit, bound = next(iter(pairs.values()))
    holds = value.value >= limit.value if bound is Bound.LEAST else value.value <= limit.value
    if holds is not unmet:
        return ""
    return f"{value.fact.text} {'≥' if value.value >= limit.value else '<'} {limit.fact.text}"


def _compares_wrongly(one: _Figure, other: _Figure, gap: str) -> str:
    if _BELOW.fullmatch(gap) and one.value >= other.value:
        return f"{one.fact.text} ≥ {other.fact.text}"
    if _ABOVE.fullmatch(gap) and one.value <= other.value:
        return f"{one.fact.text} ≤ {other.fact.text}"
    return ""


def _bound(text: str, fact: Fact) -> Bound | None:
    return bound_of(text, fact.start, fact.end)


def _bounds_in(quote: str) -> Iterator[tuple[_Figure, Bound]]:
    for fact in find_facts(quote):
        figure, bound = _figure(fact), bound_of(quote, fact.start, fact.end)
        if figure is not None and bound is not None:
            yield figure, bound
