"""A sentence of an answer as something to be proved."""

from __future__ import annotations

import re

from msgspec import Struct

from aipc_app.text.facts import Fact, FactKind, find_facts
from aipc_app.text.language import language_of
from aipc_app.text.names import find_names
from aipc_app.text.tokens import query_tokens

_MARKUP = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.、)])\s*|\*\*|`|^#+\s*", re.MULTILINE)
# A count of two is often said where the source lists two; it is checked by the judge, not by look-up.
_SOFT = (FactKind.ORDINAL, FactKind.COUNT)
_BARE_HAN, _BARE_WORDS = 4, 2
_WORD = re.compile(r"[A-Za-z0-9]+|[\u3400-\u9fff]")


class Claim(Struct, frozen=True, kw_only=True):
    """What a sentence says, apart: `hard` facts and `names` must stand in the material.

    `fresh` tokens are what it adds to the question, to be found in the quote; `topic` tokens repeat the question,
    and may stand around the quote as well; `asked` are all of the question's.
    """

    text: str
    fresh: frozenset[str]
    topic: frozenset[str]
    hard: tuple[Fact, ...]
    names: tuple[str, ...]
    language: str
    question: str = ""
    asked: frozenset[str] = frozenset()

    @property
    def tokens(self) -> frozenset[str]:
        return self.fresh | self.topic


def make_claim(sentence: str, question: str = "") -> Claim:
    """Read a sentence as the model wrote it; list marks and emphasis are not part of what it says."""
    text = _MARKUP.sub("", sentence).strip()
    said, asked = frozenset(query_tokens(text)), frozenset(query_tokens(question))
    return Claim(
        text=text,
        fresh=said - asked,
        topic=said & asked,
        hard=tuple(fact for fact in find_facts(text) if fact.kind not in _SOFT),
        names=find_names(text),
        language=language_of(text),
        question=question,
        asked=asked,
    )


def is_bare(sentence: str) -> bool:
    """A reply such as 没有。 or Yes. says nothing by itself: it goes with the sentence after it, or the question."""
    words = _WORD.findall(_MARKUP.sub("", sentence))
    if any(word.isascii() for word in words):
        return len(words) <= _BARE_WORDS and not any(any(c.isdigit() for c in word) for word in words)
    return len(words) <= _BARE_HAN


def make_reply(sentence: str, question: str) -> Claim:
    """A bare reply as the claim it makes together with its question."""
    return make_claim(f"{question} {sentence}", question) if is_bare(sentence) else make_claim(sentence, question)
