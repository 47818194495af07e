"""Which characters a text file's bytes stand for."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from aipc_app.reader.failure import FailureKind, ReadingError

_SAMPLE_BYTES = 1 << 20
_MAX_BROKEN_SHARE = 0.02  # a few broken bytes don't make a file another encoding; in the wrong one half are broken
_MIN_ZERO_SHARE = 0.2  # of ASCII in UTF-16 half the bytes are zero
_MAX_WESTERN_SHARE = 0.25  # accented letters in Western European text
_MIN_COMMON_SHARE = 0.7  # real Chinese text has over 0.9 of its ideographs in the charset's common half
_MAX_KANA_SHARE = 0.1
_MIN_IDEOGRAPHS, _MIN_FREQUENT_SHARE = 15, 0.08
_FREQUENT = frozenset(
    "的一是不了在有人我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於"
    "着著下自之年过過发發后後作里裡用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定"
    "第条條款项項元日月甲乙原被告合本案由其此及或与與应應将將"
)
_MAX_CONTROL, _MAX_CONTROL_SHARE = 8, 0.05

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPED = {
    "iso-2022-jp": "iso2022_jp_ext", "iso-2022-kr": "iso2022_kr", "hz-gb-2312": "hz", "utf-7": "utf-7",
}  # fmt: skip
# Lead bytes of the common half of each charset's ideographs.
_WESTERN = frozenset("àâäáãåæçèéêëìíîïñòóôöõøœùúûüýÿßÀÂÄÁÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØŒÙÚÛÜÝ‘’“”„«»‹›–—…§°€£©®·•¿¡ªº\xa0\xad")
_CHINESE = (("gb18030", range(0xB0, 0xD8)), ("big5hkscs", range(0xA4, 0xC7)))

WINDOWS_CHARSETS = {  # of fonts, in RTF and in drawings
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "cp950", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip


@dataclass(frozen=True)
class Decoded:
    text: str
    encoding: str


def decode(data: bytes, declared: str | None = None, *, strict: bool = True) -> Decoded:
    """By byte order mark, escapes of a 7-bit charset, UTF-8, `declared` (by the file itself), UTF-16, then what fits.

    Raises ReadingError (unsupported) when the bytes are not text, unless not `strict`.
    """
    known = _marked(data) or _escaped(data, declared) or _utf8(data) or _valid(data, declared)
    encoding = known or _utf16(data) or _chinese(data) or _guess(data)
    text = data.decode(encoding, "replace")
    control = sum(text.count(chr(code)) for code in range(32) if code not in (9, 10, 12, 13))
    if strict and control > _MAX_CONTROL + _MAX_CONTROL_SHARE * len(text):
        raise ReadingError(
            FailureKind.UNSUPPORTED, "This file is named as text but holds none; it can't be read."
        )
    return Decoded(text, encoding)


def _marked(data: bytes) -> str | None:
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)


def _escaped(data: bytes, declared: str | None) -> str | None:
    """Charsets that are ASCII with escapes, which would pass for UTF-8."""
    codec = _ESCAPED.get((declared or "").lower())
    marks = (b"~{",) if codec == "hz" else (b"+",) if codec == "utf-7" else (b"\x1b", b"\x0e")
    return _valid(data, codec) if codec and any(mark in data for mark in marks) else None


def _utf8(data: bytes) -> str | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        broken = data.decode("utf-8", "replace").count("\ufffd")
        high = sum(len(part) for part in data.translate(None, bytes(range(0x80))).splitlines())
        return "utf-8" if broken <= _MAX_BROKEN_SHARE * high else None
    sample = data[:_SAMPLE_BYTES]
    return None if sample.count(0) > _MIN_ZERO_SHARE * len(sample) else "utf-8"


def _valid(data: bytes, declared: str | None) -> str | None:
    """The declared encoding, when there is such a one and the bytes obey it; GBK and GB2312 mean GB18030."""
    if declared is None:
        return None
    name = "gb18030" if declared.lower().replace("-", "") in ("gb2312", "gbk", "xgbk") else declared
    try:
        data.decode(name)
    except (LookupError, UnicodeError, ValueError):
        return None
    return name


def _utf16(data: bytes) -> str | None:
    """Without a mark: line ends and ASCII show on which side the zero byte is."""
    sample = data[:_SAMPLE_BYTES]
    if len(data) % 2 or 0 not in sample:
        return None
    little, big = sample[1::2].count(0), sample[0::2].count(0)
    name = "utf-16-le" if little > big else "utf-16-be"
    try:
        data.decode(name)
    except UnicodeDecodeError:
        return None
    return name if max(little, big) > 4 * min(little, big) else None


def _chinese(data: bytes) -> str | None:
    """GB18030 or Big5, if the ideographs that come out are mostly common ones."""
    sample = data[:_SAMPLE_BYTES]
    scores = {name: _common_share(sample, name, common) for name, common in _CHINESE}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] >= _MIN_COMMON_SHARE else None


def _common_share(sample: bytes, name: str, common: range) -> float:
    """Share of the ideographs that are common ones; 0 when not decodable or mostly something else."""
    text = sample.decode(name, "replace")
    wide = [char for char in text if char > "\x7f"]
    if not wide or text.count("\ufffd") > max(1, _MAX_BROKEN_SHARE * len(wide)):
        return 0.0
    ideographs = [char for char in wide if "\u4e00" <= char < "\ua000"]
    if len(ideographs) < len(wide) / 2 or not _reads_as_chinese(wide, ideographs):
        return 0.0
    return sum(char.encode(name, "replace")[0] in common for char in ideographs) / len(ideographs)


def _reads_as_chinese(wide: list[str], ideographs: list[str]) -> bool:
    """Japanese has its syllables in between; Korean decoded as Chinese lacks the words that every text has."""
    kana = sum("\u3040" <= char < "\u3100" for char in wide)
    if kana > _MAX_KANA_SHARE * len(wide):
        return False
    enough = len(ideographs) >= _MIN_IDEOGRAPHS
    return not enough or sum(char in _FREQUENT for char in ideographs) >= _MIN_FREQUENT_SHARE * len(ideographs)


def _guess(data: bytes) -> str:
    """Western European if nothing speaks against it, else by statistics."""
    from charset_normalizer import from_bytes

    sample = data[:_SAMPLE_BYTES]
    if _western(sample):
        return "cp1252"
    best = from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"


def _western(sample: bytes) -> bool:
    """Some accented letters among ASCII, all such as French, German, Spanish or Nordic text has."""
    high = [char for char in sample.decode("cp1252", "replace") if char > "\x7f"]
    strange = sum(char not in _WESTERN for char in high)
    return len(high) < _MAX_WESTERN_SHARE * len(sample) and strange <= _MAX_BROKEN_SHARE * len(high)
