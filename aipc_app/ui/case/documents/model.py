"""Documents as rows: state, progress, whether a question reads them; reordered by dragging."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QPersistentModelIndex, Qt, Signal

from aipc_app.domain.documents import Document
from aipc_app.ui.case.documents.rows import DocumentRow, Listing, badge_of
from aipc_app.ui.words import Words

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_MIME = "application/x-aipc-document-row"


def _differing(one: Mapping[int, float], other: Mapping[int, float]) -> set[int]:
    return {id_ for id_ in one.keys() | other.keys() if one.get(id_) != other.get(id_)}


class DocumentsModel(QAbstractListModel):
    """`reordered(ids)` after a move, `inclusion_changed` after a check box. `ROW_ROLE` gives the DocumentRow."""

    reordered = Signal(list)
    inclusion_changed = Signal()

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words
        self._rows: list[DocumentRow] = []
        self._left_out: set[int] = set()
        self._hidden: set[int] = set()
        self._progress: dict[int, float] = {}
        self._remembered: dict[int, float] = {}
        self._being_read = False
        self._gone: frozenset[int] = frozenset()
        self._places: dict[int, int] = {}
        self.version = 0  # grows when documents come, go or change places

    @property
    def rows(self) -> tuple[DocumentRow, ...]:
        return tuple(self._rows)

    @property
    def included(self) -> frozenset[int] | None:
        """The documents a question may read; None when that is all of them."""
        if not self._left_out or all(row.included for row in self._rows):
            return None
        return frozenset(row.document.id for row in self._rows if row.included)

    def place_of(self, document_id: int) -> int:
        """Its row, or -1."""
        return self._places.get(document_id, -1)

    def apply(self, listing: Listing) -> None:
        """Show what is listed: only what changed, if the rows are still those it was worked out against."""
        if listing.version != self.version or not listing.same_order or self._hidden:
            self.set_documents(listing.documents)
            return
        for place in listing.changed:
            self._replace(place, self._row(listing.documents[place]))
        self._append([self._row(document) for document in listing.documents[len(self._rows) :]])

    def set_documents(self, documents: Sequence[Document]) -> None:
        """Show these; rows that stay keep their check box."""
        shown = [doc for doc in documents if doc.id not in self._hidden]
        known = {row.document.id: row for row in self._rows}
        wanted = [row if (row := known.get(doc.id)) and row.document == doc else self._row(doc) for doc in shown]
        old = [row.document.id for row in self._rows]
        if [row.document.id for row in wanted[: len(old)]] == old:
            self._update(wanted[: len(old)])
            self._append(wanted[len(old):])
            return
        self.beginResetModel()
        self._rows = wanted
        self._moved()
        self.endResetModel()

    def set_progress(self, progress: Mapping[int, float]) -> None:
        """Work in progress by document id."""
        before, self._progress = self._progress, dict(progress)
        self._again(_differing(before, self._progress))

    def set_remembered(self, shares: Mapping[int, float], being_read: bool) -> None:
        """How much of each document the model remembers; `being_read`: the first one that isn't whole is at it."""
        before, was_read = self._remembered, self._being_read
        self._remembered, self._being_read = dict(shares), being_read
        partly = {id_ for id_, share in shares.items() if 0.0 < share < 1.0} if was_read != being_read else set()
        self._again(_differing(before, self._remembered) | partly)

    def set_gone(self, document_ids: frozenset[int]) -> None:
        """Documents whose file was deleted in the folder that is watched."""
        if document_ids != self._gone:
            before, self._gone = self._gone, document_ids
            self._again(before ^ document_ids)

    def include(self, document_id: int, on: bool) -> None:
        (self._left_out.discard if on else self._left_out.add)(document_id)
        self._update([self._row(row.document) for row in self._rows])
        self.inclusion_changed.emit()

    def include_all(self) -> None:
        self._left_out.clear()
        self._update([self._row(row.document) for row in self._rows])
        self.inclusion_changed.emit()

    def hide(self, document_id: int, on: bool) -> None:
        """Leave it out of the list while its removal can be undone; shown again by the next `set_documents`."""
        (self._hidden.add if on else self._hidden.discard)(document_id)
        self.set_documents([row.document for row in self._rows])

    def forget(self) -> None:
        """Another case: nothing is left out or hidden."""
        self._left_out.clear()
        self._hidden.clear()
        self._progress.clear()
        self._remembered.clear()
        self._being_read = False
        self._gone = frozenset()
        self.set_documents(())

    def move(self, source: int, target: int) -> None:
        """Put row `source` before row `target` (both as they are now)."""
        last = len(self._rows)
        if not 0 <= source < last or not 0 <= target <= last or target in (source, source + 1):
            return
        self.beginMoveRows(QModelIndex(), source, source, QModelIndex(), target)
        self._rows.insert(target, self._rows[source])
        self._rows.pop(source if source < target else source + 1)
        self._moved()
        self.endMoveRows()
        self.reordered.emit([row.document.id for row in self._rows])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        base = Qt.ItemFlag.ItemIsDropEnabled
        if index.isValid():
            base = (Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDragEnabled
                    | Qt.ItemFlag.ItemIsUserCheckable)
        return base

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.document.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(row)
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if row.included else Qt.CheckState.Unchecked
        if role == ROW_ROLE:
            return row
        return None

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.include(self._rows[index.row()].document.id, Qt.CheckState(value) is Qt.CheckState.Checked)
        return True

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [ROW_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setData(ROW_MIME, str(indexes[0].row() if indexes else -1).encode())
        return data

    def _row(self, document: Document) -> DocumentRow:
        known = self._remembered.get(document.id, 0.0)
        return DocumentRow(document, document.id not in self._left_out, self._progress.get(document.id), known,
                           self._being_read and 0.0 < known < 1.0, document.id in self._gone)

    def _append(self, more: list[DocumentRow]) -> None:
        """What comes at the end leaves the other rows undrawn: files often come by dozens."""
        if more:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(more) - 1)
            self._places |= {row.document.id: place for place, row in enumerate(more, len(self._rows))}
            self._rows += more
            self.version += 1
            self.endInsertRows()

    def _moved(self) -> None:
        self._places = {row.document.id: place for place, row in enumerate(self._rows)}
        self.version += 1

    def _again(self, document_ids: Collection[int]) -> None:
        """These rows anew: of thousands of documents a few change at a time."""
        for place in sorted(self._places[id_] for id_ in document_ids if id_ in self._places):
            self._replace(place, self._row(self._rows[place].document))

    def _update(self, wanted: list[DocumentRow]) -> None:
        for place, new in enumerate(wanted):
            self._replace(place, new)

    def _replace(self, place: int, new: DocumentRow) -> None:
        old = self._rows[place]
        if old is not new and old != new:
            self._rows[place] = new
            self.dataChanged.emit(self.index(place), self.index(place))

    def _spoken(self, row: DocumentRow) -> str:
        document, words = row.document, self._words
        parts = [document.name, words(badge_of(row).key)]
        if document.pages:
            parts.append(words("documents.pages", count=document.pages))
        if document.reason:
            parts.append(words.sentence(document.reason))
        if row.gone:
            parts.append(words("documents.file_gone"))
        if not row.included:
            parts.append(words("documents.left_out"))
        return ", ".join(parts)
