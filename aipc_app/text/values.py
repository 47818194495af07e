"""The values that facts are compared by."""

import enum
from decimal import Decimal

import msgspec


class FactKind(enum.Enum):
    """What a fact is about; facts of different kinds are never equal, though they may be compatible."""

    NUMBER = "number"  # a bare figure
    COUNT = "count"  # a figure with a measure word, or a small one in words: 三份合同, 35岁, three parties
    ORDINAL = "ordinal"  # 第二次, 第3页, 第三章
    AMOUNT = "amount"  # money
    DATE = "date"
    TIME = "time"  # of day
    DURATION = "duration"
    PERCENT = "percent"
    RATE = "rate"  # a percentage per year, month or day
    MULTIPLE = "multiple"  # 四倍, 1.25x
    FRACTION = "fraction"  # 三分之一, 3:7
    ARTICLE = "article"  # 第六百八十条, Article 680, Section 4.2
    CASE_NUMBER = "case_number"  # also the number of an official document
    TITLE = "title"  # 《…》
    IDENTIFIER = "identifier"  # accounts, identity cards, phones, plates, contract numbers


class Quantity(msgspec.Struct, frozen=True):
    """A figure and what it counts.

    `unit` is an ISO 4217 code for amounts, month, day, business day, hour, minute or second for durations,
    year, month or day for rates, 章 and the like for ordinals, else empty. Percentages are in per cent.
    """

    amount: Decimal
    unit: str = ""
    approximate: bool = False


class DateValue(msgspec.Struct, frozen=True):
    """A date of which some parts may not be said; `day_first` is set where 05/03/2021 could be read both ways."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    day_first: bool = False


class ArticleNumber(msgspec.Struct, frozen=True):
    """An article or clause: number in Arabic digits (680, 120-1 for 之一, 4.2), with 款 and 项 where said."""

    article: str
    paragraph: int | None = None
    item: int | None = None


FactValue = Quantity | DateValue | ArticleNumber | str


class Fact(msgspec.Struct, frozen=True):
    """A comparable statement found in a text, with its half-open range of code points there."""

    kind: FactKind
    value: FactValue
    start: int
    end: int
    text: str


class Found(msgspec.Struct, frozen=True):
    """A value and its range in the folded text, as one finder reports it."""

    kind: FactKind
    value: FactValue
    start: int
    end: int
