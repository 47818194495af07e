"""What steps worked out, and what a sentence has to say of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from msgspec import Struct

from aipc_app.review.tasks.seen import Spot, values_of
from aipc_app.text.facts import DateValue, Fact, FactKind, find_facts, supports

_FEW = 3  # figures that a sentence can name
_SMALL_COUNT = 12  # of what a sentence itself lists
# What nobody reads off a page unless it says so itself: a difference, a total, days between two dates, a mean.
_DERIVED = (
    re.compile(r"相差|差额|之差|多出|比[^，。]*[多少高低]|\bdiffer(?:s|ence)?\b|\b(?:more|less|fewer) than\b", re.I),
    re.compile(r"合计|共计|总计|总额|总和|一共|总共|\b(?:sum|totals?|altogether|add(?:s|ed)? up)\b", re.I),
    re.compile(r"相隔|间隔|\bdays (?:between|apart|later)\b", re.I),
    re.compile(r"平均|均值|\baverag|\bmean\b", re.I),
)
_TELLING = re.compile(r"[\u3400-\u9fff]{3,}|[a-z]{5,}")  # words long enough to be of one thing only


class Worked(Struct, frozen=True):
    """What a step worked out: `told` is its result as a text, for dates; `spots` are where its inputs stand.

    `calendar`: days were counted. `inputs`: the figures of an expression. `basis`: how those were worked out that
    stand nowhere.
    """

    value: Decimal | None
    told: str
    working: str
    spots: tuple[Spot, ...]
    calendar: bool = False
    inputs: tuple[Decimal, ...] = ()
    basis: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """All of the working, for a reader."""
        return *self.basis, self.working


def is_small(fact: Fact) -> bool:
    """No statement that could be looked up: an ordinal, or a count of what the sentence lists."""
    return fact.kind is FactKind.ORDINAL or (
        fact.kind is FactKind.COUNT and any(value <= _SMALL_COUNT for value in values_of(fact))
    )


def tells(one: Worked, fact: Fact) -> bool:
    """Is the fact what was worked out, perhaps rounded, in per cent, or in the column's unit?"""
    if fact.kind is FactKind.DATE:
        _, sign, result = one.told.rpartition("=")  # days between two dates give no date
        return bool(sign) and any(supports(have, fact) for have in find_facts(result))
    if one.value is None:
        return False
    exact = (one.value, abs(one.value), one.value * 100, abs(one.value) * 100)
    wanted = exact if fact.kind in (FactKind.PERCENT, FactKind.RATE) else exact[:2]
    return any(_rounds_to(value, stated) for stated in values_of(fact) for value in wanted)


def unnamed_date(used: Sequence[Worked], named: Sequence[Fact]) -> Fact | None:
    """A date that was reckoned from and isn't `named`: only a sentence that says which days it counts from which can
    be checked."""
    told = (fact for one in used if one.calendar for fact in find_facts(one.working))
    dates = (fact for fact in told if fact.kind is FactKind.DATE)
    return next((date for date in dates if not any(supports(have, date) for have in named)), None)


def unnamed_inputs(used: Sequence[Worked], named: Sequence[Fact]) -> Iterator[Decimal]:
    """Those of up to three figures of an expression that aren't `named`."""
    known = frozenset[Decimal]().union(*map(values_of, named))
    few = (one for one in used if len(one.inputs) <= _FEW)
    return (value for one in few for value in one.inputs if abs(value) not in known and value not in known)


def year_left_out(used: Sequence[Worked], named: Sequence[Fact]) -> int | None:
    """A year whose figures went into the result, where the sentence names years and not this one."""
    said, taken = _years(named), {year for one in used for line in one.lines for year in _years(find_facts(line))}
    return next((year for year in sorted(taken) if said and not min(said) <= year <= max(said)), None)


def other_year(named: Sequence[Fact], surroundings: str) -> Fact | None:
    """A year that a sentence names, where the figures it rests on stand among other years."""
    known = _years(find_facts(surroundings))
    return next((fact for fact in named if known and (years := _years((fact,))) and not years & known), None)


def unheard_of(said: frozenset[str], asked: frozenset[str], known: frozenset[str], plain: str) -> str | None:
    """A telling word that the sentence has from the task, and nothing that was read has: humidity, where none was
    measured. `said`, `asked`, `known`: tokens; `plain`: the pages, made comparable."""
    words = (word for word in sorted(said & asked - known) if _TELLING.fullmatch(word) and word not in plain)
    return next((word for word in words if not any(derived.search(word) for derived in _DERIVED)), None)


def _years(facts: Sequence[Fact]) -> set[int]:
    return {fact.value.year for fact in facts if isinstance(fact.value, DateValue) and fact.value.year}


def says_what_no_quote_does(text: str, quotes: str) -> bool:
    """Does the text speak of a difference, a total, days between or a mean, and no quote of its does?"""
    return any(words.search(text) and not words.search(quotes) for words in _DERIVED)


def _rounds_to(value: Decimal, stated: Decimal) -> bool:
    exponent = stated.as_tuple().exponent
    if not isinstance(exponent, int):
        return False
    step = Decimal(1).scaleb(min(exponent, 0))
    return abs(value - stated) <= step / 2 if value != int(value) else value == stated
