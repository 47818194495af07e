"""What was said: replies in a transcript, the last exchange of messages. Pure."""

from __future__ import annotations

import re

from aipc_app.answer.units import Units
from aipc_app.domain.review import Item
from aipc_app.review.look.hits import NOTHING, Hit, Looked, has_any, hit_of, paragraph, undecorated
from aipc_app.text.layout import soft_breaks

_SPEAKER = re.compile(r"[\s*]*([^\s：:，。]{2,12}?)[*]*[：:]")
_DAY_LINE = re.compile(r"[\s*#—\-=]*\d{4}\s?[年/.\-]\s?\d{1,2}\s?[月/.\-]\s?\d{1,2}\s?日?[\s*—\-=]*")
_MOST_IN_EXCHANGE = 12


def speech(units: Units, index: int) -> Hit:
    """In a transcript the whole of what the speaker said; elsewhere the sentence."""
    unit = units.items[index]
    page = units.sources[unit.source].page_text
    soft = soft_breaks(page)
    first = index
    while first and units.items[first - 1].source == unit.source:
        gap = range(units.items[first - 1].end, units.items[first].start)
        if any(page[at] == "\n" and at not in soft for at in gap):
            break
        first -= 1
    return paragraph(units, first) if _SPEAKER.match(units.items[first].text) else hit_of(unit)


def asked(item: Item, units: Units) -> Looked:
    """In a transcript: what is said after a question with one of these words, until the asker speaks again."""
    hits: list[Hit] = []
    for index, unit in enumerate(units.items):
        speaker = _SPEAKER.match(unit.text)
        if speaker is None or not unit.text.rstrip().endswith(("？", "?")) or not has_any(unit.text, item.look.asked):
            continue
        for at in range(index + 1, len(units.items)):
            other = _SPEAKER.match(units.items[at].text)
            if units.items[at].source not in (unit.source, unit.source + 1) or (other and other[1] == speaker[1]):
                break
            if other:
                hits.append(paragraph(units, at))
    return Looked(hits=tuple(hits[: item.limit]))


def last_exchange(item: Item, units: Units) -> Looked:
    """In messages: what was written on the last day, from the line with its date on."""
    starts = [i for i, unit in enumerate(units.items) if _DAY_LINE.fullmatch(unit.text.strip())]
    if not starts or starts[-1] + 1 >= len(units.items):
        return NOTHING
    first, following = units.items[starts[-1]], units.items[starts[-1] + 1 :][:_MOST_IN_EXCHANGE]
    last = [unit for unit in following if unit.source == first.source]
    if not last:
        return NOTHING
    page = units.sources[first.source].page_text
    lines = [undecorated(line) for line in page[first.start : last[-1].end].split("\n") if line.strip()]
    return Looked(hits=(Hit(first.source, first.start, last[-1].end, "\n".join(lines)),))
