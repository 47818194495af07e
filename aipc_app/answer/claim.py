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


class Claim(Struct, frozen=True, kw_only=True):
    """What a sentence says, apart: `hard` facts and `names` must stand in the material.

    `fresh` tokens are what it adds to the question, to be found in the quote; `topic` tokens repeat the question,
    and may stand around the quote as well.
    """

    text: str
    fresh: frozenset[str]
    topic: frozenset[str]
    hard: tuple[Fact, ...]
    names: tuple[str, ...]
    language: str

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
    )
