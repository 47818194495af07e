"""A sentence of an answer as something to be proved."""

from __future__ import annotations

import re

from msgspec import Struct

from aipc_app.text.facts import Fact, FactKind, find_facts
from aipc_app.text.language import language_of
from aipc_app.text.tokens import query_tokens

_CAPITALISED = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][A-Za-z]{2,}(?:\s+[A-Z][A-Za-z]+)*")
_CHINESE_ENTITY = re.compile(
    r"[\u4e00-\u9fff]{2,12}?(?:有限公司|公司|银行|支行|法院|仲裁委员会|事务所|派出所|大学|医院)"
)
_MARKUP = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.、)])\s*|\*\*|`|^#+\s*", re.MULTILINE)
# A count of two is often said where the source lists two; it is checked by the judge, not by look-up.
_SOFT = (FactKind.ORDINAL, FactKind.COUNT)


class Claim(Struct, frozen=True, kw_only=True):
    """`hard` facts must stand in the cited text; `soft` ones may be the writer's own count."""

    text: str
    tokens: frozenset[str]
    hard: tuple[Fact, ...]
    soft: tuple[Fact, ...]
    names: tuple[str, ...]
    language: str


def make_claim(sentence: str) -> Claim:
    """Read a sentence as the model wrote it; list marks and emphasis are not part of what it says."""
    text = _MARKUP.sub("", sentence).strip()
    facts = find_facts(text)
    return Claim(
        text=text,
        tokens=frozenset(query_tokens(text)),
        hard=tuple(f for f in facts if f.kind not in _SOFT),
        soft=tuple(f for f in facts if f.kind in _SOFT),
        names=_names(text),
        language=language_of(text),
    )


def _names(text: str) -> tuple[str, ...]:
    found = [m.group() for m in _CHINESE_ENTITY.finditer(text)] + [m.group() for m in _CAPITALISED.finditer(text)]
    return tuple(dict.fromkeys(found))
