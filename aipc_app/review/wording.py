"""What code says of its own in a review, in the review's language: wording.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


def said(key: str, language: str) -> str:
    """A sentence or a part of one, with its places. `language` "zh" or "en"."""
    return words_in(_HERE)[language][key]


@cache
def words_in(folder: Path) -> dict[str, dict[str, str]]:
    """By language and key, the sentences of a folder's wording.toml."""
    raw = tomllib.loads((folder / "wording.toml").read_text(encoding="utf-8"))
    return {language: dict(words) for language, words in raw.items()}
