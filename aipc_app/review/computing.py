"""Computed items: from findings that are supported, with the formula and its inputs as the working. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.domain.review import Cell, Decision, Finding, FindingStatus, Item
from aipc_app.review import values
from aipc_app.review.compute import ceiling as ceilings
from aipc_app.review.compute.days import add_months, days_between
from aipc_app.review.compute.fees import court_fee
from aipc_app.review.compute.interest import Account, Payment, RatePeriod, run_account
from aipc_app.review.compute.ratios import FORMULAS, plain, ratio
from aipc_app.review.look.figures import figure_key
from aipc_app.review.wording import said

# Inputs by computation; those with ? may be missing.
INPUTS: dict[str, tuple[str, ...]] = {
    **{name: tuple(t for t in (f.numerator, f.plus, f.denominator) if t) for name, f in FORMULAS.items()},
    "limit": ("value", "limit"),
    "differ": ("a", "b", "c?", "d?", "e?", "f?"),
    "delivered": ("transfers",),
    "delivered_on": ("transfers",),
    "paid": ("transfers",),
    "rate": ("rate", "contract_date", "filed?"),
    "account": ("principal", "start", "end", "rate", "contract_date", "filed?", "transfers?"),
    "interest": ("principal", "start", "end", "rate", "contract_date", "filed?"),
    "court_fee": ("amount",),
    "guarantee_end": ("due",),
    "limitation_end": ("due",),
}
_AT_LEAST = ("不低于", "不少于", "不得低于", "至少", "以上", "not below", "at least", "minimum")
_LIMITATION_MONTHS, _GUARANTEE_MONTHS = 36, 6  # Civil Code art. 188, 692


_Value = TypeVar("_Value", Decimal, date)


class Missing(ValueError):
    """An input states no such figure; the message names its item."""


class Inputs:
    """The findings a computation takes, by its own names, with their labels."""

    def __init__(self, found: Mapping[str, tuple[Item, Finding]], language: str) -> None:
        self._found, self.language = found, language

    def called(self, name: str) -> str:
        return self._found[name][0].label.of(self.language)

    def given(self, name: str) -> Finding:
        return self._found[name][1]

    def item(self, name: str) -> Item:
        return self._found[name][0]

    def has(self, name: str) -> bool:
        return name in self._found

    def names(self) -> tuple[str, ...]:
        return tuple(self._found)

    def money(self, name: str) -> Decimal:
        return self._need(name, values.money(self.given(name)))

    def number(self, name: str) -> Decimal:
        return self._need(name, values.number(self.given(name)))

    def day(self, name: str) -> date:
        return self._need(name, values.day(self.given(name)))

    def last_day(self, name: str) -> date:
        found = values.days(self.given(name))
        return self._need(name, found[-1] if found else None)

    def rate(self, name: str) -> Decimal:
        return self._need(name, values.rate_per_year(self.given(name)))

    def _need(self, name: str, value: _Value | None) -> _Value:
        if value is None:
            raise Missing(self.called(name))
        return value


class Computed(Struct, frozen=True, kw_only=True):
    value: str
    working: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()  # of a table; each row rests on the input it came from, `origins`
    origins: tuple[str, ...] = ()


def compute(item: Item, items: Mapping[str, Item], findings: Mapping[str, Finding], language: str) -> Finding:
    """Work it out; not_found, with the reason, where an input is missing or not supported."""
    found: dict[str, tuple[Item, Finding]] = {}
    for name in INPUTS[item.compute]:
        wanted = item.inputs.get(name.rstrip("?"), "")
        chosen = next((i for i in wanted.split("|") if i in findings and usable(findings[i])), None)
        if chosen is not None:
            found[name.rstrip("?")] = (items[chosen], findings[chosen])
        elif not name.endswith("?"):
            labels = items[wanted.split("|")[0]].label.of(language)
            return Finding(item=item.id, status=FindingStatus.NOT_FOUND, reason=said("needs", language).format(labels))
    inputs = Inputs(found, language)
    try:
        done = _FUNCTIONS.get(item.compute, _ratio)(item, inputs)
    except Missing as error:
        reason = said("needs", language).format(error)
    except (ZeroDivisionError, ValueError):
        reason = said("does_not_fit", language)
    else:
        return _finding(item, done, inputs)
    return Finding(item=item.id, status=FindingStatus.NOT_FOUND, reason=reason)


def usable(finding: Finding) -> bool:
    """May other items be worked out from it?"""
    if finding.decision is Decision.REJECTED:
        return False
    return finding.status is FindingStatus.SUPPORTED or finding.decision in (Decision.ACCEPTED, Decision.EDITED)


def _finding(item: Item, done: Computed, inputs: Inputs) -> Finding:
    citations, markers = _joined([inputs.given(name) for name in inputs.names()])
    by_input = dict(zip(inputs.names(), markers, strict=True))
    every = tuple(marker for group in markers for marker in group)
    rows = tuple(
        tuple(Cell(text=cell, citations=by_input.get(name, ())) for cell in row)
        for row, name in zip(done.rows, done.origins, strict=True)
    )
    lines = (Sentence(text=done.value, state=SentenceState.SUPPORTED, citations=every),)
    return Finding(
        item=item.id, status=FindingStatus.SUPPORTED, value=done.value, sentences=lines, rows=rows, citations=citations,
        working=done.working,
    )  # fmt: skip


def _joined(findings: Sequence[Finding]) -> tuple[tuple[Citation, ...], list[tuple[int, ...]]]:
    """Their citations as one list, each place once, and the markers of each finding in it."""
    kept: dict[tuple[int, int, int, int], Citation] = {}
    groups: list[tuple[int, ...]] = []
    for finding in findings:
        group = []
        for one in finding.citations:
            key = (one.document_id, one.page, one.start, one.end)
            if key not in kept:
                kept[key] = replace(one, marker=len(kept) + 1)
            group.append(kept[key].marker)
        groups.append(tuple(dict.fromkeys(group)))
    return tuple(kept.values()), groups


def _ratio(item: Item, inputs: Inputs) -> Computed:
    names = inputs.names()
    done = ratio(
        item.compute, {name: inputs.money(name) for name in names}, {name: inputs.called(name) for name in names},
        inputs.language,
    )  # fmt: skip
    return Computed(value=done.text, working=(done.working,))


def _limit(item: Item, inputs: Inputs) -> Computed:
    """Is the limit kept? Its direction is read from its words."""
    value, limit = inputs.number("value"), inputs.number("limit")
    text = " ".join((inputs.given("limit").shown, *(c.quote for c in inputs.given("limit").citations))).lower()
    at_least = any(word in text for word in _AT_LEAST)
    met = value >= limit if at_least else value <= limit
    sign = ("≥" if met else "<") if at_least else ("≤" if met else ">")
    shown = (inputs.given("value").shown, inputs.given("limit").shown)
    verdict = said("met" if met else "broken", inputs.language)
    working = f"{inputs.called('value')} {shown[0]} {sign} {inputs.called('limit')} {shown[1]}"
    colon = "：" if inputs.language == "zh" else ": "
    return Computed(value=f"{verdict}{colon}{working}", working=(working,))


def _differ(item: Item, inputs: Inputs) -> Computed:
    names = inputs.names()
    if len(names) < 2:
        raise ValueError
    keys = {figure_key(inputs.given(name).shown) for name in names}
    verdict = said("agree" if len(keys) == 1 else "differ", inputs.language)
    colon = "：" if inputs.language == "zh" else ": "
    lines = tuple(f"{inputs.called(name)}{colon}{inputs.given(name).shown}" for name in names)
    rows = tuple((inputs.called(name), inputs.given(name).shown) for name in names)
    joined = ("；" if inputs.language == "zh" else "; ").join(lines)
    return Computed(value=f"{verdict}{colon}{joined}", working=(), rows=rows, origins=names)


class _Transfer(Struct, frozen=True):
    on: date
    payer: str
    payee: str
    amount: Decimal
    note: str


def _transfers(inputs: Inputs) -> tuple[list[_Transfer], list[_Transfer]]:
    """What the lender, who pays first, handed over, and what came back to the same hand."""
    columns = [column.id for column in inputs.item("transfers").columns]
    read: list[_Transfer] = []
    for row in inputs.given("transfers").rows:
        cells = dict(zip(columns, (cell.text for cell in row), strict=False))
        probe = Finding(item="", status=FindingStatus.SUPPORTED, value=cells.get("amount", ""))
        when = values.day(Finding(item="", status=FindingStatus.SUPPORTED, value=cells.get("date", "")))
        amount = values.money(probe)
        if when is not None and amount is not None:
            payer, payee = _who(cells.get("payer", "")), _who(cells.get("payee", ""))
            read.append(_Transfer(when, payer, payee, amount, cells.get("note", "")))
    if not read:
        raise Missing(inputs.called("transfers"))
    lender = read[0].payer
    return [t for t in read if t.payer == lender], [t for t in read if t.payee == lender]


def _who(cell: str) -> str:
    return cell.split("（")[0].split("(")[0].strip()


def _delivered(item: Item, inputs: Inputs) -> Computed:
    given, _ = _transfers(inputs)
    total = sum((t.amount for t in given), Decimal(0))
    working = " + ".join(f"{plain(t.amount)}（{t.on.isoformat()}）" for t in given)
    return Computed(value=_yuan(total, inputs.language), working=(f"{working} = {plain(total)}",))


def _delivered_on(item: Item, inputs: Inputs) -> Computed:
    given, _ = _transfers(inputs)
    return Computed(value=_day(given[0].on, inputs.language), working=())


def _paid(item: Item, inputs: Inputs) -> Computed:
    _, back = _transfers(inputs)
    total = sum((t.amount for t in back), Decimal(0))
    working = " + ".join(f"{plain(t.amount)}（{t.on.isoformat()} {t.note}）" for t in back)
    return Computed(value=_yuan(total, inputs.language), working=(f"{working} = {plain(total)}",))


def _rates(inputs: Inputs) -> tuple[tuple[RatePeriod, ...], list[str]]:
    """The agreed rate, or the ceiling where that is lower; with the working."""
    language, agreed, contract = inputs.language, inputs.rate("rate"), inputs.day("contract_date")
    filed = inputs.day("filed") if inputs.has("filed") else None
    limits = ceilings.ceiling(contract, filed)
    lines = [said("agreed_rate", language).format(plain(agreed))]
    for limit in limits:
        key = "old_ceiling" if limit.percent == ceilings.PROTECTED else "lpr_ceiling"
        prime = plain(limit.percent / ceilings.MULTIPLE)
        lines.append(said(key, language).format(_day(limit.start, language), plain(limit.percent), prime))
    rates = ceilings.capped((RatePeriod(contract, agreed),), limits)
    applied = "；".join(f"{r.start.isoformat()} {plain(r.percent)}%" for r in rates)
    lines.append(said("applied_rate", language).format(applied))
    return rates, lines


def _rate(item: Item, inputs: Inputs) -> Computed:
    rates, lines = _rates(inputs)
    shown = "；".join(f"{plain(r.percent)}%" for r in rates)
    return Computed(value=said("a_year", inputs.language).format(shown), working=tuple(lines))


def _account(item: Item, inputs: Inputs) -> Computed:
    back = _transfers(inputs)[1] if inputs.has("transfers") else []
    account, lines = _run(inputs, [Payment(t.on, t.amount) for t in back])
    value = said("owed", inputs.language).format(
        _day(account.end, inputs.language), plain(account.principal), plain(account.interest)
    )
    return Computed(value=value, working=tuple(lines))


def _interest(item: Item, inputs: Inputs) -> Computed:
    account, lines = _run(inputs, [], through_end=True)
    return Computed(value=_yuan(account.accrued, inputs.language), working=tuple(lines))


def _run(inputs: Inputs, payments: Sequence[Payment], *, through_end: bool = False) -> tuple[Account, list[str]]:
    """`through_end`: the last day of the period counts too."""
    language = inputs.language
    rates, lines = _rates(inputs)
    start = inputs.day("start")
    end = inputs.last_day("end") + timedelta(days=1 if through_end else 0)
    account = run_account(inputs.money("principal"), start, end, _from(rates, start), payments)
    for step in account.steps:
        lines.append(
            said("step", language).format(
                step.start.isoformat(),
                step.end.isoformat(),
                step.days,
                plain(step.balance),
                plain(step.percent),
                plain(step.amount),
            )
        )
    for one in account.applied:
        lines.append(
            said("applied", language).format(
                one.payment.on.isoformat(),
                plain(one.payment.amount),
                plain(one.interest),
                plain(one.principal),
                plain(one.balance),
            )
        )
    lines.append(said("convention", language))
    return account, lines


def _from(rates: Sequence[RatePeriod], start: date) -> tuple[RatePeriod, ...]:
    """The money may be handed over before the day the contract is dated."""
    first = rates[0]
    return (RatePeriod(min(first.start, start), first.percent), *rates[1:])


def _court_fee(item: Item, inputs: Inputs) -> Computed:
    amount = inputs.money("amount")
    fee, half = court_fee(amount), court_fee(amount, half=True)
    value = said("fee", inputs.language).format(plain(fee), plain(half))
    return Computed(value=value, working=(said("fee_basis", inputs.language).format(plain(amount)),))


def _after_months(months: int, key: str) -> Callable[[Item, Inputs], Computed]:
    def work(item: Item, inputs: Inputs) -> Computed:
        due = inputs.last_day("due")
        end = add_months(due, months)
        working = said(key, inputs.language).format(due.isoformat(), months, end.isoformat(), days_between(due, end))
        return Computed(value=_day(end, inputs.language), working=(working,))

    return work


def _yuan(amount: Decimal, language: str) -> str:
    return f"{plain(amount)}元" if language == "zh" else f"RMB {plain(amount)}"


def _day(day: date, language: str) -> str:
    return f"{day.year}年{day.month}月{day.day}日" if language == "zh" else day.isoformat()


_FUNCTIONS: dict[str, Callable[[Item, Inputs], Computed]] = {
    "limit": _limit, "differ": _differ, "delivered": _delivered, "delivered_on": _delivered_on, "paid": _paid,
    "rate": _rate, "account": _account, "interest": _interest, "court_fee": _court_fee,
    "guarantee_end": _after_months(_GUARANTEE_MONTHS, "guarantee"),
    "limitation_end": _after_months(_LIMITATION_MONTHS, "limitation"),
}  # fmt: skip
