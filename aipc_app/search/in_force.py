"""Which documents of the library are no longer law, or not yet: a newer version is there, another law repeals them.

By the library's own words alone: the day in a file's name, the effective date that was recognised or corrected, and
sentences such as 《中华人民共和国合同法》同时废止. What the library doesn't say is not known here.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import PurePosixPath

from aipc_app.domain.documents import LIBRARY_ID, Document, Force, ForceState, Passage
from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.search.authority import day_of
from aipc_app.search.laws import HEADING_SEPARATOR, comparable
from aipc_app.store import Store
from aipc_app.text.normalise import fold

_LIST = re.compile(
    r"(?P<titles>(?:《[^《》\n]{2,60}》(?:\s?[(](?:[^()]|[(][^()]{0,20}[)]){0,60}[)])?\s?(?:[、和及]|以及|与)?\s?)+)"
    r"(?:自[^,。;]{2,24}起)?(?:同时|相应|即行|一并|一律|均)?(?:予以)?(?:废止|失效)"
)
_TITLE = re.compile(r"《([^《》\n]{2,60})》")
_WORDS = ("废止", "失效")
_QUICK_S, _PAUSES = 0.05, 20  # longer readings are followed by a pause so many times as long
_MOST_READ = 3_000  # passages that speak of repealing


class LawsInForce:
    """May be used from any thread. Read anew when the library has other documents; while a large one is being built,
    not for every search."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._of: frozenset[int] = frozenset()
        self._known: Mapping[int, Force] = {}
        self._not_before = 0.0

    def known(self) -> Mapping[int, Force]:
        """By document id, for those of which something speaks against being law now. Raises StorageError."""
        present = self._store.documents.ids_of_case(LIBRARY_ID)
        with self._lock:
            if present != self._of and time.monotonic() >= self._not_before:
                started = time.monotonic()
                self._known, self._of = self._read(), present
                took = time.monotonic() - started
                self._not_before = time.monotonic() + (_PAUSES * took if took > _QUICK_S else 0.0)
            return self._known

    def _read(self) -> dict[int, Force]:
        documents = self._store.documents.of_case(LIBRARY_ID)
        to_come = _to_come(self._store.fields.of_case(LIBRARY_ID))
        named: dict[str, list[Document]] = {}
        for document in documents:
            named.setdefault(comparable(PurePosixPath(document.name).stem), []).append(document)
        found = dict(_superseded(named.values(), to_come))
        days = {document.id: day_of(document.name) for document in documents}
        for passage in self._speaking_of_repeals():
            for document in self._repealed(passage, named, days):
                found[document.id] = Force(state=ForceState.REPEALED, by=_title_of(passage))
        return found | {id_: Force(state=ForceState.TO_COME, by=day) for id_, day in to_come.items()}

    def _speaking_of_repeals(self) -> tuple[Passage, ...]:
        hits = self._store.passages.keyword(_WORDS, cases=(LIBRARY_ID,), documents=None, limit=_MOST_READ)
        return self._store.passages.get(sorted(id_ for id_, _ in hits), labels=False)

    def _repealed(
        self, passage: Passage, named: Mapping[str, list[Document]], days: Mapping[int, str]
    ) -> Iterator[Document]:
        """A later law of a name that an earlier one repealed stays; a law's own former versions are no news."""
        own, day = comparable(PurePosixPath(passage.document).stem), days.get(passage.document_id, "")
        for title in repealed_titles(passage.text):
            for document in named.get(comparable(title), ()):
                if comparable(title) != own and days[document.id] <= day:
                    yield document


def repealed_titles(text: str) -> tuple[str, ...]:
    """The laws that a text repeals as a whole."""
    lists = (match["titles"] for match in _LIST.finditer(fold(text).text))
    return tuple(dict.fromkeys(title for titles in lists for title in _TITLE.findall(titles)))


def _superseded(versions: Iterable[list[Document]], to_come: Mapping[int, str]) -> Iterator[tuple[int, Force]]:
    for documents in versions:
        days = [day_of(document.name) for document in documents if document.id not in to_come]
        newest = max(days, default="")
        for document in documents:
            if (day := day_of(document.name)) and day < newest:
                yield document.id, Force(state=ForceState.SUPERSEDED, by=newest)


def _to_come(fields: Mapping[int, Iterable[DocumentField]]) -> dict[int, str]:
    """Document id → the day it comes into force, where that is after today."""
    today = date.today().isoformat()
    return {
        id_: field.value
        for id_, known in fields.items()
        for field in known
        if field.name is FieldName.EFFECTIVE_DATE and field.value > today
    }


def _title_of(passage: Passage) -> str:
    heading = passage.heading.split(HEADING_SEPARATOR)[0] if passage.heading else ""
    return heading or PurePosixPath(passage.document).stem
