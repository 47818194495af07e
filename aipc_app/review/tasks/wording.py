"""What a free task says to the model and to the user of its own, in both languages: wording.toml."""

from __future__ import annotations

from pathlib import Path

from aipc_app.review.wording import words_in

_HERE = Path(__file__).parent


def said(key: str, language: str) -> str:
    """A sentence or a part of one, with its places. `language` "zh" or "en"."""
    return words_in(_HERE)[language][key]
