"""Ratios a bank looks at, with their formulas."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum

from msgspec import Struct

from aipc_app.domain.review import Words


class Shown(StrEnum):
    PERCENT = "percent"
    TIMES = "times"
    DAYS = "days"


class Formula(Struct, frozen=True, kw_only=True):
    """numerator ÷ denominator × `factor`; `plus` and `minus` are further terms of the numerator.

    Terms are the names of inputs; `growth`: the numerator's growth over the denominator.
    """

    label: Words
    numerator: str
    denominator: str
    plus: str = ""
    factor: Decimal = Decimal(1)
    shown: Shown = Shown.TIMES
    growth: bool = False


_F = Formula
FORMULAS: dict[str, Formula] = {
    "leverage": _F(
        label=Words(zh="资产负债率", en="Debt to assets"), numerator="liabilities", denominator="assets",
        shown=Shown.PERCENT,
    ),
    "current_ratio": _F(
        label=Words(zh="流动比率", en="Current ratio"), numerator="current_assets", denominator="current_liabilities",
    ),
    "dscr": _F(
        label=Words(zh="偿债保障比率（DSCR）", en="DSCR"), numerator="operating_cash", denominator="debt_service",
    ),
    "gross_margin": _F(
        label=Words(zh="毛利率", en="Gross margin"), numerator="gross_profit", denominator="revenue",
        shown=Shown.PERCENT,
    ),
    "growth": _F(
        label=Words(zh="增长率", en="Growth"), numerator="now", denominator="before", shown=Shown.PERCENT, growth=True,
    ),
    "dso": _F(
        label=Words(zh="应收账款周转天数（DSO）", en="Days sales outstanding"), numerator="receivables",
        denominator="revenue", factor=Decimal(365), shown=Shown.DAYS,
    ),
    "ltv": _F(
        label=Words(zh="抵押率（LTV）", en="Loan to value"), numerator="loan", denominator="value", shown=Shown.PERCENT,
    ),
    "ltv_with_prior": _F(
        label=Words(zh="合并在先抵押权的抵押率", en="Loan to value with prior liens"), numerator="loan", plus="prior",
        denominator="value", shown=Shown.PERCENT,
    ),
}  # fmt: skip


class Ratio(Struct, frozen=True):
    """`exact` before rounding, `text` as shown, `working` in the language asked for."""

    exact: Decimal
    text: str
    working: str


def ratio(name: str, inputs: dict[str, Decimal], labels: dict[str, str], language: str) -> Ratio:
    """Work one out. `labels` say what each input is. Raises KeyError for a missing input, ZeroDivisionError."""
    formula = FORMULAS[name]
    terms = [formula.numerator, *([formula.plus] if formula.plus else [])]
    top, bottom = sum((inputs[term] for term in terms), Decimal(0)), inputs[formula.denominator]
    if not bottom:
        raise ZeroDivisionError
    exact = (top - bottom) / bottom if formula.growth else top * formula.factor / bottom
    text = _shown(exact, formula.shown, language)
    names, figures = " + ".join(labels[t] for t in terms), " + ".join(plain(inputs[t]) for t in terms)
    names, figures = (f"({names})", f"({figures})") if len(terms) > 1 else (names, figures)
    times = f" × {plain(formula.factor)}" if formula.factor != 1 else ""
    below = labels[formula.denominator]
    said = f"({names} - {below}) ÷ {below}" if formula.growth else f"{names} ÷ {below}{times}"
    filled = (
        f"({figures} - {plain(bottom)}) ÷ {plain(bottom)}" if formula.growth else f"{figures} ÷ {plain(bottom)}{times}"
    )
    return Ratio(exact, text, f"{formula.label.of(language)} = {said} = {filled} = {text}")


def plain(amount: Decimal) -> str:
    """With thousands separated, without zeros that say nothing."""
    text = f"{amount:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown(exact: Decimal, shown: Shown, language: str) -> str:
    if shown is Shown.PERCENT:
        return f"{(exact * 100).quantize(Decimal('0.1'), ROUND_HALF_UP)}%"
    if shown is Shown.DAYS:
        return f"{exact.quantize(Decimal(1), ROUND_HALF_UP)}{'天' if language == 'zh' else ' days'}"
    return f"{exact.quantize(Decimal('0.01'), ROUND_HALF_UP)}"
