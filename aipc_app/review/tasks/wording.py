"""What a free task says to the model and to the user of its own, in both languages: wording.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


def said(key: str, language: str) -> str:
    """A sentence or a part of one, with its places. `language` "zh" or "en"."""
    return _words()[language][key]


@cache
def _words() -> dict[str, dict[str, str]]:
    raw = tomllib.loads((Path(__file__).parent / "wording.toml").read_text(encoding="utf-8"))
    return {language: dict(words) for language, words in raw.items()}
