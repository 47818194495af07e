"""Facts as keys that an index can hold: what a document says and a question asks for meet in equal keys."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from aipc_app.text.facts import find_facts
from aipc_app.text.values import ArticleNumber, DateValue, Fact, FactKind, Quantity

_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
# Smaller bare figures are in every second passage: they would find nothing but noise.
_SMALLEST_BARE_FIGURE = 100
_PERCENTAGES = (FactKind.PERCENT, FactKind.RATE)
_NAMES = (FactKind.CASE_NUMBER, FactKind.IDENTIFIER)


def fact_keys(text: str) -> tuple[tuple[str, str], ...]:
    """(kind, value) keys of a text: amounts, dates, percentages, articles, case numbers, identifiers.

    Each once, in order. A whole date also gives its month and its day of the year, an article with 款
    also the bare article, so that less precise questions meet it, and precise ones meet it more often.
    """
    return keys_of(find_facts(text))


def keys_of(facts: Iterable[Fact]) -> tuple[tuple[str, str], ...]:
    """The keys of facts that were found already."""
    return tuple(dict.fromkeys(key for fact in facts for key in _keys(fact)))


def _keys(fact: Fact) -> Iterator[tuple[str, str]]:
    match fact.value:
        case Quantity() as quantity:
            yield from _quantity_keys(fact.kind, quantity)
        case DateValue() as date:
            yield from (("date", form) for form in _date_forms(date))
        case ArticleNumber() as article:
            yield "article", article.article
            if article.paragraph is not None:
                yield "article", f"{article.article} {article.paragraph}"
        case str() as name if fact.kind in _NAMES and "*" not in name:
            yield str(fact.kind.value), _NOT_ALPHANUMERIC.sub("", name).lower()


def _quantity_keys(kind: FactKind, quantity: Quantity) -> Iterator[tuple[str, str]]:
    if kind in _PERCENTAGES:
        yield "percent", _plain(quantity.amount)
    elif kind is FactKind.AMOUNT or (
        kind is FactKind.NUMBER and abs(quantity.amount) >= _SMALLEST_BARE_FIGURE
    ):
        yield "figure", _plain(quantity.amount)  # tables and chats leave the currency to the reader


def _date_forms(date: DateValue) -> Iterator[str]:
    if date.month is None:
        return
    if date.year and date.day:
        yield f"{date.year}-{date.month:02}-{date.day:02}"
    if date.year:
        yield f"{date.year}-{date.month:02}"
    if date.day:
        yield f"{date.month:02}-{date.day:02}"


def _plain(amount: Decimal) -> str:
    plain = f"{abs(amount):f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
