"""The facts a text states: numbers, amounts, dates, articles and the like, made comparable.

Finders run in a written order over the folded text; what one has taken is blanked before the next,
so that the 5 of 2021年3月5日 is never found again as a number.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from aipc_app.text.articles import article_within, find_articles, find_ordinals, find_paragraphs
from aipc_app.text.dates import date_within, dates_compatible, english_dates, find_dates, find_times, numeric_dates
from aipc_app.text.durations import half_durations
from aipc_app.text.identifiers import find_case_numbers, find_identifiers, find_titles, identifiers_compatible
from aipc_app.text.normalise import Normalised, fold
from aipc_app.text.numbers import ZH_NUMERAL, parse_number
from aipc_app.text.percentages import find_fractions, find_interest, fraction_value
from aipc_app.text.quantities import find_quantities
from aipc_app.text.values import ArticleNumber, DateValue, Fact, FactKind, FactValue, Found, Quantity

__all__ = [
    "ArticleNumber", "DateValue", "Fact", "FactKind", "FactValue", "Quantity", "compatible", "facts_equal",
    "find_facts", "supports",
]

_FINDERS: tuple[Callable[[str], Iterable[Found]], ...] = (
    find_titles, find_case_numbers, find_articles, find_paragraphs, find_interest, numeric_dates, find_dates,
    english_dates, find_times, find_identifiers, find_ordinals, half_durations, find_fractions, find_quantities,
)
# List marks and footnote marks are layout, not statements: "1.", "(2)", "3、", "[4]".
_MARKS = re.compile(r"(?m)^[ \t]*(?:[-*+·>#|][ \t]*)*(?:\*\*)?[(]?\d{1,3}(?:[)、]|\.(?!\d))|\[\d{1,3}\]")
_HAS_FIGURE = re.compile(rf"[\d《半*{ZH_NUMERAL}]|\b[efhnost][a-z]", re.IGNORECASE)
_SCALED_AMOUNT = re.compile(
    r"(?P<figure>-?\d[\d,，.]*)\s?(?:[千万萬億亿]|百万|thousand|million|billion)", re.IGNORECASE
)
_BLANK = "\x00"
_FIGURES = (FactKind.NUMBER, FactKind.COUNT, FactKind.AMOUNT)


def find_facts(text: str) -> tuple[Fact, ...]:
    """Every fact in the text, in order of place, with offsets into the text as given."""
    folded = fold(text)
    return tuple(_placed(text, folded, one) for one in find_in_folded(folded.text))


def find_in_folded(text: str) -> list[Found]:
    """The facts in a text that `normalise.fold` made, in order of place, without overlaps."""
    if not _HAS_FIGURE.search(text):
        return []
    return sorted(_find_all(text), key=lambda one: (one.start, one.end))


def facts_equal(one: Fact, other: Fact) -> bool:
    """Whether both say the same: same kind, same value, same unit or currency, however written."""
    return one.kind is other.kind and one.value == other.value


def compatible(one: Fact, other: Fact) -> bool:
    """Whether both can speak of the same thing, one perhaps saying less.

    Partial dates agree with whole ones, 50万 with 50万元, 15% with 年利率15%, 第680条 with 第680条第二款,
    a masked account with the whole one, 50% with 二分之一; 50万元 and 50万美元 never agree.
    """
    return supports(one, other) or supports(other, one) or (
        isinstance(one.value, DateValue) and isinstance(other.value, DateValue)
        and dates_compatible(one.value, other.value)
    )


def supports(source: Fact, claim: Fact) -> bool:
    """Whether the source fact says all that the claim says: `compatible`, but the claim may not say more.

    2021年3月5日 supports 3月5日, not the other way round; a bare 50万 supports 50万元, since tables and
    chats leave the currency to the reader, and a bare 1,234.5 supports 1,234.5万元, since tables name their
    unit once.
    """
    if facts_equal(source, claim):
        return True
    match source.value, claim.value:
        case DateValue() as known, DateValue() as said:
            return date_within(said, known)
        case ArticleNumber() as known, ArticleNumber() as said:
            return article_within(said, known)
        case Quantity() as known, Quantity() as said:
            return _quantity_supports(source.kind, known, claim.kind, said) or _column_supports(source, claim)
        case (DateValue() as date, Quantity() as count) | (Quantity() as count, DateValue() as date):
            return count.unit == "day" and date == DateValue(day=int(count.amount))  # 每月20日 or 20日
    return _text_supports(source, claim)


def _column_supports(source: Fact, claim: Fact) -> bool:
    """Whether a bare figure, as tables have under a heading like 单位：万元, is the one the claim writes with 万."""
    written = _SCALED_AMOUNT.search(claim.text)
    if source.kind is not FactKind.NUMBER or claim.kind is not FactKind.AMOUNT or written is None:
        return False
    return isinstance(source.value, Quantity) and parse_number(written["figure"]) == source.value.amount


def _quantity_supports(source: FactKind, known: Quantity, claim: FactKind, said: Quantity) -> bool:
    if known.amount != said.amount or known.approximate != said.approximate:
        return False
    if source in _FIGURES and claim in _FIGURES:
        return not (known.unit and said.unit) or known.unit == said.unit
    kinds = {source, claim}
    if kinds == {FactKind.PERCENT, FactKind.RATE}:
        return claim is FactKind.PERCENT and not said.unit
    if source is FactKind.NUMBER and claim is FactKind.DURATION:
        return not known.unit  # the row 周转天数 | 132 says its unit in its head
    bare = FactKind.NUMBER in kinds and (FactKind.MULTIPLE in kinds or FactKind.ORDINAL in kinds)
    return bare and claim is FactKind.NUMBER


def _text_supports(source: Fact, claim: Fact) -> bool:
    if isinstance(source.value, str) and isinstance(claim.value, str) and source.kind is claim.kind:
        if source.kind is FactKind.IDENTIFIER:
            return identifiers_compatible(source.value, claim.value)
        if source.kind is FactKind.TIME:
            return source.value.startswith(claim.value)
        if source.kind is FactKind.FRACTION:
            return fraction_value(source.value) == fraction_value(claim.value)
        return False
    return _as_digits(source) == _as_digits(claim) or _as_share(source) == _as_share(claim)


def _as_digits(fact: Fact) -> str | int:
    """A figure that one text writes as an account and the other as a number; a value of its own where neither."""
    if fact.kind is FactKind.IDENTIFIER and isinstance(fact.value, str):
        return fact.value
    if fact.kind is FactKind.NUMBER and isinstance(fact.value, Quantity):
        return str(fact.value.amount)
    return id(fact)


def _as_share(fact: Fact) -> Fraction | int:
    if fact.kind is FactKind.FRACTION and isinstance(fact.value, str):
        return fraction_value(fact.value)
    if fact.kind is FactKind.PERCENT and isinstance(fact.value, Quantity) and not fact.value.unit:
        return Fraction(fact.value.amount) / 100
    return -1 - id(fact)


def _find_all(text: str) -> Iterator[Found]:
    remaining = _MARKS.sub(lambda mark: _BLANK * len(mark[0]), text)
    for finder in _FINDERS:
        taken = _without_overlaps(finder(remaining))
        if taken:
            yield from taken
            remaining = _blanked(remaining, taken)


def _without_overlaps(found: Iterable[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in sorted(found, key=lambda each: (each.start, -each.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _blanked(text: str, taken: list[Found]) -> str:
    pieces, at = [], 0
    for one in taken:
        pieces += [text[at : one.start], _BLANK * (one.end - one.start)]
        at = one.end
    return "".join([*pieces, text[at:]])


def _placed(text: str, folded: Normalised, found: Found) -> Fact:
    start, end = folded.to_original(found.start, found.end)
    return Fact(found.kind, found.value, start, end, text[start:end])
