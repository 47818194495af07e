"""One figure, many writings."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.text.numbers import parse_number

_DIGITS = "零一二三四五六七八九"
_FORMAL = str.maketrans("零一二三四五六七八九十百千", "零壹贰叁肆伍陆柒捌玖拾佰仟")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("五十万", "500000"),
        ("伍拾万", "500000"),
        ("50万", "500000"),
        ("500,000", "500000"),
        ("500，000", "500000"),
        ("1.2亿", "120000000"),
        ("1亿2000万", "120000000"),
        ("3千", "3000"),
        ("3万5千", "35000"),
        ("三万五", "35000"),
        ("1万2", "12000"),
        ("两千三", "2300"),
        ("一百二", "120"),
        ("一百零二", "102"),
        ("十", "10"),
        ("十五", "15"),
        ("廿三", "23"),
        ("二〇二一", "2021"),
        ("二零二一", "2021"),
        ("十五点四", "15.4"),
        ("零点五", "0.5"),
        ("一万二千亿", "1200000000000"),
        ("一千零五十万", "10500000"),
        ("负五十", "-50"),
        ("-5.2", "-5.2"),
        ("twenty-one", "21"),
        ("five hundred thousand", "500000"),
        ("one point five million", "1500000"),
        ("1.5 million", "1500000"),
        ("a hundred", "100"),
        ("three thousand two hundred and five", "3205"),
        ("5w", "50000"),
        ("10k", "10000"),
        ("1e-4", "0.0001"),
    ],
)
def test_every_writing_has_its_value(written: str, value: str) -> None:
    assert parse_number(written) == Decimal(value)


@pytest.mark.parametrize(
    "written", ["", "十十", "百", "万", "万一", "三五", "百千", "七八万", "hello", "one foo", "1.2.3"]
)
def test_what_is_no_figure_has_no_value(written: str) -> None:
    assert parse_number(written) is None


def _chinese_section(value: int) -> str:
    text, zero = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, unit)
        if digit:
            text += ("零" if zero and text else "") + _DIGITS[digit] + name
            zero = False
        else:
            zero = True
    return text


def _chinese(value: int) -> str:
    """A plain writer of Chinese numerals, to read its output back."""
    if value == 0:
        return "零"
    text, gap = "", False
    for unit, name in ((10**8, "亿"), (10**4, "万"), (1, "")):
        section, value = divmod(value, unit)
        if section:
            text += ("零" if text and (gap or section < 1000) else "") + _chinese_section(section) + name
            gap = False
        else:
            gap = bool(text)
    return text


@given(st.integers(min_value=0, max_value=10**12 - 1))
def test_a_written_figure_is_read_back(value: int) -> None:
    written = _chinese(value)
    assert parse_number(written) == value
    assert parse_number(written.translate(_FORMAL)) == value
    assert parse_number(f"{value:,}") == value


@given(st.integers(min_value=1, max_value=9999), st.integers(min_value=0, max_value=99))
def test_decimals_before_a_unit_scale_with_it(whole: int, decimals: int) -> None:
    assert parse_number(f"{whole}.{decimals:02}万") == (whole * 100 + decimals) * 100


@given(st.text(alphabet="零一二三五九十百千万亿点壹拾0123.,万w e-", max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    value = parse_number(text)
    assert value is None or value.is_finite()
