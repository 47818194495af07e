"""Headings, and what stands below one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aipc_app.answer.units import Units
from aipc_app.domain.review import Item, Look
from aipc_app.review.look.hits import NOTHING, Hit, Looked, document_of, has_any, hit_of, undecorated
from aipc_app.text.normalise import settled

_HEADING_EXTRA = 24  # characters a heading may have beside the word it is told by
_LONGEST_HEADING, _SHORT_LINE = 26, 16
_NUMBERING = (
    r"(?:[一二三四五六七八九十]{1,3}[、.．]|[（(][一二三四五六七八九十\d]{1,3}[)）]"
    r"|第[一二三四五六七八九十百\d]{1,4}[章节条部分]+|\d{1,2}(?:\.\d{1,2})*[、.．]?\s)"
)
_HEADING = re.compile(rf"^[\s#*]*{_NUMBERING}?[^，。；：:;.!?？！|]{{1,24}}$")
_MARKED = re.compile(rf"^\s*(?:#{{1,6}}\s|[\s*]*{_NUMBERING})")
_SIGNATURE = re.compile(r"[^，。；：:;.!?？！]*\d{4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日\s*")


def is_heading(text: str) -> bool:
    """Is this unit a heading: short, without a stop?"""
    plain = undecorated(text)
    return 0 < len(plain) <= _LONGEST_HEADING and _HEADING.match(plain) is not None


def below_heads(item: Item, units: Units) -> Looked:
    for word in item.look.heads:
        for index, unit in enumerate(units.items):
            if is_head(head_line(unit.text), word):
                hits = list(_below(item.look, units, index))[: item.limit]
                if hits:
                    return Looked(hits=tuple(hits))
    return NOTHING


def head_line(text: str) -> str:
    """A first line that is a heading of the sentence below it; else the whole text."""
    line = text.split("\n", 1)[0]
    return line if line != text and is_heading(line) and (len(line) <= _SHORT_LINE or _MARKED.match(line)) else text


def is_head(text: str, word: str) -> bool:
    plain = settled(undecorated(text)).lower()
    return word.lower() in plain and len(plain) <= len(word) + _HEADING_EXTRA and not plain.endswith(("。", "；", "."))


def _below(rules: Look, units: Units, head: int) -> Iterator[Hit]:
    """Units after a heading, up to the next one of its kind, within its document."""
    first = units.items[head]
    document = document_of(units, first)
    marked = bool(_MARKED.match(first.text))
    if (above := len(head_line(first.text))) < len(first.text):  # the heading and the first sentence are one unit
        yield Hit(first.source, first.start + above + 1, first.end, hit_of(first, first.text[above + 1 :]).text)
    for unit in units.items[head + 1 :]:
        line = head_line(unit.text)
        if document_of(units, unit) != document or any(is_head(line, word) for word in rules.until):
            return
        if line != unit.text and _MARKED.match(line):
            return
        if (is_heading(unit.text) and (not rules.until or not marked)) or _SIGNATURE.fullmatch(unit.text):
            return
        if not has_any(unit.text, rules.without):
            yield hit_of(unit)
