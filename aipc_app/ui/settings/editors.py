"""One row of the settings page: label, hint, editor, and the error beside it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QHBoxLayout, QLineEdit, QWidget

from aipc_app.ui.context import UiContext
from aipc_app.ui.settings.fields import Choice, Field, Folder, Number, Switch
from aipc_app.ui.widgets.basics import column, icon_button, label, row, said, tone

_EDITOR_WIDTH = 250


class SettingRow(QWidget):
    """`changed(value)` when the user chose a value that can be tried."""

    changed = Signal(object)

    def __init__(self, context: UiContext, field: Field) -> None:
        super().__init__()
        self._context, self.field = context, field
        self.key = f"settings.{field.section}_{field.name}"
        words = context.words
        across = row(self, gap=24)
        texts = column(gap=1)
        texts.addWidget(said(words, self.key))
        self.hint = said(words, f"{self.key}_hint", "small", wrap=True)
        texts.addWidget(self.hint)
        across.addLayout(texts, 1)
        side = column(gap=2)
        self._editor_row = row(gap=6)
        side.addLayout(self._editor_row)
        self.error = label(kind="error", wrap=True)
        self.error.setFixedWidth(_EDITOR_WIDTH)
        self.error.hide()
        side.addWidget(self.error)
        across.addLayout(side)
        across.setAlignment(side, Qt.AlignmentFlag.AlignTop)

    def show_value(self, value: object) -> None:
        raise NotImplementedError

    def show_error(self, sentence: str) -> None:
        """Beside the field; "" takes it away."""
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))

    def _place(self, editor: QWidget, *, beside: QWidget | None = None) -> QHBoxLayout:
        used = beside.sizeHint().width() + self._editor_row.spacing() if beside is not None else 0
        editor.setFixedWidth(_EDITOR_WIDTH - used)
        self._context.words.bind(editor, editor.setAccessibleName, self.key)
        self._editor_row.addWidget(editor)
        if beside is not None:
            self._editor_row.addWidget(beside)
        return self._editor_row


class ChoiceRow(SettingRow):
    """A drop-down."""

    def __init__(self, context: UiContext, field: Choice) -> None:
        super().__init__(context, field)
        self.box = QComboBox()
        self._values = field.values
        self._place(self.box)
        self._fill()
        context.words.changed.connect(self._fill)
        self.box.activated.connect(lambda _place: self.changed.emit(self.box.currentData()))

    def show_value(self, value: object) -> None:
        self.box.setCurrentIndex(max(self.box.findData(str(value)), 0))

    def _fill(self) -> None:
        now = self.box.currentData()
        self.box.clear()
        for value in self._values:
            self.box.addItem(self._context.words(f"{self.key}_{value.replace('-', '_')}"), value)
        self.box.setCurrentIndex(max(self.box.findData(now), 0))


class SwitchRow(SettingRow):
    """A check box; its word says what it is now."""

    def __init__(self, context: UiContext, field: Switch) -> None:
        super().__init__(context, field)
        self.box = QCheckBox()
        self._place(self.box)
        self.box.toggled.connect(lambda _on: self._say())
        context.words.changed.connect(self._say)
        self.box.clicked.connect(lambda on: self.changed.emit(bool(on)))
        self._say()

    def show_value(self, value: object) -> None:
        self.box.setChecked(bool(value))

    def _say(self) -> None:
        self.box.setText(self._context.words("settings.on" if self.box.isChecked() else "settings.off"))


class NumberRow(SettingRow):
    """A number typed in; told when it is none or out of bounds."""

    def __init__(self, context: UiContext, field: Number) -> None:
        super().__init__(context, field)
        self._number = field
        self.line = QLineEdit()
        self._place(self.line)
        if field.optional:
            context.words.bind(self.line, self.line.setPlaceholderText, "settings.automatic")
        self.line.editingFinished.connect(self._take)
        self._shown = ""

    def show_value(self, value: object) -> None:
        self._shown = "" if value is None else str(value)
        self.line.setText(self._shown)
        self._mark("")

    def _take(self) -> None:
        text, number = self.line.text().strip().replace(",", ""), self._number
        if text == self._shown:
            self._mark("")
        elif not text and number.optional:
            self._send(None, "")
        elif not text.isdecimal() or not number.low <= int(text) <= number.high:
            self._mark(self._context.words("settings.bounds", low=f"{number.low:,}", high=f"{number.high:,}"))
        else:
            self._send(int(text), text)

    def _send(self, value: int | None, text: str) -> None:
        self._shown = text
        self._mark("")
        self.changed.emit(value)

    def _mark(self, sentence: str) -> None:
        self.show_error(sentence)
        tone(self.line, "true" if sentence else "false", "wrong")


class FolderRow(SettingRow):
    """A folder, typed or chosen."""

    def __init__(self, context: UiContext, field: Folder) -> None:
        super().__init__(context, field)
        self.line = QLineEdit()
        context.words.bind(self.line, self.line.setPlaceholderText, "settings.no_folder")
        browse = icon_button(context.words, context.look, "folder", "settings.choose_folder", self._choose)
        self._place(self.line, beside=browse)
        self.line.editingFinished.connect(self._take)
        self._shown = ""

    def show_value(self, value: object) -> None:
        self._shown = "" if value is None else str(value)
        self.line.setText(self._shown)
        self.show_error("")

    def _choose(self) -> None:
        dialog = QFileDialog(self, self._context.words("settings.choose_folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.filesSelected.connect(self._chosen)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _chosen(self, names: list[str]) -> None:
        self.line.setText(names[0])
        self._take()

    def _take(self) -> None:
        text = self.line.text().strip()
        if text == self._shown:
            self.show_error("")
        elif text and not Path(text).is_dir():
            self.show_error(self._context.words("settings.no_such_folder"))
        else:
            self._shown = text
            self.show_error("")
            self.changed.emit(text or None)


def make_row(context: UiContext, field: Field) -> SettingRow:
    """The row for a setting."""
    match field:
        case Choice():
            return ChoiceRow(context, field)
        case Number():
            return NumberRow(context, field)
        case Switch():
            return SwitchRow(context, field)
        case Folder():
            return FolderRow(context, field)
