"""The documents and tables that a free task has at hand, numbered D1, T1 and so on in the order they come up."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from aipc_app.answer.gather import read_whole, readable_documents
from aipc_app.answer.material import Source
from aipc_app.answer.units import cut_units
from aipc_app.domain.documents import Document
from aipc_app.review.column_heads import with_column_heads
from aipc_app.review.tables import Row, Table
from aipc_app.review.tasks.reckoning import NotReckoned
from aipc_app.review.tasks.seen import Spot
from aipc_app.review.tasks.tables import case_tables, heads_of
from aipc_app.store import Store

_AT_ONCE = 30  # documents; of a larger case, those that a search brings up


class Placed(Struct, frozen=True):
    """A table and the pages its rows stand on."""

    document: int  # from 1
    sources: tuple[Source, ...]
    table: Table

    def page(self, row: Row) -> Source:
        return self.sources[row.source]

    def spot(self, row: Row) -> Spot:
        page = self.page(row)
        return Spot(page.document_id, page.page, row.start, row.end)

    @property
    def columns(self) -> tuple[str, ...]:
        return heads_of(self.table)


class Desk:
    """Of one task. Not for two threads at once."""

    def __init__(self, store: Store, case_id: int) -> None:
        self._store = store
        everything = readable_documents(store, (case_id,))
        self.total = len(everything)
        self._of_case = {document.id: document for document in everything}
        self.documents: list[Document] = []
        self.tables: list[Placed] = []
        self._pages: dict[int, tuple[Source, ...]] = {}
        for document in everything if len(everything) <= _AT_ONCE else ():
            self._take(document)

    @property
    def document_names(self) -> tuple[str, ...]:
        return tuple(f"D{number}" for number in range(1, len(self.documents) + 1))

    @property
    def table_names(self) -> tuple[str, ...]:
        return tuple(f"T{number}" for number in range(1, len(self.tables) + 1))

    def number(self, document_id: int) -> int:
        """Its number, given now if it has none. KeyError for one of another case."""
        for number, document in enumerate(self.documents, 1):
            if document.id == document_id:
                return number
        self._take(self._of_case[document_id])
        return len(self.documents)

    def document(self, name: str) -> tuple[Document, Sequence[Source]]:
        """The document called this, with its readable pages. Raises NotReckoned."""
        number = _number(name, "D", len(self.documents))
        document = self.documents[number - 1]
        return document, self._pages[document.id]

    def table(self, name: str) -> Placed:
        """Raises NotReckoned."""
        return self.tables[_number(name, "T", len(self.tables)) - 1]

    def page(self, document_id: int, page: int) -> Source | None:
        """A readable page of a document at hand."""
        return next((source for source in self._pages.get(document_id, ()) if source.page == page), None)

    def _take(self, document: Document) -> None:
        pages = read_whole(self._store, (document,))
        self.documents.append(document)
        self._pages[document.id] = pages
        units = cut_units(pages)
        number = len(self.documents)
        self.tables += [Placed(number, pages, self._with_heads(table, pages)) for table in case_tables(units)]

    def _with_heads(self, table: Table, pages: Sequence[Source]) -> Table:
        """A table that was set by places alone has its heads by their places too."""
        if len(table.head.cells) > 1:
            return table
        at = pages[table.head.source]
        page = self._store.documents.page(at.document_id, at.page)
        return with_column_heads(table, page.text, page.boxes)


def _number(name: str, letter: str, most: int) -> int:
    plain = name.strip().upper().removeprefix(letter)
    if not plain.isdecimal() or not 1 <= int(plain) <= most:
        raise NotReckoned("no_such", name[:40])
    return int(plain)
