"""Where on a document's pages stands what the user wrote of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aipc_app.domain.documents import Page
from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.ingest.metadata import iso_date
from aipc_app.text.facts import find_facts

_MOST_PAGES = 200  # looked at from the beginning; what a document is stands there, or on its last page
_ROLE = re.compile(r"^[^：:]{1,12}[：:]\s*")
_LEAST = 2  # characters: shorter ones stand anywhere
_DATES = (FieldName.DATE, FieldName.EFFECTIVE_DATE)


def with_place(name: FieldName, value: str, pages: Sequence[Page]) -> DocumentField:
    """The field, with its first place where a page says the value; a kind is nowhere written."""
    found = None if name is FieldName.KIND else next(_places(name, value, pages), None)
    if found is None:
        return DocumentField(name=name, value=value)
    page, start, end = found
    return DocumentField(name=name, value=value, page=page, start=start, end=end)


def _places(name: FieldName, value: str, pages: Sequence[Page]) -> Iterator[tuple[int, int, int]]:
    looked = [*pages[:_MOST_PAGES], *(pages[-1:] if len(pages) > _MOST_PAGES else ())]
    for page in looked:
        if name in _DATES:
            yield from ((page.number, one.start, one.end) for one in find_facts(page.text) if iso_date(one) == value)
        elif found := _written(value, page.text):
            yield page.number, *found.span()


def _written(value: str, text: str) -> re.Match[str] | None:
    """As a whole, or without the role before a name; line breaks and spaces may stand between its characters."""
    for wanted in dict.fromkeys((value, _ROLE.sub("", value))):
        characters = "".join(wanted.split())
        if len(characters) >= _LEAST and (found := re.search(r"\s*".join(map(re.escape, characters)), text)):
            return found
    return None
