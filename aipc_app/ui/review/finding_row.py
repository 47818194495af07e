"""One item of a review: its finding, what it rests on, and what the user says of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from aipc_app.domain.answers import Citation
from aipc_app.domain.review import Finding, Item
from aipc_app.review.tasks.plan import is_step
from aipc_app.ui.case.conversation.where import where_told
from aipc_app.ui.case.viewer.pane import Place
from aipc_app.ui.context import UiContext
from aipc_app.ui.review.finding_detail import FindingDetail
from aipc_app.ui.review.states import WAITING, WORKING, Sign, decision_sign, status_sign
from aipc_app.ui.widgets.basics import column, icon_button, label, row, themed, tip, tone
from aipc_app.ui.widgets.clamped import ClampedLabel
from aipc_app.ui.widgets.elided import ElidedLabel

_CHIP_CHARACTERS = 30
_LINES = 3
_CHIP_WIDTH = 60  # pixels at least: else a long name would make the whole table wider


class FindingRow(QFrame):
    """`opened(Place)`; `detail` is built when the row is first unfolded. Return or a click unfolds it."""

    opened = Signal(object)

    def __init__(self, context: UiContext, item: Item, make_detail: Callable[[FindingRow], FindingDetail]) -> None:
        super().__init__()
        self._context, self.item, self._make_detail = context, item, make_detail
        self.finding: Finding | None = None
        self.detail: FindingDetail | None = None
        self._sign: Sign = WAITING
        self.setProperty("kind", "finding")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out()
        themed(self.mark, context.look, self._paint_mark)
        context.words.changed.connect(self._say)
        self._show(WAITING, None)

    def show_waiting(self) -> None:
        """Not begun yet."""
        if self._sign is not WAITING or self.finding is not None:
            self._show(WAITING, None)

    def show_working(self) -> None:
        if self.finding is None and self._sign is not WORKING:
            self._show(WORKING, None)

    def show_finding(self, finding: Finding) -> None:
        """As it is now, the user's decision included."""
        if finding == self.finding:
            return
        self._show(status_sign(finding, step=is_step(self.item)), finding)
        if self.detail is not None:
            self.detail.show_finding(finding)

    @property
    def is_open(self) -> bool:
        return self.detail is not None and not self.detail.isHidden()

    def set_open(self, on: bool) -> None:
        """Show or hide everything there is to say; only a finding can be unfolded."""
        if self.finding is None or on == self.is_open:
            return
        if self.detail is None:
            self.detail = self._make_detail(self)
            self._inside.addWidget(self.detail)
            self.detail.show_finding(self.finding)
        self.detail.setVisible(on)
        self.value.setVisible(not on)
        self._chips.setVisible(not on and bool(self.finding.citations))
        self._fold.setIcon(self._context.look.icon("down" if on else "right"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.set_open(not self.is_open)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and event.position().y() <= self._head_height():
            self.set_open(not self.is_open)
        super().mouseReleaseEvent(event)

    def _head_height(self) -> float:
        """Of what folds it when it is clicked: all of it, unless it is unfolded."""
        return self.detail.y() if self.is_open and self.detail is not None else self.height()

    def _lay_out(self) -> None:
        words, look = self._context.words, self._context.look
        self._inside = column(self, gap=4)
        self._inside.setContentsMargins(10, 8, 8, 8)
        head = row(gap=7)
        self.mark = label()
        self.name = label(kind="small-strong", wrap=True)
        self.decided = label(kind="pill")
        self.state = label(kind="pill")
        self._fold = icon_button(words, look, "right", "review.unfold", lambda: self.set_open(not self.is_open))
        head.addWidget(self.mark)
        head.addWidget(self.name, 1)
        for widget in (self.decided, self.state, self._fold):
            head.addWidget(widget)
        self._inside.addLayout(head)
        self.value = ClampedLabel("", _LINES, "")
        self._inside.addWidget(self.value)
        self._chips = QWidget()
        chips = row(self._chips, gap=8)
        self.chip = QPushButton()
        self.chip.setProperty("kind", "link")
        self.chip.setMinimumWidth(_CHIP_WIDTH)
        self.chip.clicked.connect(self._open_first)
        self.others = ElidedLabel(kind="small")
        chips.addWidget(self.chip)
        chips.addWidget(self.others, 1)
        self._inside.addWidget(self._chips)

    def _show(self, sign: Sign, finding: Finding | None) -> None:
        self._sign, self.finding = sign, finding
        self._paint_mark()
        self._say()
        self._fold.setVisible(finding is not None)
        self.value.setVisible(finding is not None and not self.is_open)
        self._chips.setVisible(finding is not None and bool(finding.citations) and not self.is_open)

    def _paint_mark(self) -> None:
        look = self._context.look
        self.mark.setPixmap(look.icon(self._sign.icon, getattr(look.tokens, self._sign.colour)).pixmap(16, 16))

    def _say(self) -> None:
        words, finding = self._context.words, self.finding
        name, state = self.item.label.of(words.language), words(self._sign.key)
        self.name.setText(name)
        self.state.setText(state)
        tone(self.state, self._sign.tone)
        text = "" if finding is None else finding.shown or words.sentence(finding.reason) or words("review.nothing")
        self.value.setText(text)
        decision = decision_sign(finding) if finding is not None else None
        self.decided.setVisible(decision is not None)
        if decision is not None:
            self.decided.setText(words(decision.key))
            tone(self.decided, decision.tone)
        if finding is not None and finding.citations:
            self._show_chip(finding.citations)
        said = (name, state, words(decision.key) if decision else "", text[:300])
        self.setAccessibleName(", ".join(part for part in said if part))

    def _show_chip(self, citations: tuple[Citation, ...]) -> None:
        where = self._where(citations[0])
        self.chip.setText(f"[{citations[0].marker}] {_shortened(where, _CHIP_CHARACTERS)}")
        self.chip.setAccessibleName(where)
        self.chip.setToolTip(tip(f"{where}: {citations[0].quote[:300]}"))
        more = len(citations) - 1
        self.others.setText(self._context.words("review.more_sources", count=more) if more else "")

    def _where(self, citation: Citation) -> str:
        return where_told(self._context.words, citation.document, citation.page, citation.page_label)

    def _open_first(self) -> None:
        if self.finding is not None and self.finding.citations:
            self.opened.emit(place_of(self.finding.citations[0]))


def place_of(citation: Citation) -> Place:
    """Where its quote stands."""
    return Place(citation.document_id, citation.page, (citation.start, citation.end))


def _shortened(text: str, most: int) -> str:
    """In the middle: the page at the end matters."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half + 1:]}"
