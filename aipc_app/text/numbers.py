"""Numbers as people write them: Arabic, Chinese in three styles, mixed, and in English words.

Patterns here expect text that went through `normalise.fold`.
"""

import re
from decimal import Decimal, InvalidOperation

DIGITS = {digit: value for value, digits in enumerate(
    ("零〇○", "一壹弌", "二贰两弍", "三叁叄弎", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖")
) for digit in digits}
_SMALL_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_LARGE_UNITS = {"亿": 10**8, "万": 10**4}
_TENS = {"廿": 20, "卅": 30}

ZH_DIGIT = "零〇○一壹二贰两三叁叄四肆五伍六陆七柒八捌九玖"
ZH_NUMERAL = ZH_DIGIT + "十拾百佰千仟万亿廿卅"
# At most 40 characters of one numeral are read: longer runs are no number, and must not cost quadratic time.
CHINESE = rf"[{ZH_NUMERAL}](?:[{ZH_NUMERAL}]{{0,39}}+)(?:[点.][{ZH_DIGIT}]{{1,12}}+)?"
# A full-width comma groups only where the figure is round: 500，000.
GROUPED = r"\d{1,3}(?:(?:,\d{3})++|(?:，\d{3}){0,4}?，000)(?!\d)(?:\.\d{1,12}+)?"
PLAIN = r"\d{1,40}+(?:\.\d{1,12}+)?"
ARABIC = rf"(?:{GROUPED}|{PLAIN})"
# 1.2亿, 3千, 1亿2000万, 3万5千; the unit may stand after a space.
_UNITS = "十百千万亿"
MIXED = (
    rf"{ARABIC}(?:\s?[{_UNITS}]++(?:\d{{1,8}}+(?=[百千万])|\d{{2,8}}+(?=[元块])"
    rf"|\d(?![\d.:%/{_UNITS}年月日天周岁个小倍成至到~-]|[,，]\d)|[{ZH_DIGIT}](?=[千百万]))?+){{0,4}}+"
)
# What makes a long row of digits a quantity, neither a date nor an account; for a lookahead behind the digits.
NO_UNIT_BEHIND = r"(?!\s?(?:[元圆块万亿千百%‰倍天年月个美欧英港韩澳加股]|yuan|dollars?|usd|rmb|cny)|\s?日元)"
_SIMPLE_WORD = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    "seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_SCALE_WORD = "hundred|thousand|million|billion|trillion"
_WORD = rf"(?:{_SIMPLE_WORD}|zero)"
WORDS = (
    rf"(?:(?:an?\s(?=(?:{_SCALE_WORD})\b))|{_WORD}\b)"
    rf"(?:[\s-](?:and\s)?(?:{_SIMPLE_WORD}|{_SCALE_WORD}|point|zero)\b){{0,14}}+"
)
SCALED = rf"{ARABIC}\s?(?:{_SCALE_WORD}|mn|bn)\b"
# 5w and 10k as chats have it; 1e-4 as papers do.
COLLOQUIAL = r"\d{1,9}+(?:\.\d{1,6}+)?(?:[wk](?![A-Za-z0-9])|e[+-]?\d{1,3}(?![A-Za-z0-9.]))"
# 50余万, 三十多万: about, and more than, the figure.
ABOUT = rf"(?:{ARABIC}|[{ZH_NUMERAL}]{{1,12}}+)[余多][十百千万亿]*+"
_ENGLISH = dict(zip(["zero", *_SIMPLE_WORD.split("|")], [*range(20), *range(20, 100, 10)], strict=True))
_SCALES = {
    "hundred": 10**2, "thousand": 10**3, "k": 10**3, "w": 10**4, "million": 10**6, "mn": 10**6,
    "billion": 10**9, "bn": 10**9, "trillion": 10**12,
}
_ATOM = re.compile(r"\d[\d,，]*+(?:\.\d++)?|.", re.DOTALL)


def parse_number(text: str) -> Decimal | None:
    """The value of one numeral in any of the styles, or None if it is not one."""
    bare = text.strip().lower()
    if not bare:
        return None
    sign = -1 if bare[0] in "-负" else 1
    bare = bare.lstrip("-负").strip()
    if bare and bare[0].isascii() and bare[0].isalpha():
        value = _parse_words(bare)
    else:
        value = _parse_scaled(bare)
    return None if value is None else sign * value


def parse_chinese(text: str) -> Decimal | None:
    """The value of a Chinese or mixed numeral: 五十万, 伍拾万, 二〇二一, 1亿2000万, 十五点四; None if malformed."""
    bare = re.sub(r"\s", "", text)
    whole, point, decimals = bare.partition("点")
    value = _parse_whole(whole)
    if value is None or not point:
        return value
    digits = _positional(decimals)
    return None if digits is None else value + Decimal(f"0.{digits}")


def _parse_scaled(bare: str) -> Decimal | None:
    match = re.fullmatch(r"([\d,，.]+(?:e[+-]?\d+)?)\s?([a-z]*)", bare)
    if match is None:
        return parse_chinese(bare)
    value = _decimal(match[1])
    if value is None or not match[2]:
        return value
    scale = _SCALES.get(match[2])
    return None if scale is None else value * scale


def _decimal(figures: str) -> Decimal | None:
    try:
        return Decimal(re.sub("[,，]", "", figures))
    except InvalidOperation:
        return None


def _positional(text: str) -> str | None:
    """Digits read one by one, or None: 二〇二一 is 2021."""
    if text and all(character in DIGITS for character in text):
        return "".join(str(DIGITS[character]) for character in text)
    return text if text.isdecimal() else None


def _parse_whole(text: str) -> Decimal | None:
    digits = _positional(text)
    if digits is not None:
        # 三五 means "three to five": without a zero, digits in a row are a figure from four on.
        vague = 1 < len(text) < 4 and not text.isdecimal() and not set(text) & set("零〇○")
        return None if vague else Decimal(digits)
    for unit, value in _LARGE_UNITS.items():
        head, found, tail = text.rpartition(unit)
        if found:
            return _joined(head, tail, value)
    return _parse_section(text)


def _joined(head: str, tail: str, unit: int) -> Decimal | None:
    high = _parse_whole(head)
    if high is None:
        return None
    if not tail:
        return high * unit
    low = _tail_value(tail, unit)
    return None if low is None or low >= unit else high * unit + low


def _tail_value(tail: str, unit: int) -> Decimal | None:
    """What follows a unit: a lone digit counts the next lower place (三万五 is 35,000)."""
    if len(tail) == 1 and tail not in "零〇○0" and (digit := _positional(tail)):
        return Decimal(int(digit) * unit // 10)
    return _parse_whole(tail.lstrip("零〇○") or "零")


def _parse_section(text: str) -> Decimal | None:
    """A numeral below 万: 一百二十, 廿三, 3百5十, 两千三."""
    if not text:
        return None
    total, pending, last_unit = Decimal(0), None, 10**4
    for index, match in enumerate(_ATOM.finditer(text)):
        atom = match[0]
        unit = _SMALL_UNITS.get(atom)
        if unit is not None:
            if unit >= last_unit or (pending is None and (index or unit != 10)):
                return None
            total, pending, last_unit = total + (1 if pending is None else pending) * unit, None, unit
        elif atom in _TENS:
            if pending is not None or last_unit <= 10:
                return None
            total, last_unit = total + _TENS[atom], 10
        else:
            value = Decimal(DIGITS[atom]) if atom in DIGITS else _decimal(atom)
            if value is None or (pending not in (None, 0)):
                return None
            pending = value
    if pending is None:
        return total
    elided = last_unit > 10 and last_unit < 10**4 and pending < 10 and text[-2:-1] in _SMALL_UNITS
    return total + (pending * (last_unit // 10) if elided else pending)


def _parse_words(text: str) -> Decimal | None:
    words = [word for word in re.split(r"[\s-]+", text) if word != "and"]
    whole, _, decimals = " ".join(words).partition(" point ")
    value = _parse_word_list(whole.split())
    if value is None or not decimals:
        return value
    names = decimals.split()
    scale = 1
    while names and names[-1] in _SCALES:
        scale *= _SCALES[names.pop()]
    if not names or any(_ENGLISH.get(name, 10) > 9 for name in names):
        return None
    return (value + Decimal("0." + "".join(str(_ENGLISH[name]) for name in names))) * scale


def _parse_word_list(words: list[str]) -> Decimal | None:
    total = section = 0
    for index, word in enumerate(words):
        if word in _ENGLISH:
            section += _ENGLISH[word]
        elif word in ("a", "an") and index == 0:
            section = 1
        elif word == "hundred":
            section = max(section, 1) * 100
        elif word in _SCALES:
            total, section = total + max(section, 1) * _SCALES[word], 0
        else:
            return None
    return Decimal(total + section) if words else None
