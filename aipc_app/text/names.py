"""Proper names of people, places and bodies, as far as a tagger can tell. For checking, not for display."""

from __future__ import annotations

import re
import threading
from functools import cache
from typing import Any

from aipc_app.text.normalise import settled
from aipc_app.text.tokens import segmenter

_PROPER = ("nr", "ns", "nt", "nz")  # jieba's tags: person, place, organisation, other proper noun
_CAPITALISED = re.compile(r"\b[A-Z][A-Za-z'’-]+(?:\s+(?:of|and|the|de|van|von)?\s*[A-Z][A-Za-z'’-]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。！？：；\n]\s*)$")
_lock = threading.Lock()


def find_names(text: str) -> tuple[str, ...]:
    """Proper names in order, each once, in their folded form (simplified, half-width). Any thread.

    A single English word that starts a sentence is not taken for a name: every such word is capitalised.
    """
    folded = settled(text)
    names = [*_english(folded), *_chinese(folded)]
    return tuple(dict.fromkeys(names))


def _english(text: str) -> list[str]:
    return [
        match.group()
        for match in _CAPITALISED.finditer(text)
        if " " in match.group() or not _SENTENCE_START.search(text[: match.start()])
    ]


def _chinese(text: str) -> list[str]:
    with _lock:
        tagged = [(pair.word, pair.flag) for pair in _tagger().cut(text)]
    return [word for word, flag in tagged if flag.startswith(_PROPER) and len(word) > 1 and not word.isascii()]


@cache
def _tagger() -> Any:
    """Loaded at first use; half a second."""
    from jieba.posseg import POSTokenizer

    return POSTokenizer(segmenter())
