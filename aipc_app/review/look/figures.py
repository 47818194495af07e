"""The figure near a word; several that differ are none. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aipc_app.answer.units import Unit, Units
from aipc_app.domain.review import Item, ItemType
from aipc_app.review.look.hits import NOTHING, Hit, Looked, has_any, hit_of
from aipc_app.text.facts import Fact, FactKind, Quantity, find_facts
from aipc_app.text.normalise import settled

_KINDS: dict[ItemType, tuple[FactKind, ...]] = {
    ItemType.MONEY: (FactKind.AMOUNT, FactKind.NUMBER),
    ItemType.DATE: (FactKind.DATE,),
    ItemType.RATIO: (FactKind.PERCENT, FactKind.RATE, FactKind.MULTIPLE, FactKind.FRACTION, FactKind.NUMBER),
}


def near(item: Item, units: Units) -> Looked:
    """The figure that follows a word in its sentence, else the one that stands before it."""
    for word in item.look.near:
        hits = [
            hit
            for unit in units.items
            if word.lower() in unit.text.lower() and not has_any(unit.text, item.look.without)
            for hit in _figure(item, unit, word)
        ]
        if hits:
            return one_of(hits)
    return NOTHING


def _figure(item: Item, unit: Unit, word: str) -> Iterator[Hit]:
    kinds = _KINDS.get(item.type, (FactKind.COUNT, FactKind.NUMBER, FactKind.DURATION, *_KINDS[ItemType.RATIO]))
    end = unit.text.lower().find(word.lower()) + len(word)
    for kind in kinds:
        facts = [fact for fact in unit.facts if fact.kind is kind and fact.end > end]
        if facts:
            yield hit_of(unit, facts[0].text)
            return


def one_of(hits: Sequence[Hit]) -> Looked:
    """One figure, wherever it is repeated; several that differ are none."""
    values = {figure_key(hit.text) for hit in hits}
    return Looked(hits=(hits[0],)) if len(values) == 1 else Looked(several=True)


def figure_key(text: str) -> str:
    """Equal for figures that say the same: 50万元, 500,000元."""
    facts = find_facts(text)
    if not facts:
        return settled(text).lower()
    return "|".join(_fact_key(fact) for fact in facts[:1])


def _fact_key(fact: Fact) -> str:
    if isinstance(fact.value, Quantity):
        return f"{fact.value.amount.normalize()}{fact.value.unit}"
    return str(fact.value)
