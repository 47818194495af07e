"""Numbers and dates come out as a spreadsheet shows them."""

from __future__ import annotations

import pytest

from aipc_app.reader.convert.number_format import BUILTIN, is_date, shown


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (0.125, "0.0%", "12.5%"),
        (-0.5, "0%", "-50%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-1234.5, "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        (-5, "¥#,##0.00;¥-#,##0.00", "¥-5.00"),
        (1234.5, '_ * #,##0.00_ ;_ * -#,##0.00_ ;_ * "-"??_ ;_ @_ ', "1,234.50"),
        (0, '_ * #,##0.00_ ;_ * -#,##0.00_ ;_ * "-"??_ ;_ @_ ', "-"),
        (5, "[$¥-804]#,##0", "¥5"),
        (3, '0"件"', "3件"),
        (7, 'General"次"', "7次"),
        (12, "000", "012"),
        (1.005, "0.00", "1.01"),
        (1.5, "0.##", "1.5"),
        (1234567, '#,##0,"K"', "1,235K"),
        (12345.678, "0.00E+00", "1.23E+04"),
        (0.1 + 0.2, "", "0.3"),
        (123456789012, "General", "123456789012"),
        (0.00001234, "", "0.00001234"),
        (0.5, "@", "0.5"),
        (45291, "yyyy-mm-dd", "2023-12-31"),
        (45291, "m/d/yy", "12/31/23"),
        (45291.5, 'yyyy"年"m"月"d"日" h:mm', "2023年12月31日 12:00"),
        (44927, "[$-804]aaaa", "星期日"),
        (44927, "d-mmm-yy", "1-Jan-23"),
        (0.75, "h:mm AM/PM", "6:00 PM"),
        (0.75, "上午/下午h时mm分", "下午6时00分"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (44927.123456, "mm:ss.0", "57:46.5"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (60, "#,##0.00;[Red]-#,##0.00", "60.00"),
    ],
)  # fmt: skip
def test_a_number_is_shown_by_its_format(value: float, code: str, expected: str) -> None:
    assert shown(value, code) == expected


def test_years_may_be_counted_from_1904() -> None:
    assert shown(0, "yyyy-mm-dd", from_1904=True) == "1904-01-01"


def test_the_standard_formats_of_dates_are_dates() -> None:
    assert is_date(BUILTIN[14]) and is_date(BUILTIN[31]) and not is_date(BUILTIN[10]) and not is_date("0.00E+00")


@pytest.mark.parametrize("value", [float("1e300"), -1.0, 3e6, 1e-300])
@pytest.mark.parametrize("code", ["yyyy-mm-dd", "#,##0.00", "0%", "???", '"', "[h", ";;;", "\\", "h:mm" * 50])
def test_no_number_and_no_format_breaks_it(value: float, code: str) -> None:
    assert isinstance(shown(value, code), str)
