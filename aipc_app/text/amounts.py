"""Money: which currency stands before or behind a numeral, and the 角 and 分 that follow it."""

import re
from decimal import Decimal

import msgspec

from aipc_app.text.numbers import ZH_DIGIT, parse_number

# Forms that stand on either side of a figure, and forms that only follow one: in 2单元501室 the 元 is no money.
_CURRENCIES = {
    "HKD": (r"港元|港币|hkd|hk\$", ""),
    "TWD": (r"新台币|台币|twd|nt\$", ""),
    "SGD": (r"新加坡元|新元|sgd|s\$", ""),
    "AUD": (r"澳元|澳大利亚元|aud|a\$", ""),
    "CAD": (r"加元|加拿大元|cad|c\$", ""),
    "CHF": (r"瑞士法郎|chf", r"|swiss\sfrancs?"),
    "KRW": (r"韩元|韩圆|krw|₩", ""),
    "MOP": (r"澳门元|mop", ""),
    "RUB": (r"卢布|rub", ""),
    "JPY": (r"日元|日圆|jpy", "|yen"),
    "EUR": (r"欧元|eur|€", "|euros?"),
    "GBP": (r"英镑|gbp|£", r"|pounds?(?:\ssterling)?"),
    "USD": (r"美元|美金|usd|us\$|\$", r"|(?:u\.s\.\s|us\s)?dollars?"),
    "CNY": (r"人民币|rmb|cny|renminbi|¥", r"|yuan|元|圆|块钱|块(?![\u4e00-\u9fff])"),
}
_EITHER_SIDE = "|".join(f"(?P<{code}>{either})" for code, (either, _) in _CURRENCIES.items())
_BEHIND = "|".join(f"(?P<{code}>{either}{behind})" for code, (either, behind) in _CURRENCIES.items())
_BEFORE = re.compile(rf"(?<![a-z])(?:{_EITHER_SIDE})\s?[:(]?\s?$", re.IGNORECASE)
_AFTER = re.compile(rf"\s?(?:{_BEHIND})(?![a-z])", re.IGNORECASE)
_SHORT_SCALE = re.compile(r"\s?([km])\b", re.IGNORECASE)
_CENTS = re.compile(
    rf"\s?(?:(?P<jiao>[{ZH_DIGIT}]|\d)\s?角)?(?:\s?[零〇]?(?P<fen>[{ZH_DIGIT}]|\d)\s?分(?!之))?"
)
_PLAIN_YUAN = ("元", "圆")
_SPELLED_BEFORE = 16


class Money(msgspec.Struct, frozen=True):
    """A currency read around a numeral: what to multiply by, what to add (角, 分), and the range of it all."""

    currency: str
    scale: int
    cents: Decimal
    start: int
    end: int


def read_money(text: str, start: int, end: int, taken: int) -> Money | None:
    """The money whose numeral stands at start:end of folded text, or None if no currency stands beside it.

    Text before `taken` belongs to the figure before.
    """
    before = _BEFORE.search(text, max(0, taken, start - _SPELLED_BEFORE), start)
    scaled = _SHORT_SCALE.match(text, end) if before else None
    scale = {"k": 10**3, "m": 10**6}[scaled[1].lower()] if scaled else 1
    stop = scaled.end() if scaled else end
    after = _AFTER.match(text, stop)
    if before is None and after is None:
        return None
    generic = after is not None and after[0].strip() in _PLAIN_YUAN
    currency = _code(before) or _code(after) or ""
    if after is not None and (generic or _code(after) == currency):
        stop = after.end()
    cents, stop = _cents(text, stop) if generic else (Decimal(0), stop)
    return Money(currency, scale, cents, before.start() if before else start, stop)


def _code(match: re.Match[str] | None) -> str | None:
    return match.lastgroup if match else None


def _cents(text: str, at: int) -> tuple[Decimal, int]:
    match = _CENTS.match(text, at)
    if match is None or not (match["jiao"] or match["fen"]):
        return Decimal(0), at
    jiao, fen = parse_number(match["jiao"] or "0"), parse_number(match["fen"] or "0")
    return (jiao or Decimal(0)) / 10 + (fen or Decimal(0)) / 100, match.end()
