"""Numbers as a spreadsheet shows them: 0.125 as 12.5%, 45291 as 2023-12-31.

Number format codes are those of ECMA-376 part 1, 18.8.30 and 18.8.31, as far as they occur in office files;
colours, conditions and widths are left out, and what is not understood is shown as a plain number.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

BUILTIN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00", 9: "0%",
    10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 27: "yyyy年m月", 28: "m月d日",
    29: "m月d日", 30: "m-d-yy", 31: "yyyy年m月d日", 32: "h时mm分", 33: "h时mm分ss秒", 36: "yyyy年m月", 37: "#,##0",
    38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
    49: "@", 50: "yyyy年m月", 51: "m月d日", 52: "yyyy年m月", 53: "m月d日", 54: "m月d日", 55: "上午/下午h时mm分",
    56: "上午/下午h时mm分ss秒", 57: "yyyy年m月", 58: "m月d日",
}  # fmt: skip
_TOKEN = re.compile(
    r'"([^"]*)"?|\\(.)|_.|\*.|\[(?:\$([^\]\-]*)[^\]]*|(h+|m+|s+)|[^\]]*)\]|(AM/PM|A/P|上午/下午)'
    r"|(y+|m+|d+|h+|s+|e+|a{3,4}|\.0+(?![#0-9]))|(.)",
    re.IGNORECASE | re.DOTALL,
)
_LITERALS = re.compile(r'"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]')
_DATE_LETTERS = re.compile(r"[ymdhs]|aaa|e(?![+-])", re.IGNORECASE)
_GENERAL = re.compile("general", re.IGNORECASE)
_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.[#0?]*)?,*")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_WEEK = "一二三四五六日"
_MAX_DAYS = 2_958_465  # 9999-12-31
_MAX_DECIMALS = 30


def shown(value: float, code: str, *, from_1904: bool = False) -> str:
    """`value` under a format code; "" and General give up to 15 digits."""
    sections = _sections(code)
    if is_date(code) and 0 <= value <= _MAX_DAYS:
        return _date(value, sections[0], from_1904)
    section = sections[1] if value < 0 and len(sections) > 1 else sections[0]
    if value == 0 and len(sections) > 2:
        section = sections[2]
    return _number(value, section, signed=len(sections) < 2 or section is sections[0])


def plain(value: float) -> str:
    """Without a format: no exponent where a person would write none."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = f"{value:.15g}"
    return f"{Decimal(text):f}" if "e-" in text and abs(value) > 1e-9 else text


def is_date(code: str) -> bool:
    """Whether a number under this code is a date or a time."""
    if re.search(r"\[(?:h+|m+|s+)\]", code, re.IGNORECASE):
        return True
    bare = _LITERALS.sub("", code.partition(";")[0])
    return "general" not in bare.lower() and _DATE_LETTERS.search(bare) is not None


def _sections(code: str) -> list[str]:
    parts, start, quoted = [], 0, False
    for at, char in enumerate(code):
        if char == '"':
            quoted = not quoted
        elif char == ";" and not quoted and (at == 0 or code[at - 1] != "\\"):
            parts.append(code[start:at])
            start = at + 1
    return [*parts, code[start:]]


def _number(value: float, section: str, *, signed: bool) -> str:
    sign = "-" if signed and value < 0 else ""
    bare = _LITERALS.sub("", section)
    general = _GENERAL.search(section)
    if general is not None:
        size = plain(abs(value)) if sign or not signed else plain(value)
        return sign + _literal(section[: general.start()]) + size + _literal(section[general.end() :])
    if not section or "@" in bare or "/" in bare:
        return plain(value)
    digits = _DIGITS.search(_masked(section))
    if digits is None:
        return _literal(section) or plain(value)
    before, after = _literal(section[: digits.start()]), _literal(section[digits.end() :])
    if re.match(r"E[+-]", section[digits.end() :], re.IGNORECASE):
        return sign + before + f"{abs(value):.{_decimals(digits.group())}E}"
    shifted = abs(value) * (100 if "%" in bare else 1) / 1000 ** _scale(digits.group())
    return sign + before + _digits(shifted, digits.group()) + after


