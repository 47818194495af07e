"""Cases as rows of a list, filtered by what is typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from aipc_app.domain.documents import Case
from aipc_app.ui.words import Words

Index = QModelIndex | QPersistentModelIndex
CASE_ROLE = Qt.ItemDataRole.UserRole + 1


class CasesModel(QAbstractListModel):
    """The rows shown; `CASE_ROLE` gives the Case."""

    def __init__(self, words: Words) -> None:
        super().__init__()
        self._words = words
        self._all: tuple[Case, ...] = ()
        self._shown: tuple[Case, ...] = ()
        self._needle = ""

    @property
    def shown(self) -> tuple[Case, ...]:
        return self._shown

    @property
    def total(self) -> int:
        return len(self._all)

    def set_cases(self, cases: Sequence[Case]) -> None:
        self._all = tuple(cases)
        self._apply()

    def filter(self, needle: str) -> None:
        self._needle = needle.strip().casefold()
        self._apply()

    def row_of(self, case_id: int) -> int:
        return next((i for i, case in enumerate(self._shown) if case.id == case_id), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._shown):
            return None
        case = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return case.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{case.name}, {self._words('cases.documents', count=case.documents)}"
        if role == CASE_ROLE:
            return case
        return None

    def _apply(self) -> None:
        self.beginResetModel()
        self._shown = tuple(case for case in self._all if self._needle in case.name.casefold())
        self.endResetModel()
