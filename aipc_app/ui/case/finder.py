"""Finds passages: article and heading, then the text."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from aipc_app.domain.documents import Evidence, SearchResult, Stage
from aipc_app.operations import asking
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.case.conversation.cards import evidence_card, passage_place
from aipc_app.ui.case.stages import StagesTable
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import clear, column, icon_button, label, row
from aipc_app.ui.widgets.empty import EmptyState
from aipc_app.ui.widgets.figures import seconds
from aipc_app.ui.widgets.search_field import SearchField

_TYPING_MS = 250
_PASSAGES = 20


class Finder(QFrame):
    """Searches while one types. `opened(Place)` for a passage."""

    opened = Signal(object)

    def __init__(self, context: UiContext, *, library: bool = False) -> None:
        super().__init__()
        self._context = context
        self._running: Running | None = None
        self._found: tuple[Evidence, ...] = ()
        self._found_for = ""
        self.setProperty("kind", "pane")
        self._cases: tuple[int, ...] = ()
        kind = "library" if library else "case"
        self.field = SearchField(context.words, context.look, f"find.search_{kind}")
        self.told = label(kind="small", wrap=True)
        self.nothing = EmptyState(context.words, context.look, "search", "find.none", "find.none_hint")
        self.start = EmptyState(context.words, context.look, "search", f"find.start_{kind}", "find.start_hint")
        self._pause = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._pause.timeout.connect(self.search)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        whole, self._cards = column(sheet), column(gap=7)
        whole.addLayout(self._cards)
        whole.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(sheet)
        self.table = StagesTable(context)
        self.table.opened.connect(self.opened)
        self.body = QStackedWidget()
        for page in (self.start, area, self.nothing, self.table):
            self.body.addWidget(page)
        self.stages = icon_button(context.words, context.look, "columns", "stages.show")
        self.stages.setCheckable(True)
        self.stages.toggled.connect(lambda _on: self._show_body())
        inside = column(self, gap=8)
        inside.setContentsMargins(18, 12, 14, 8)
        across = row(gap=6)
        across.addWidget(self.field, 1)
        across.addWidget(self.stages)
        inside.addLayout(across)
        inside.addWidget(self.told)
        inside.addWidget(self.body, 1)
        self.field.textChanged.connect(lambda _text: self._pause.start())
        self.field.returnPressed.connect(self._enter)

    def _enter(self) -> None:
        """Search at once; with the results there, open the best."""
        if self._found and self._found_for == self.field.text().strip():
            self.open_first()
        else:
            self.search()

    @property
    def main_field(self) -> QWidget:
        """What F6 goes to."""
        return self.field

    @property
    def cards(self) -> int:
        return self._cards.count()

    def show_cases(self, cases: tuple[int, ...]) -> None:
        """What is searched from now on."""
        self._cases = cases
        self.field.clear()
        self.search()

    def search(self) -> None:
        """Now; a search still under way is forgotten."""
        self._pause.stop()
        query = self.field.text().strip()
        if self._running is not None:
            self._running.cancel()
        if not query:
            self.told.setText("")
            self._found, self._found_for = (), ""
            self.body.setCurrentIndex(0)
            return
        bridge = self._context.bridge
        op = asking.search_passages(bridge.services, query=query, cases=self._cases, limit=_PASSAGES)
        self._running = bridge.start(op, self, done=lambda result: self._show(query, result))

    def open_first(self) -> None:
        """The best passage's place."""
        if self._found:
            self.opened.emit(passage_place(self._found[0].passage))

    def _show(self, query: str, result: SearchResult) -> None:
        if query != self.field.text().strip():
            return
        self._found, self._found_for = result.evidence, query
        clear(self._cards)
        words = self._context.words
        told = words("answer.found", count=len(result.evidence), took=seconds(result.seconds))
        if Stage.VECTOR in result.missing:
            told += " · " + words("find.keyword_only")
        self.told.setText(told)
        for item in result.evidence:
            self._cards.addWidget(evidence_card(self._context, item, self.opened.emit, query=query))
        self.table.show_evidence(result.evidence)
        self._show_body()

    def _show_body(self) -> None:
        """Cards, or the table of stages."""
        if self._found_for:
            found = 3 if self.stages.isChecked() else 1
            self.body.setCurrentIndex(found if self._found else 2)
