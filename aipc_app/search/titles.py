"""The laws of the library by their names, for the article numbers that follow a name: 民法典第六百八十条."""

from __future__ import annotations

import threading
from pathlib import PurePosixPath

from aipc_app.domain.documents import LIBRARY_ID, Document
from aipc_app.search.authority import day_of
from aipc_app.search.laws import comparable, parts_of_name, title_in
from aipc_app.store import Store

_SHORTEST_NAME = 2  # 刑法
_MOST_BOOKS = 20  # a folder of more files is no law
_CLOSING = "》〉”\"的之中"


class LibraryTitles:
    """May be used from any thread. Read anew only when the library has other documents."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._of: frozenset[int] = frozenset()
        self._names: dict[str, tuple[int, ...]] = {}

    def documents_before(self, text: str) -> tuple[int, ...]:
        """The documents of the law with the longest name that the text ends with, its newest version alone."""
        names, bare = self._read(), comparable(text.rstrip(_CLOSING))
        for start in range(len(bare) - _SHORTEST_NAME + 1):
            if found := names.get(bare[start:]):
                return found
        return ()

    def _read(self) -> dict[str, tuple[int, ...]]:
        present = self._store.documents.ids_of_case(LIBRARY_ID)
        with self._lock:
            if present != self._of:
                self._names = _by_name(self._store.documents.of_case(LIBRARY_ID))
                self._of = present
            return self._names


def _by_name(documents: tuple[Document, ...]) -> dict[str, tuple[int, ...]]:
    """Names of files before names of folders: the Civil Code is a folder with a file a book."""
    files, folders = _Versions(), _Versions()
    for document in documents:
        path = PurePosixPath(document.name)
        for part in parts_of_name(path.stem):
            files.add(part, document)
        for part in path.parent.parts:
            folders.add(part, document)
    return {name: ids for name, ids in folders.newest().items() if len(ids) <= _MOST_BOOKS} | files.newest()


class _Versions:
    """Documents by their law's name and the day in their file's name."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, list[int]]] = {}

    def add(self, title: str, document: Document) -> None:
        name = title_in(title)
        if len(name) >= _SHORTEST_NAME:
            self._found.setdefault(name, {}).setdefault(day_of(document.name), []).append(document.id)

    def newest(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(days[max(days)]) for name, days in self._found.items()}
