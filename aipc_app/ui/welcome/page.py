"""First start: language, what this PC has, the sample case or one's own files."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from aipc_app.domain.documents import Case
from aipc_app.operations import samples
from aipc_app.operations import settings as operations
from aipc_app.operations.op import simply
from aipc_app.settings.model import Language
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.cases.actions import CaseActions
from aipc_app.ui.context import UiContext
from aipc_app.ui.welcome.machine_card import MachineCard
from aipc_app.ui.widgets.basics import button, column, frame, label, row, said, with_icon
from aipc_app.ui.widgets.file_drop import FileDrop

_LANGUAGES = ((Language.SYSTEM, ""), (Language.CHINESE, "中文"), (Language.ENGLISH, "English"))


class WelcomePage(QWidget):
    """`opened(Case, paths)`, `suggested(questions)` for the sample, `skipped`."""

    opened = Signal(object, list)
    suggested = Signal(list)
    skipped = Signal()

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "ground")
        self._actions = CaseActions(context, self)
        self.languages: dict[Language, QPushButton] = {}
        self.machine = MachineCard(context)
        words = context.words
        self.sample = button(words, "welcome.sample", self.open_sample, "primary")
        with_icon(self.sample, context.look, "cases", "on_accent")
        self.own = button(words, "welcome.own", self._make_own)
        with_icon(self.own, context.look, "plus")
        self.skip = button(words, "welcome.skip", self._skip, "plain")
        self._lay_out()
        self.setFocusProxy(self.sample)
        drop = FileDrop(self, words, "cases.drop")
        drop.dropped.connect(lambda paths: self._actions.create(
            then=lambda case: self._leave_to(case, paths), suggestion=paths[0].stem))

    def open_sample(self) -> None:
        """Add the first sample and go to it; its questions are offered."""
        self.sample.setEnabled(False)
        bridge = self._context.bridge
        bridge.start(simply("list samples", samples.list_samples), self, done=self._open_first)

    def _open_first(self, found: tuple[samples.Sample, ...]) -> None:
        if not found:
            self.sample.setEnabled(True)
            return
        sample, bridge = found[0], self._context.bridge
        op = samples.open_sample(bridge.services, sample=sample, language=self._context.words.language)
        bridge.start(op, self, lane=Lane.WORK, done=lambda opened: self._opened(sample, opened.case),
                     ended=lambda: self.sample.setEnabled(True))

    def _opened(self, sample: samples.Sample, case: Case) -> None:
        self._leave_to(case, [])
        self.suggested.emit([question.question for question in sample.demo_questions])

    def _make_own(self) -> None:
        self._actions.create(then=lambda case: self._leave_to(case, []))

    def _leave_to(self, case: Case, paths: list[object]) -> None:
        self._welcomed()
        self.opened.emit(case, paths)

    def _skip(self) -> None:
        self._welcomed()
        self.skipped.emit()

    def _welcomed(self) -> None:
        self._change("welcomed", True)

    def _change(self, name: str, value: object) -> None:
        bridge = self._context.bridge
        bridge.start(operations.change_setting(bridge.services, section="window", name=name, value=value), bridge)

    def _lay_out(self) -> None:
        outer = column(self, margin=24)
        outer.addStretch(2)
        across = row()
        across.addStretch(1)
        across.addWidget(self._sheet())
        across.addStretch(1)
        outer.addLayout(across)
        outer.addStretch(3)

    def _sheet(self) -> QWidget:
        words = self._context.words
        sheet = QWidget()
        sheet.setFixedWidth(640)
        inside = column(sheet, gap=14)
        head = row(gap=14)
        mark = label()
        mark.setPixmap(self._context.look.icons.icon("aipc", "").pixmap(48, 48))
        texts = column(gap=2)
        texts.addWidget(said(words, "welcome.title", "title"))
        texts.addWidget(said(words, "welcome.promise", "muted", wrap=True))
        head.addWidget(mark)
        head.addLayout(texts, 1)
        inside.addLayout(head)
        inside.addSpacing(6)
        inside.addWidget(self._language_card())
        inside.addWidget(self.machine)
        buttons = row(gap=10)
        buttons.addWidget(self.sample)
        buttons.addWidget(self.own)
        buttons.addStretch(1)
        buttons.addWidget(self.skip)
        inside.addSpacing(4)
        inside.addLayout(buttons)
        inside.addWidget(said(words, "welcome.sample_hint", "small", wrap=True))
        return sheet

    def _language_card(self) -> QWidget:
        words = self._context.words
        card = frame("card")
        across = row(card, gap=8)
        across.setContentsMargins(18, 12, 14, 12)
        across.addWidget(said(words, "settings.window_language", "strong"), 1)
        group = QButtonGroup(self)
        chosen = self._context.services.settings().window.language
        for language, name in _LANGUAGES:
            made = QPushButton(name)
            made.setProperty("kind", "plain")
            made.setCheckable(True)
            made.setChecked(language is chosen)
            if not name:
                words.bind(made, made.setText, "settings.window_language_system")
            made.clicked.connect(lambda _on, language=language: self._change("language", language.value))
            group.addButton(made)
            self.languages[language] = made
            across.addWidget(made)
        return card
