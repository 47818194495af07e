"""Does the quote say no where the sentence says yes? Word by word, since a true figure hides a turned verb."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aipc_app.text.normalise import settled

_HAN_NEGATION = r"(?:没有|没|未|不|无|非|勿)(?:曾|能|再|予|被|有|经)?"
_CONDITION = re.compile(r"\b(?:if|unless)\b[^.;,]{0,40}?\b(?:not|never)\s+", re.IGNORECASE)
_ENGLISH_NEGATION = r"(?:\bnot|\bnever|\bno|\bwithout|n't)\s+(?:\w+\s+)?"
_HAN = re.compile(r"[\u3400-\u9fff]{2,}")
_ENGLISH = re.compile(r"[a-z]{4,}")


def turned_word(claim: str, quote: str, words: Iterable[str]) -> str | None:
    """A word that is negated wherever it stands in one text and nowhere in the other; None if there is none.

    "Lapses if not accepted by May" does not deny that it must be accepted by May: such conditions are left out.
    """
    said, source = (_CONDITION.sub(" ", settled(text).lower()) for text in (claim, quote))
    for word in sorted(words):
        if not (_HAN.fullmatch(word) or _ENGLISH.fullmatch(word)):
            continue
        here, there = _negated(word, said), _negated(word, source)
        if here is not None and there is not None and here is not there:
            return word
    return None


def _negated(word: str, text: str) -> bool | None:
    """True: always negated; False: never; None: not there, or both ways."""
    negation = _HAN_NEGATION if _HAN.fullmatch(word) else _ENGLISH_NEGATION
    every = len(re.findall(re.escape(word), text))
    negated = len(re.findall(negation + re.escape(word), text))
    if every == 0 or 0 < negated < every:
        return None
    return negated > 0