def _digits(value: float, pattern: str) -> str:
    whole, _, fraction = pattern.rstrip(",").partition(".")
    try:
        exact = Decimal(repr(value)).quantize(Decimal(1).scaleb(-_decimals(pattern)), ROUND_HALF_UP)
    except InvalidOperation:
        return plain(value)
    text = f"{exact:,f}" if "," in whole else f"{exact:f}"
    head, _, tail = text.partition(".")
    if exact == 0 and "0" not in pattern:
        return ""
    least = fraction.count("0")
    while len(tail) > least and tail.endswith("0"):
        tail = tail[:-1]
    head = head.zfill(whole.count("0")) if "," not in whole else head
    if head == "0" and "0" not in whole and tail:
        head = ""
    return head + ("." + tail if tail else "")


def _decimals(pattern: str) -> int:
    return min(_MAX_DECIMALS, sum(char in "#0?" for char in pattern.rstrip(",").partition(".")[2]))


def _scale(pattern: str) -> int:
    return len(pattern) - len(pattern.rstrip(","))


def _masked(section: str) -> str:
    """Literals blanked out, so that their digits are not taken for places."""
    return _LITERALS.sub(lambda match: " " * len(match.group()), section)


def _literal(text: str) -> str:
    """What a piece of a number's format writes as it is."""
    parts = []
    for match in _TOKEN.finditer(text):
        quoted, escaped, currency, _elapsed, _noon, letters, other = match.groups()
        parts.append(quoted or escaped or currency or letters or (other if other not in ("#", "?", None) else ""))
    return "".join(part for part in parts if part)


def _date(value: float, section: str, from_1904: bool) -> str:
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30 if value >= 60 else 31)
    fraction = ".0" in section
    try:
        when = start + timedelta(seconds=round(value * 86_400, 3 if fraction else 0))
    except OverflowError:
        return plain(value)
    twelve = re.search(r"AM/PM|A/P|上午/下午", section, re.IGNORECASE) is not None
    tokens = list(_TOKEN.finditer(section))
    return "".join(_date_part(tokens, at, when, value, twelve) for at in range(len(tokens))).strip()


def _date_part(tokens: list[re.Match[str]], at: int, when: datetime, value: float, twelve: bool) -> str:
    quoted, escaped, currency, elapsed, noon, letters, other = tokens[at].groups()
    if elapsed:
        per_day = {"h": 24, "m": 1440, "s": 86_400}[elapsed[0].lower()]
        return str(int(value * per_day + 1e-6)).zfill(len(elapsed))
    if noon:
        am, pm = noon.split("/")
        return am if when.hour < 12 else pm
    if letters:
        return _date_letters(letters.lower(), when, twelve, minutes=_is_minutes(tokens, at))
    return quoted or escaped or currency or other or ""


def _is_minutes(tokens: list[re.Match[str]], at: int) -> bool:
    """m after hours or before seconds."""
    kinds = [(t.group(6) or t.group(4) or "").lower()[:1] for t in tokens]
    before = next((kind for kind in reversed(kinds[:at]) if kind), "")
    after = next((kind for kind in kinds[at + 1 :] if kind), "")
    return before == "h" or after == "s"


def _date_letters(letters: str, when: datetime, twelve: bool, *, minutes: bool) -> str:
    kind, length = letters[0], len(letters)
    if kind in "ye":
        return f"{when.year % 100:02}" if letters in ("y", "yy") else str(when.year)
    if kind == "m" and not minutes:
        names = {3: _MONTHS[when.month - 1][:3], 4: _MONTHS[when.month - 1], 5: _MONTHS[when.month - 1][0]}
        return names.get(length) or str(when.month).zfill(min(length, 2))
    if kind == "d" and length > 2:
        return _DAYS[when.weekday()][: 3 if length == 3 else None]
    if kind == "a":
        return ("星期" if length == 4 else "") + _WEEK[when.weekday()]
    if kind == ".":
        return f".{when.microsecond // 1000:03}"[:length]
    hour = (when.hour % 12 or 12) if twelve else when.hour
    number = {"m": when.minute, "d": when.day, "h": hour, "s": when.second}[kind]
    return str(number).zfill(min(length, 2))
