"""Lines that begin with a word, what stands behind one, sentences that have one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aipc_app.answer.units import Units
from aipc_app.domain.review import Item
from aipc_app.review.look.headings import is_heading
from aipc_app.review.look.hits import NOTHING, Hit, Looked, has_any, hit_of, paragraph, undecorated
from aipc_app.review.look.spoken import speech
from aipc_app.text.normalise import settled

_LEAD = re.compile(r"^[\s：:，,为是有的]+")
_LABEL_END = re.compile(r"^[^：:（(，,。\n]{0,6}[\s*]*[：:（(，,]")
_MOST_AFTER = 6  # sentences of a list that follows


def lines(item: Item, units: Units) -> Looked:
    found = [
        paragraph(units, index)
        for index, unit in enumerate(units.items)
        if any(_begins_with(unit.text, word) for word in item.look.lines) and not has_any(unit.text, item.look.without)
    ]
    once = {settled(hit.text): hit for hit in reversed(found)}
    kept = sorted(once.values(), key=lambda hit: (hit.source, hit.start))
    return Looked(hits=tuple(kept[: item.limit]))


def _begins_with(text: str, word: str) -> bool:
    plain = undecorated(text)
    return plain.lower().startswith(word.lower()) and bool(_LABEL_END.match(plain[len(word) :]))


def after(item: Item, units: Units) -> Looked:
    for word in item.look.after:
        for index, unit in enumerate(units.items):
            at = unit.text.find(word)
            if at < 0 or is_heading(unit.text) or has_any(unit.text, item.look.without):
                continue
            hits = [hit_of(unit, _LEAD.sub("", unit.text[at + len(word) :]) or None), *_list_after(units, index)]
            hits = [hit for hit in hits if hit.text][: item.limit]
            if hits:
                return Looked(hits=tuple(hits))
    return NOTHING


def _list_after(units: Units, index: int) -> Iterator[Hit]:
    """The rest of a list that the unit opened: （一）…；（二）…."""
    unit = units.items[index]
    if not unit.text.rstrip().endswith(("；", ";", "：", ":")):
        return
    for following in units.items[index + 1 : index + 1 + _MOST_AFTER]:
        if following.source != unit.source:
            return
        yield hit_of(following)
        if not following.text.rstrip().endswith(("；", ";")):
            return


def mentions(item: Item, units: Units) -> Looked:
    words = item.look.mentions
    hits = [
        speech(units, index)
        for index, unit in enumerate(units.items)
        if has_any(unit.text, words) and not is_heading(unit.text) and not has_any(unit.text, item.look.without)
    ]
    return Looked(hits=tuple(dict.fromkeys(hits))[: item.limit])
