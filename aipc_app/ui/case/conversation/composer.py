"""The ask box: question, how to read, whether the law library counts; ask and stop."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QPlainTextEdit

from aipc_app.domain.answers import Mode
from aipc_app.ui.case.conversation.scope_button import ScopeButton
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column, icon_button, row, themed, tone
from aipc_app.ui.widgets.file_drop import dropped_paths

_MOST_LINES = 7


class QuestionField(QPlainTextEdit):
    """Enter asks, Shift+Enter breaks the line; as high as its text up to seven lines."""

    asked = Signal()
    files = Signal(list)
    focused = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "ask")
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().setDocumentMargin(4)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not shift:
            self.asked.emit()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return bool(dropped_paths(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = dropped_paths(source)
        if paths:
            self.files.emit(list(paths))
        else:
            super().insertFromMimeData(source)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focused.emit(False)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._height(1))

    def _fit(self) -> None:
        lines = max(int(self.document().size().height()), 1)
        self.setFixedHeight(self._height(min(lines, _MOST_LINES)))

    def _height(self, lines: int) -> int:
        return self.fontMetrics().lineSpacing() * lines + 14


class Composer(QFrame):
    """`asked(text)`, `stopped`, `files(paths)` when files were pasted into the question."""

    asked = Signal(str)
    stopped = Signal()
    files = Signal(list)

    def __init__(self, context: UiContext, *, library_choice: bool) -> None:
        super().__init__()
        self._context, self._busy = context, False
        self.setProperty("kind", "ask-box")
        self.setObjectName("composer")
        words, look = context.words, context.look
        self.field = QuestionField()
        words.bind(self.field, self.field.setPlaceholderText, "ask.placeholder")
        words.bind(self.field, self.field.setAccessibleName, "ask.name")
        self.mode = QComboBox()
        self.mode.setProperty("kind", "plain")
        words.bind(self.mode, self.mode.setAccessibleName, "ask.mode")
        self.library = QCheckBox()
        self.library.setChecked(True)
        words.bind(self.library, self.library.setText, "ask.library")
        words.bind(self.library, self.library.setToolTip, "ask.library_hint")
        self.send = icon_button(words, look, "send", "ask.ask", self._act)
        self.send.setProperty("kind", "ask")
        self.scope = ScopeButton(context)
        self._lay_out(library_choice)
        self._fill_modes()
        words.changed.connect(self._fill_modes)
        self.field.asked.connect(self._ask)
        self.field.files.connect(self.files)
        self.field.focused.connect(lambda on: tone(self, "true" if on else "false", "active"))
        themed(self, look, self._refresh)

    @property
    def chosen_mode(self) -> Mode:
        return Mode(self.mode.currentData())

    @property
    def busy(self) -> bool:
        return self._busy

    def set_busy(self, busy: bool) -> None:
        """While an answer is worked out, the button stops it."""
        self._busy = busy
        self._refresh()

    def put(self, text: str) -> None:
        """Place a question in the field, ready to be sent."""
        self.field.setPlainText(text)
        self.field.setFocus()

    def _lay_out(self, library_choice: bool) -> None:
        inside = column(self, gap=2)
        inside.setContentsMargins(10, 6, 8, 7)
        inside.addWidget(self.field)
        tools = row(gap=4)
        tools.addWidget(self.mode)
        tools.addWidget(self.scope)
        tools.addWidget(self.library)
        tools.addStretch(1)
        tools.addWidget(self.send)
        inside.addLayout(tools)
        for choice in (self.library, self.scope):  # once they have a parent: else they are windows for a moment
            choice.setVisible(library_choice)

    def _fill_modes(self) -> None:
        now, words = self.mode.currentData(), self._context.words
        self.mode.clear()
        for mode in Mode:
            self.mode.addItem(words(f"ask.mode_{mode.value}"), mode.value)
            hint = words(f"ask.mode_{mode.value}_hint")
            self.mode.setItemData(self.mode.count() - 1, hint, Qt.ItemDataRole.ToolTipRole)
        self.mode.setCurrentIndex(max(self.mode.findData(now), 0))

    def _refresh(self) -> None:
        look, words = self._context.look, self._context.words
        self.send.setIcon(look.icon("stop" if self._busy else "send", look.tokens.on_accent))
        name = words("ask.stop" if self._busy else "ask.ask")
        self.send.setToolTip(name)
        self.send.setAccessibleName(name)

    def _act(self) -> None:
        if self._busy:
            self.stopped.emit()
        else:
            self._ask()

    def _ask(self) -> None:
        text = self.field.toPlainText().strip()
        if text and not self._busy:
            self.field.clear()
            self.asked.emit(text)
