"""Finds passages: article and heading, then the text."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget

from aipc_app.domain.documents import Evidence, Related, SearchResult, Stage
from aipc_app.operations import asking
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.case.conversation.cards import along_card, evidence_card, passage_place
from aipc_app.ui.case.stages import StagesTable
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
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
        self._running = bridge.start(op, self, done=lambda result: self._found_first(query, result))

    def _rerank(self, query: str, result: SearchResult) -> None:
        """Where there is a reranking model, the best are sorted anew; what is shown stays until then."""
        bridge = self._context.bridge
        if not bridge.services.search.reranks or not result.evidence:
            return
        op = asking.rerank_passages(bridge.services, query=query, result=result)
        self._running = bridge.start(
            op, self, lane=Lane.READ, done=lambda found: self._show(query, found, self._context.words("find.reranked")),
            failed=lambda error: self._not_reranked(result, error),
        )  # fmt: skip
        self._tell(result, self._context.words("find.reranking"))

    def _not_reranked(self, result: SearchResult, error: BaseException) -> None:
        words = self._context.words
        self._tell(result, words("find.not_reranked", why=translate_error(error, words).sentence))

    def open_first(self) -> None:
        """The best passage's place."""
        if self._found:
            self.opened.emit(passage_place(self._found[0].passage))

    def _found_first(self, query: str, result: SearchResult) -> None:
        if query == self.field.text().strip():
            self._show(query, result)
            self._rerank(query, result)

    def _tell(self, result: SearchResult, more: str = "") -> None:
        """How many were found, and what is still to come."""
        words = self._context.words
        told = [words("answer.found", count=len(result.evidence), took=seconds(result.seconds))]
        told += [words("find.keyword_only")] if Stage.VECTOR in result.missing else []
        told += [more] if more else []
        self.told.setText(" · ".join(told))

    def _show(self, query: str, result: SearchResult, more: str = "") -> None:
        if query != self.field.text().strip():
            return
        self._found, self._found_for = result.evidence, query
        clear(self._cards)
        self._tell(result, more)
        for item in result.evidence:
            self._cards.addWidget(self._card(query, item, result.related))
        self.table.show_evidence(result.evidence)
        self._show_body()

    def _card(self, query: str, item: Evidence, related: Sequence[Related]) -> QWidget:
        """A passage, and below it what comes along with it."""
        card = evidence_card(self._context, item, self.opened.emit, query=query)
        along = [one for one in related if one.of == item.passage.id]
        if not along:
            return card
        together = QWidget()
        inside = column(together, gap=3)
        inside.addWidget(card)
        below = column(gap=3)
        below.setContentsMargins(22, 0, 0, 0)
        for one in along:
            below.addWidget(along_card(self._context, one.passage, one.why, self.opened.emit))
        inside.addLayout(below)
        return together

    def _show_body(self) -> None:
        """Cards, or the table of stages."""
        if self._found_for:
            found = 3 if self.stages.isChecked() else 1
            self.body.setCurrentIndex(found if self._found else 2)
