"""The Review tab of a case: from choosing a template to an exported review."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget, QWidget

from aipc_app.domain.jobs import Changes
from aipc_app.domain.review import (
    Decision,
    Finding,
    FindingDifference,
    FindingReady,
    ItemsBegun,
    Review,
    ReviewBegun,
    ReviewSummary,
    Template,
)
from aipc_app.operations import reviewing
from aipc_app.ui.context import UiContext
from aipc_app.ui.review.choosing import ChoosingPage
from aipc_app.ui.review.comparing import ComparePage
from aipc_app.ui.review.exporting import ExportDialog
from aipc_app.ui.review.head import ReviewHead
from aipc_app.ui.review.run import ReviewRun
from aipc_app.ui.review.table import FindingTable
from aipc_app.ui.widgets.basics import column
from aipc_app.ui.widgets.dialogs import confirm


class ReviewPane(QFrame):
    """`opened(Place)` for a source."""

    opened = Signal(object)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._case_id: int | None = None
        self._review: Review | None = None
        self._reviews: tuple[ReviewSummary, ...] = ()
        self.export_dialog: ExportDialog | None = None
        self.setProperty("kind", "pane")
        self.run = ReviewRun(context, self)
        self.choosing = ChoosingPage(context)
        self.head = ReviewHead(context)
        self.table = FindingTable(context)
        self.comparing = ComparePage(context)
        self.review_page = QWidget()
        page = column(self.review_page, gap=0)
        page.addWidget(self.head)
        page.addWidget(self.table, 1)
        self.body = QStackedWidget()
        for part in (self.choosing, self.review_page, self.comparing):
            self.body.addWidget(part)
        column(self, gap=0).addWidget(self.body)
        self._connect()

    @property
    def main_field(self) -> QWidget:
        """What F6 goes to."""
        if self.body.currentWidget() is self.choosing:
            return self.choosing.first
        return next(iter(self.table.rows.values()), None) or self.head.back

    @property
    def review(self) -> Review | None:
        """The one looked at."""
        return self._review

    @property
    def busy(self) -> bool:
        """A review of this case is being worked out."""
        return self.run.busy and self.run.case_id == self._case_id

    def show_case(self, case_id: int) -> None:
        """Its reviews; the one that is being worked out, if there is one."""
        self._case_id, self._review = case_id, None
        self.body.setCurrentWidget(self.choosing)
        self.choosing.show_reviews(())
        self._load_lists()
        if self.busy:
            self._show_run()

    def begin(self, template: str) -> None:
        """A review of this case by this template."""
        self._begin(lambda case_id: self.run.start(case_id, template))

    def ask_each(self, question: str) -> None:
        """This question, of every document."""
        self._begin(lambda case_id: self.run.ask_each(case_id, question))

    def ask_list(self, questions: Sequence[str]) -> None:
        """These questions, over the whole case."""
        self._begin(lambda case_id: self.run.ask_list(case_id, questions))

    def do_task(self, task: str) -> None:
        """A task in the user's own words."""
        self._begin(lambda case_id: self.run.do_task(case_id, task))

    def begin_with_files(self, paths: Sequence[Path], template: str) -> None:
        """Take the files in first; the review then starts by itself."""
        if self._case_id is None:
            return
        self.run.read_first(self._case_id, paths, template)
        self._show_run()

    def open_review(self, review_id: int) -> None:
        bridge = self._context.bridge
        bridge.start(reviewing.read_review(bridge.services, review_id=review_id), self, done=self._show_review)

    def export(self) -> ExportDialog | None:
        """Ask in which format; None when no review is looked at."""
        review = self._review
        if review is None:
            return None
        title = review.template.title.of(self._context.words.language)
        self.export_dialog = ExportDialog(self, self._context, review.id, title)
        self.export_dialog.finished.connect(self._export_closed)
        self.export_dialog.open()
        return self.export_dialog

    def compare_with(self, other: ReviewSummary) -> None:
        """The review looked at on the left, the other on the right."""
        if self._review is None:
            return
        bridge, names = self._context.bridge, (self._name(self._review.id), self._name(other.id))
        op = reviewing.compare_reviews(bridge.services, one=self._review.id, other=other.id)
        bridge.start(op, self, done=lambda found: self._show_compared(found, names))

    def _connect(self) -> None:
        self.choosing.wanted.connect(self.begin)
        self.choosing.opened.connect(self.open_review)
        self.choosing.own.each_wanted.connect(self.ask_each)
        self.choosing.own.list_wanted.connect(self.ask_list)
        self.choosing.task.wanted.connect(self.do_task)
        self.choosing.copying.copied.connect(self._load_lists)
        for part in (self.table, self.comparing):
            part.opened.connect(self.opened)
        self.table.decided.connect(self._decide)
        self.table.commented.connect(self._comment)
        self.head.left.connect(self._leave)
        self.head.stopped.connect(self.run.stop)
        self.head.resumed.connect(self._resume)
        self.head.export.connect(self.export)
        self.head.compare.connect(self._offer_comparing)
        self.head.deleted.connect(self._ask_delete)
        self.comparing.left.connect(lambda: self.body.setCurrentWidget(self.review_page))
        self.run.changed.connect(self._run_changed)
        self.run.events.connect(self._take_events)
        self.run.ended.connect(self._take_end)
        self._context.bridge.changed.connect(self._changed)

    def _begin(self, start: Callable[[int], None]) -> None:
        if self._case_id is None:
            return
        if self.run.busy:
            self._context.notices.tell(self._context.words("review.one_at_a_time"))
            return
        start(self._case_id)
        self._show_run()

    def _load_lists(self) -> None:
        bridge, case_id = self._context.bridge, self._case_id
        if case_id is None or not bridge.ready:
            return
        bridge.start(reviewing.list_templates(bridge.services), self, done=self._show_templates)
        bridge.start(reviewing.list_reviews(bridge.services, case_id=case_id), self,
                     done=lambda found: self._show_list(case_id, found))

    def _show_templates(self, templates: tuple[Template, ...]) -> None:
        self.choosing.show_templates(templates)

    def _show_list(self, case_id: int, found: tuple[ReviewSummary, ...]) -> None:
        if case_id == self._case_id:
            self._reviews = found
            self.choosing.show_reviews(found)

    def _show_run(self) -> None:
        """What is being worked out, from its beginning or as far as it is."""
        self.body.setCurrentWidget(self.review_page)
        if self.run.review_id is not None:
            self.open_review(self.run.review_id)
        else:
            self._review = None
            self.table.empty()
            self._say_state()

    def _show_review(self, review: Review) -> None:
        if review.case_id != self._case_id:
            return
        self._review = review
        self.table.show_review(review)
        self._say_state()
        if self.body.currentWidget() is not self.comparing:
            self.body.setCurrentWidget(self.review_page)

    @property
    def _is_running(self) -> bool:
        """The review looked at is the one being worked out."""
        return self.busy and (self._review is None or self.run.review_id in (None, self._review.id))

    def _say_state(self) -> None:
        running = self._is_running
        self.head.show_review(self._review, busy=running, stopping=running and self.run.stopping)

    def _take_events(self, events: tuple[Any, ...]) -> None:
        if self.run.case_id != self._case_id:
            return
        for event in events:
            if isinstance(event, ReviewBegun) and self.body.currentWidget() is self.review_page:
                self._show_review(event.review)
            if not self._is_running:
                continue
            if isinstance(event, ItemsBegun):
                self.table.show_working(event.items)
            elif isinstance(event, FindingReady):
                self.table.show_finding(event.finding)
            if not self.run.stopping:
                self.head.show_event(event)

    def _take_end(self, review: Review) -> None:
        if self._review is not None and review.id == self._review.id:
            self._show_review(review)

    def _run_changed(self) -> None:
        if self.body.currentWidget() is self.choosing:
            return
        if self._review is None and not self.busy:  # it ended before it began
            self._leave()
            return
        if not self.busy:
            self.table.rest()
        self._say_state()

    def _leave(self) -> None:
        self._review = None
        self.body.setCurrentWidget(self.choosing)
        self._load_lists()

    def _resume(self) -> None:
        if self._review is None or self._case_id is None:
            return
        if self.run.busy:
            self._context.notices.tell(self._context.words("review.one_at_a_time"))
            return
        self.run.resume(self._case_id, self._review.id)

    def _decide(self, item: str, decision: Decision, text: str) -> None:
        self._change(item, decision, text, None)

    def _comment(self, item: str, text: str) -> None:
        finding = self.table.rows[item].finding
        if finding is not None:
            self._change(item, finding.decision, finding.edited, text)

    def _change(self, item: str, decision: Decision, text: str, comment: str | None) -> None:
        if self._review is None:
            return
        bridge = self._context.bridge
        op = reviewing.decide_finding(bridge.services, review_id=self._review.id, item=item, decision=decision,
                                      text=text, comment=comment)
        bridge.start(op, self, done=self._show_decided)

    def _show_decided(self, finding: Finding) -> None:
        self.table.show_finding(finding)

    def _offer_comparing(self) -> None:
        menu = self.comparing_menu()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.head.beside.mapToGlobal(QPoint(0, self.head.beside.height())))

    def comparing_menu(self) -> QMenu:
        """The case's other reviews by the same template."""
        menu, review = QMenu(self), self._review
        others = [one for one in self._reviews
                  if review is not None and one.id != review.id and one.template == review.template.id]
        for other in others:
            menu.addAction(self._name(other.id)).triggered.connect(partial(self.compare_with, other))
        if not others:
            menu.addAction(self._context.words("review.no_other")).setEnabled(False)
        return menu

    def _name(self, review_id: int) -> str:
        found = next((one for one in self._reviews if one.id == review_id), None)
        if found is None:
            return str(review_id)
        return self.choosing.told_of(found)

    def _show_compared(self, found: tuple[FindingDifference, ...], names: tuple[str, str]) -> None:
        self.comparing.show_differences(found, names)
        self.body.setCurrentWidget(self.comparing)

    def _ask_delete(self) -> None:
        review, words = self._review, self._context.words
        if review is None:
            return
        bridge = self._context.bridge

        def gone() -> None:
            op = reviewing.delete_review(bridge.services, review_id=review.id)
            bridge.start(op, self, done=lambda _nothing: self._leave())
        confirm(self, words, words("review.delete"), words("review.delete_sentence"), "review.delete", gone)

    def _export_closed(self) -> None:
        if self.export_dialog is not None:
            self.export_dialog.deleteLater()
            self.export_dialog = None

    def _changed(self, changes: Changes) -> None:
        if self._case_id in changes.reviews:
            self._load_lists()
