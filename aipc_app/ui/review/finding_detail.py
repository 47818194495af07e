"""All there is to say of a finding, and the user's decision on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QWidget

from aipc_app.domain.review import Decision, Finding, Item
from aipc_app.ui.case.conversation.cards import citation_card
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import button, clear, column, label, row, said, with_icon

_EDITOR_LINES = 5
_MOST_CARDS = 12


class FindingDetail(QWidget):
    """`opened(Place)`, `decided(Decision, text)`, `commented(text)`."""

    opened = Signal(object)
    decided = Signal(object, str)
    commented = Signal(str)

    def __init__(self, context: UiContext, item: Item) -> None:
        super().__init__()
        self._context, self._item = context, item
        self._finding: Finding | None = None
        self._writes_comment = False
        words, look = context.words, context.look
        inside = column(self, gap=7)
        self._body = column(gap=5)
        inside.addLayout(self._body)
        self.editor = QPlainTextEdit()
        self.editor.setTabChangesFocus(True)
        self.editor.setFixedHeight(self.editor.fontMetrics().lineSpacing() * _EDITOR_LINES + 14)
        self._buttons = QWidget()
        two = column(self._buttons, gap=4)
        across, further = row(gap=6), row(gap=6)
        two.addLayout(across)
        two.addLayout(further)
        self.accept = button(words, "review.accept", partial(self._decide, Decision.ACCEPTED))
        self.reject = button(words, "review.reject", partial(self._decide, Decision.REJECTED))
        self.edit = button(words, "review.edit", partial(self._write, False))
        self.comment = button(words, "review.comment", partial(self._write, True), "plain")
        self.undo = button(words, "review.undecide", partial(self._decide, Decision.NONE), "plain")
        for widget, icon in ((self.accept, "check"), (self.reject, "close"), (self.edit, "edit")):
            with_icon(widget, look, icon)
        for widget in (self.accept, self.reject, self.edit):
            across.addWidget(widget)
        for widget in (self.comment, self.undo):
            further.addWidget(widget)
        for line in (across, further):
            line.addStretch(1)
        self._writing = QWidget()
        below = row(self._writing, gap=6)
        self.save = button(words, "review.save", self._save, "primary")
        below.addWidget(self.save)
        below.addWidget(button(words, "dialog.cancel", self._stop_writing))
        below.addStretch(1)
        for part in (self.editor, self._writing, self._buttons):
            inside.addWidget(part)
        self._stop_writing()

    def show_finding(self, finding: Finding) -> None:
        self._finding = finding
        clear(self._body)
        words = self._context.words
        for part in self._parts(finding):
            self._body.addWidget(part)
        for citation in finding.citations[:_MOST_CARDS]:
            self._body.addWidget(citation_card(self._context, citation, self.opened.emit))
        if finding.comment:
            self._body.addWidget(said(words, "review.comment_head", "small-strong"))
            self._body.addWidget(_text(finding.comment))
        self.undo.setVisible(finding.decision is not Decision.NONE)
        self.accept.setEnabled(finding.decision is not Decision.ACCEPTED and bool(finding.value))
        self.reject.setEnabled(finding.decision is not Decision.REJECTED)
        self._stop_writing()

    def _parts(self, finding: Finding) -> list[QWidget]:
        words = self._context.words
        parts: list[QWidget] = []
        if finding.decision is Decision.EDITED:
            parts += [_text(finding.edited), said(words, "review.was", "small-strong")]
        if finding.rows:
            parts.append(self._grid(finding))
        elif finding.sentences:
            parts += [_text(self._marked(sentence.text, sentence.citations)) for sentence in finding.sentences]
        else:
            parts.append(_text(finding.value or words("review.nothing")))
        if finding.working:
            parts += [said(words, "review.work_shown", "small-strong"), _text("\n".join(finding.working))]
        if finding.reason:
            parts.append(label(words.sentence(finding.reason), "muted", wrap=True))
        return parts

    def _grid(self, finding: Finding) -> QWidget:
        made = QWidget()
        grid = QGridLayout(made)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(10)
        for across, column_ in enumerate(self._item.columns):
            grid.addWidget(label(column_.label.of(self._context.words.language), "small-strong", wrap=True), 0, across)
        for down, cells in enumerate(finding.rows, 1):
            told: set[int] = set()  # of this row: one source for all its cells is marked once
            for across, cell in enumerate(cells):
                text = self._marked(cell.text, [one for one in cell.citations if one not in told])
                told.update(cell.citations)
                grid.addWidget(_text(text), down, across, Qt.AlignmentFlag.AlignTop)
        return made

    @staticmethod
    def _marked(text: str, citations: Sequence[int]) -> str:
        return text + "".join(f" [{marker}]" for marker in citations)

    def _decide(self, decision: Decision) -> None:
        self.decided.emit(decision, "")

    def _write(self, comment: bool) -> None:
        """Open the editor for the user's own text, or a comment."""
        finding = self._finding
        if finding is None:
            return
        self._writes_comment = comment
        self.editor.setPlainText(finding.comment if comment else finding.shown)
        words = self._context.words
        self.editor.setAccessibleName(words("review.comment_field" if comment else "review.edit_field"))
        self.editor.setPlaceholderText(words("review.comment_field" if comment else "review.edit_field"))
        for widget, shown in ((self.editor, True), (self._writing, True), (self._buttons, False)):
            widget.setVisible(shown)
        self.editor.setFocus()

    def _save(self) -> None:
        text = self.editor.toPlainText().strip()
        if self._writes_comment:
            self.commented.emit(text)
        elif text:
            self.decided.emit(Decision.EDITED, text)

    def _stop_writing(self) -> None:
        for widget, shown in ((self.editor, False), (self._writing, False), (self._buttons, True)):
            widget.setVisible(shown)


def _text(text: str) -> QWidget:
    made = label(text, wrap=True)
    made.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard)
    return made
