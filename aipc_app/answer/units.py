"""The material cut into the smallest things worth quoting: sentences, table rows, list items."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.answer.material import Source
from aipc_app.text.facts import Fact, find_facts
from aipc_app.text.language import language_of
from aipc_app.text.normalise import comparable
from aipc_app.text.sentences import split_sentences
from aipc_app.text.tokens import query_tokens

_OPENS_ARTICLE = re.compile(r"[\s#*]*第[〇零一二三四五六七八九十百千0-9]+条")
NEAR_UNITS = 3  # sentences before and after that a reader takes in with a quote


class Unit(Struct, frozen=True, kw_only=True):
    """`start` to `end` of the source's page. `facts` have offsets inside the unit's text.

    `near`: tokens of the sentences around it on the same page and of the document's name.
    """

    source: int
    start: int
    end: int
    text: str
    tokens: frozenset[str]
    facts: tuple[Fact, ...]
    language: str
    near: frozenset[str] = frozenset()


class Units(Struct, frozen=True, kw_only=True):
    """All units of a material in order, how telling each token is in it, and its pages made comparable.

    `plain` holds the whole pages: a body that is named at a page's head may be named of a passage further down.
    """

    sources: tuple[Source, ...]
    items: tuple[Unit, ...]
    weights: dict[str, float]
    plain: str

    def weight(self, token: str) -> float:
        """Inverse document frequency over units; a token the material doesn't have weighs most."""
        return self.weights.get(token, math.log(1 + len(self.items)) + 1.0)

    def total(self, tokens: Iterable[str]) -> float:
        return sum(self.weight(token) for token in tokens)


def cut_units(sources: Sequence[Source]) -> Units:
    """Cut every source. Costs about ten milliseconds a thousand characters."""
    items = tuple(unit for number, source in enumerate(sources) for unit in _with_near(source, _units(number, source)))
    counts = Counter(token for unit in items for token in unit.tokens)
    weights = {token: math.log(1 + len(items) / count) for token, count in counts.items()}
    return Units(
        sources=tuple(sources),
        items=items,
        weights=weights,
        plain="\n".join(dict.fromkeys(comparable(f"{s.document}\n{s.page_text}") for s in sources)),
    )


def article_of(units: Units, index: int) -> tuple[Fact, ...]:
    """The number of the article that unit `index` belongs to: the nearest one opened before it on its page."""
    source = units.items[index].source
    for unit in reversed(units.items[: index + 1]):
        if unit.source != source:
            break
        if _OPENS_ARTICLE.match(unit.text):
            return unit.facts[:1]
    return find_facts(units.sources[source].label)


def _units(number: int, source: Source) -> Iterable[Unit]:
    for span in split_sentences(source.text):
        text = source.text[span.start : span.end]
        yield Unit(
            source=number,
            start=source.start + span.start,
            end=source.start + span.end,
            text=text,
            tokens=frozenset(query_tokens(text)),
            facts=find_facts(text),
            language=language_of(text),
        )


def _with_near(source: Source, units: Iterable[Unit]) -> Iterable[Unit]:
    """Give each unit what stands around it."""
    here = tuple(units)
    name = frozenset(query_tokens(f"{source.document} {source.label}"))
    for i, unit in enumerate(here):
        around = here[max(0, i - NEAR_UNITS) : i + NEAR_UNITS + 1]
        yield replace(unit, near=name.union(*(other.tokens for other in around)))
