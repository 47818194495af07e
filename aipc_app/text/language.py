"""Which language a text is in, as far as answers and screens need to know."""

import re
from typing import Literal

Language = Literal["zh", "en"]
Script = Literal["han", "latin", "kana", "hangul", "cyrillic"]

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_SCRIPTS: tuple[tuple[Script, re.Pattern[str]], ...] = (
    ("han", _HAN_CHARACTER),
    ("latin", _LATIN_WORD),
    ("kana", re.compile("[\u3040-\u30ff\uff66-\uff9d]")),
    ("hangul", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("cyrillic", re.compile("[\u0400-\u04ff]")),
)


def language_of(text: str) -> Language:
    """Chinese if it has at least as many Chinese characters as Latin words, also where it has neither."""
    return "zh" if len(_HAN_CHARACTER.findall(text)) >= len(_LATIN_WORD.findall(text)) else "en"


def scripts(text: str) -> frozenset[Script]:
    """The scripts that occur in the text."""
    return frozenset(name for name, pattern in _SCRIPTS if pattern.search(text))
