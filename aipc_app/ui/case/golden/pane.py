"""The golden questions of a case: kept, run again, held against the run before."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QFrame, QStackedWidget

from aipc_app.domain.answers import Answer
from aipc_app.domain.golden import GoldenResult, GoldenRow, GoldenRun, GoldenTable
from aipc_app.domain.jobs import Changes
from aipc_app.operations import golden
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.case.golden.dialog import GoldenDialog, ask_golden
from aipc_app.ui.case.golden.table import GoldenQuestions
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error
from aipc_app.ui.widgets.basics import button, clear, column, frame, label, row, said, with_icon
from aipc_app.ui.widgets.empty import EmptyState


class GoldenPane(QFrame):
    """For a case or the library."""

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self._case_id: int | None = None
        self._shown = GoldenTable(rows=())
        self._running: Running | None = None
        self.dialog: GoldenDialog | None = None
        self.setProperty("kind", "pane")
        words, look = context.words, context.look
        self.add = button(words, "golden.add", lambda: self._write())
        with_icon(self.add, look, "plus")
        self.run = button(words, "golden.run", self._run_or_stop, "primary")
        self.told = label(kind="small", wrap=True)
        self.table = GoldenQuestions(context)
        self.detail = frame("quiet-card")
        self._detail = column(self.detail, gap=4)
        self._detail.setContentsMargins(14, 10, 14, 10)
        self._lay_out()
        self.table.chosen.connect(self._show_detail)
        self.table.edit_wanted.connect(lambda found: self._write(found.question.question, found.question.expected))
        self.table.remove_wanted.connect(self._remove)
        words.changed.connect(self._tell)
        context.bridge.changed.connect(self._changed)

    @property
    def busy(self) -> bool:
        return self._running is not None

    def show_case(self, case_id: int | None) -> None:
        """Another case, or the library; a run under way goes on and is kept."""
        self._case_id = case_id
        self._reload()

    def keep_answer(self, answer: Answer) -> None:
        """Offer a question that was just answered, with the figures its answer proves."""
        self._write(answer.question, golden.suggest_expected(answer), told=True)

    def stop(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def _lay_out(self) -> None:
        words = self._context.words
        inside = column(self, gap=8)
        inside.setContentsMargins(18, 12, 14, 12)
        head = row(gap=8)
        head.addWidget(said(words, "golden.title", "heading"))
        head.addStretch(1)
        head.addWidget(self.add)
        head.addWidget(self.run)
        inside.addLayout(head)
        inside.addWidget(said(words, "golden.hint", "small", wrap=True))
        inside.addWidget(self.told)
        self.body = QStackedWidget()
        self.body.addWidget(EmptyState(words, self._context.look, "star", "golden.none", "golden.none_hint"))
        self.body.addWidget(self.table)
        inside.addWidget(self.body, 1)
        inside.addWidget(self.detail)

    def _write(self, question: str = "", expected: str = "", *, told: bool = False) -> None:
        def keep(text: str, wanted: str) -> None:
            self._keep(text, wanted, told=told)

        self.dialog = ask_golden(self, self._context.words, keep, question, expected)

    def _keep(self, question: str, expected: str, *, told: bool) -> None:
        if self._case_id is None:
            return
        bridge = self._context.bridge
        op = golden.keep_golden(bridge.services, case_id=self._case_id, question=question, expected=expected)
        bridge.start(op, self, done=lambda _kept: self._say_kept() if told else None)

    def _say_kept(self) -> None:
        self._context.notices.tell(self._context.words("golden.kept"))

    def _remove(self, found: GoldenRow) -> None:
        bridge = self._context.bridge
        bridge.start(golden.remove_golden(bridge.services, question_id=found.question.id), self)

    def _run_or_stop(self) -> None:
        if self.busy:
            self.stop()
        elif self._case_id is not None:
            bridge = self._context.bridge
            self._running = bridge.start(
                golden.run_golden(bridge.services, case_id=self._case_id), self, lane=Lane.ASK, events=self._progress,
                failed=self._failed, ended=self._ended)
            self._tell()

    def _progress(self, events: tuple[object, ...]) -> None:
        last = events[-1]
        if isinstance(last, golden.GoldenProgress):
            self.told.setText(self._context.words("golden.asking", done=last.done + 1, total=last.total))

    def _failed(self, error: BaseException) -> None:
        self._context.notices.show_problem(translate_error(error, self._context.words))

    def _ended(self) -> None:
        self._running = None
        self._reload()

    def _changed(self, changes: Changes) -> None:
        if self._case_id in changes.golden:
            self._reload()

    def _reload(self) -> None:
        bridge = self._context.bridge
        if self._case_id is not None:
            bridge.start(golden.golden_table(bridge.services, case_id=self._case_id), self, done=self._show)

    def _show(self, table: GoldenTable) -> None:
        self._shown = table
        self.body.setCurrentIndex(1 if table.rows else 0)
        self.table.show_table(table)
        self._tell()

    def _tell(self) -> None:
        words, shown = self._context.words, self._shown
        self.run.setText(words("golden.stop" if self.busy else "golden.run"))
        self.run.setEnabled(bool(shown.rows))
        if self.busy:
            return
        lines = []
        if shown.now is not None:
            asked = sum(one.now is not None for one in shown.rows)
            summary = words("golden.summary", passed=shown.passed, total=asked)
            lines.append(f"{summary} · {self._run_told('told', shown.now)}")
        if shown.before is not None:
            lines.append(self._run_told("before", shown.before))
        self.told.setText("\n".join(lines))
        self.told.setVisible(bool(lines))

    def _run_told(self, kind: str, run: GoldenRun) -> str:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(run.started))
        return self._context.words(f"golden.run_{kind}", when=when, model=run.model, settings=self._settings_told(run))

    def _settings_told(self, run: GoldenRun) -> str:
        """The strictness in the window's words, then figures and names."""
        strictness, *rest = run.settings.split(", ")
        return ", ".join((self._context.words(f"settings.answers_strictness_{strictness}"), *rest))

    def _show_detail(self, found: GoldenRow | None) -> None:
        clear(self._detail)
        self.detail.setVisible(found is not None and found.now is not None)
        if found is None or found.now is None:
            return
        words = self._context.words
        self._detail.addWidget(label(found.question.question, "strong", wrap=True))
        if not found.now.passed:
            key = "golden.missing" if found.question.expected else "golden.answered_anyway"
            self._detail.addWidget(label(words(key, fact=found.now.missing), "error", wrap=True))
        self._add_answer("golden.answer_now", found.now)
        if found.before is not None and found.before.text != found.now.text:
            self._add_answer("golden.answer_before", found.before)

    def _add_answer(self, key: str, result: GoldenResult) -> None:
        self._detail.addWidget(label(self._context.words(key), "small-strong"))
        self._detail.addWidget(label(result.text[:1500], wrap=True))
        if result.sources:
            self._detail.addWidget(label(" · ".join(result.sources), "small", wrap=True))
