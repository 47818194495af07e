"""What a document is: shown with the place of each thing, and corrected by the user."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDialog, QGridLayout, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from aipc_app.domain.documents import Document
from aipc_app.domain.fields import DocumentField, DocumentKind, FieldName
from aipc_app.operations import details
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, column, label, row
from aipc_app.ui.widgets.elided import ElidedLabel

_KEYS = {FieldName.TITLE: "name"}  # `title` is the dialog's own
_SEVERAL = (FieldName.PARTY, FieldName.DATE)
_LINES = {FieldName.PARTY: 4, FieldName.DATE: 2}
_MOST_PLACES = 3


class DetailsDialog(QDialog):
    """`place(DocumentField)` when one of the places is to be seen. Saves what was changed, and nothing else."""

    place = Signal(object)

    def __init__(
        self, parent: QWidget, context: UiContext, document: Document, fields: Sequence[DocumentField]
    ) -> None:
        super().__init__(parent)
        self._context, self._document, self._owner = context, document, parent
        self._before: dict[FieldName, tuple[str, ...]] = {}
        self._inputs: dict[FieldName, QComboBox | QLineEdit | QPlainTextEdit] = {}
        words = context.words
        self.setWindowTitle(words("details.title"))
        self.setMinimumWidth(520)
        inside = column(self, margin=20, gap=12)
        inside.addWidget(label(words("details.title"), "heading"))
        inside.addWidget(ElidedLabel(document.name, "muted", middle=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        for at, name in enumerate(FieldName):
            self._add(grid, at, name, [field for field in fields if field.name is name])
        inside.addLayout(grid)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(button(words, "dialog.cancel", self.reject))
        self.save_button = button(words, "details.save", self._save, "primary")
        self.save_button.setDefault(True)
        buttons.addWidget(self.save_button)
        inside.addLayout(buttons)

    def input(self, name: FieldName) -> QComboBox | QLineEdit | QPlainTextEdit:
        """Where a field is written."""
        return self._inputs[name]

    def _add(self, grid: QGridLayout, at: int, name: FieldName, fields: Sequence[DocumentField]) -> None:
        words = self._context.words
        self._before[name] = tuple(field.value for field in fields)
        made = self._input(name, self._before[name])
        told = words(f"details.{_KEYS.get(name, name.value)}")
        made.setAccessibleName(told)
        self._inputs[name] = made
        grid.addWidget(label(told, "muted"), at, 0)
        grid.addWidget(made, at, 1)
        grid.addWidget(self._places(fields), at, 2)

    def _input(self, name: FieldName, values: Sequence[str]) -> QComboBox | QLineEdit | QPlainTextEdit:
        words = self._context.words
        if name is FieldName.KIND:
            box = QComboBox()
            for kind in DocumentKind:
                box.addItem(words(f"kind.{kind.value}"), kind.value)
            box.setCurrentIndex(max(box.findData(values[0] if values else DocumentKind.OTHER.value), 0))
            return box
        if name in _SEVERAL:
            area = QPlainTextEdit("\n".join(values))
            area.setPlaceholderText(words("details.one_a_line"))
            area.setFixedHeight(area.fontMetrics().lineSpacing() * _LINES[name] + 16)
            area.setTabChangesFocus(True)
            return area
        line = QLineEdit(values[0] if values else "")
        line.setPlaceholderText(words("details.none"))
        line.setCursorPosition(0)
        return line

    def _places(self, fields: Sequence[DocumentField]) -> QWidget:
        """Links to where it stands; and whether the user wrote it."""
        words, made = self._context.words, QWidget()
        across = row(made, gap=4)
        if any(field.edited for field in fields):
            across.addWidget(label(words("details.edited"), "small"))
        pages: dict[int, DocumentField] = {}
        for field in fields:
            if field.page is not None:
                pages.setdefault(field.page, field)
        for number, field in list(pages.items())[:_MOST_PLACES]:
            link = QPushButton(words("details.place", page=number))
            link.setProperty("kind", "link")
            link.setToolTip(words("details.place_hint"))
            link.setAutoDefault(False)
            link.clicked.connect(partial(self.place.emit, field))
            across.addWidget(link)
        across.addStretch(1)
        return made

    def _written(self, name: FieldName) -> tuple[str, ...]:
        made = self._inputs[name]
        if isinstance(made, QComboBox):
            return (str(made.currentData()),)
        text = made.text() if isinstance(made, QLineEdit) else made.toPlainText()
        return tuple(" ".join(part.split()) for part in text.split("\n") if part.strip())

    def _save(self) -> None:
        bridge = self._context.bridge
        written = {name: self._written(name) for name in FieldName}
        changed = {name: values for name, values in written.items() if values != self._before[name]}
        if changed:
            bridge.start(details.edit_fields(bridge.services, document_id=self._document.id, values=changed),
                         self._owner)
        self.accept()
