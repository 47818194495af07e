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
# Taken for places.
_NO_NAME = re.compile("^(?:[那这该其每各某](?:天|日|年|月|时|里|边|个|些|次|位|人|方|种|处|公司)|之日)")
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
    return [
        word
        for word, flag in tagged
        if flag.startswith(_PROPER) and len(word) > 1 and not word.isascii() and not _NO_NAME.match(word)
    ]


def is_thing(text: str) -> bool:
    """Whether a stretch of Chinese names something: it ends in a noun of two characters or more. Any thread."""
    with _lock:
        tagged = [(pair.word, pair.flag) for pair in _tagger().cut(text)]
    return bool(tagged) and tagged[-1][1].startswith("n") and len(text) > 1


@cache
def _tagger() -> Any:
    """Loaded at first use; half a second."""
    from jieba.posseg import POSTokenizer

    return POSTokenizer(segmenter())
