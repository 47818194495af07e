"""A list number in the formats of ECMA-376 part 1, 17.18.59 (ST_NumberFormat); pure."""

from __future__ import annotations

from collections.abc import Callable

_DIGITS = "〇一二三四五六七八九"
_LEGAL = "零壹贰叁肆伍陆柒捌玖"
_LEGAL_TRADITIONAL = "零壹貳參肆伍陸柒捌玖"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
    (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def number_text(value: int, number_format: str) -> str:
    """`value` written in `number_format`; Arabic digits for formats that are not known."""
    write = _FORMATS.get(number_format)
    return write(value) if write is not None and value >= 0 else str(value)


def chinese(value: int, digits: str = _DIGITS, units: str = "十百千", ten_thousand: str = "万") -> str:
    """一千零五, 十二, 二十. Up to 99,999,999."""
    if value >= 100_000_000:
        return str(value)
    zero = "零" if digits is _DIGITS else digits[0]
    high, low = divmod(value, 10_000)
    if not high:
        text = _below_ten_thousand(low, digits, units, zero) or digits[0]
    else:
        gap = zero if 0 < low < 1000 else ""
        text = _below_ten_thousand(high, digits, units, zero) + ten_thousand + gap
        text += _below_ten_thousand(low, digits, units, zero)
    return text[1:] if digits is _DIGITS and text.startswith("一十") else text


def _below_ten_thousand(value: int, digits: str, units: str, zero: str) -> str:
    text, pending_zero = "", False
    for place in (3, 2, 1, 0):
        digit = value // 10**place % 10
        if digit:
            text += zero if pending_zero and text else ""
            text += digits[digit] + (units[place - 1] if place else "")
            pending_zero = False
        else:
            pending_zero = True
    return text


def _letters(first: str) -> Callable[[int], str]:
    """a … z, aa, bb …: Word repeats the letter."""

    def write(value: int) -> str:
        if value < 1:
            return str(value)
        times, index = divmod(value - 1, 26)
        return chr(ord(first) + index) * (times + 1)

    return write


def _roman(value: int) -> str:
    if not 0 < value < 4000:
        return str(value)
    text = ""
    for worth, sign in _ROMAN:
        while value >= worth:
            text, value = text + sign, value - worth
    return text


def _one_of(signs: str) -> Callable[[int], str]:
    return lambda value: signs[value - 1] if 1 <= value <= len(signs) else str(value)


def _circled(value: int) -> str:
    return chr(0x2460 + value - 1) if 1 <= value <= 20 else str(value)


def _ordinal(value: int) -> str:
    ending = "th" if 10 <= value % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalZero": lambda value: f"{value:02d}",
    "decimalFullWidth": lambda value: str(value).translate({0x30 + i: 0xFF10 + i for i in range(10)}),
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "decimalEnclosedParen": lambda value: f"({value})",
    "decimalEnclosedFullstop": lambda value: f"{value}.",
    "numberInDash": lambda value: f"- {value} -",
    "ordinal": _ordinal,
    "upperRoman": _roman,
    "lowerRoman": lambda value: _roman(value).lower(),
    "upperLetter": _letters("A"),
    "lowerLetter": _letters("a"),
    "chineseCounting": chinese,
    "chineseCountingThousand": chinese,
    "taiwaneseCounting": chinese,
    "taiwaneseCountingThousand": chinese,
    "japaneseCounting": chinese,
    "koreanDigital2": chinese,
    "ideographDigital": lambda value: "".join(_DIGITS[int(digit)] for digit in str(value)),
    "japaneseDigitalTenThousand": lambda value: "".join(_DIGITS[int(digit)] for digit in str(value)),
    "taiwaneseDigital": lambda value: "".join(_DIGITS[int(digit)] for digit in str(value)),
    "chineseLegalSimplified": lambda value: chinese(value, _LEGAL, "拾佰仟"),
    "ideographLegalTraditional": lambda value: chinese(value, _LEGAL_TRADITIONAL, "拾佰仟", "萬"),
    "ideographTraditional": _one_of(_STEMS),
    "ideographZodiac": _one_of(_BRANCHES),
    "ideographEnclosedCircle": lambda value: chr(0x3280 + value - 1) if 1 <= value <= 10 else chinese(value),
}
