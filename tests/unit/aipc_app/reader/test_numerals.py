"""List numbers as Word writes them."""

from __future__ import annotations

import pytest

from aipc_app.reader.convert.numerals import number_text


@pytest.mark.parametrize(
    ("value", "number_format", "expected"),
    [
        (0, "decimal", "0"), (7, "decimalZero", "07"), (12, "decimalFullWidth", "１２"),
        (3, "decimalEnclosedCircle", "③"), (4, "upperRoman", "IV"),
        (1994, "lowerRoman", "mcmxciv"), (27, "lowerLetter", "aa"), (2, "upperLetter", "B"),
        (11, "ordinal", "11th"), (22, "ordinal", "22nd"),
        (10, "chineseCounting", "十"), (15, "chineseCountingThousand", "十五"), (20, "chineseCountingThousand", "二十"),
        (101, "chineseCountingThousand", "一百零一"), (110, "chineseCountingThousand", "一百一十"),
        (1005, "chineseCountingThousand", "一千零五"), (12034, "chineseCountingThousand", "一万二千零三十四"),
        (10005, "chineseCountingThousand", "一万零五"), (680, "chineseCountingThousand", "六百八十"),
        (10, "chineseLegalSimplified", "壹拾"), (205, "ideographDigital", "二〇五"),
        (3, "ideographTraditional", "丙"), (11, "ideographTraditional", "11"), (5, "somethingNew", "5"),
    ],
)  # fmt: skip
def test_number_in_its_format(value: int, number_format: str, expected: str) -> None:
    assert number_text(value, number_format) == expected
