"""Which characters a text file's bytes stand for."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from aipc_app.reader.failure import FailureKind, ReadingError

_SAMPLE_BYTES = 1 << 20
_MAX_BROKEN_SHARE = 0.001  # a few broken bytes don't make a file something else than UTF-8
_MIN_COMMON_SHARE = 0.7  # real Chinese text has over 0.9 of its ideographs in the charset's common half
_MAX_CONTROL_SHARE = 0.05

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Lead bytes of the common half of each charset's ideographs.
_CHINESE = (("gb18030", range(0xB0, 0xD8)), ("big5hkscs", range(0xA4, 0xC7)))


@dataclass(frozen=True)
class Decoded:
    text: str
    encoding: str


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """By byte order mark, UTF-8, `declared` (by the file itself), UTF-16, then what fits best.

    Raises ReadingError (unsupported) when the bytes are not text.
    """
    known = _marked(data) or _utf8(data) or _valid(data, declared)
    encoding = known or _utf16(data) or _chinese(data) or _guess(data)
    text = data.decode(encoding, "replace")
    control = sum(text.count(chr(code)) for code in range(32) if code not in (9, 10, 12, 13))
    if control > _MAX_CONTROL_SHARE * len(text):
        raise ReadingError(
            FailureKind.UNSUPPORTED, "This file is named as text but holds none; it can't be read."
        )
    return Decoded(text, encoding)


def _marked(data: bytes) -> str | None:
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)


def _utf8(data: bytes) -> str | None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        broken = data.decode("utf-8", "replace").count("\ufffd")
        high = sum(len(part) for part in data.translate(None, bytes(range(0x80))).splitlines())
        return "utf-8" if broken <= _MAX_BROKEN_SHARE * high else None
    return None if _looks_utf16(data) else "utf-8"


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


def _looks_utf16(data: bytes) -> bool:
    return b"\0" in data[:_SAMPLE_BYTES]


def _utf16(data: bytes) -> str | None:
    """Without a mark: line ends and ASCII show on which side the zero byte is."""
    sample = data[:_SAMPLE_BYTES]
    if len(data) % 2 or not _looks_utf16(sample):
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
    leads = [char.encode(name, "replace")[0] for char in wide if "\u4e00" <= char < "\ua000"]
    if len(leads) < len(wide) / 2:
        return 0.0
    return sum(lead in common for lead in leads) / len(leads)


def _guess(data: bytes) -> str:
    """Everything else by statistics."""
    from charset_normalizer import from_bytes

    best = from_bytes(data[:_SAMPLE_BYTES]).best()
    return best.encoding if best is not None else "cp1252"
