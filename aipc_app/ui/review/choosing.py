"""Before a review: the templates, and the case's reviews so far."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from aipc_app.domain.review import ReviewState, ReviewSummary, Template
from aipc_app.ui.context import UiContext
from aipc_app.ui.review.asking import OwnQuestions
from aipc_app.ui.review.copying import CopyTemplate
from aipc_app.ui.review.own_task import OwnTask
from aipc_app.ui.widgets.basics import clear, column, label, row, said, tone
from aipc_app.ui.widgets.card import CardButton
from aipc_app.ui.widgets.clamped import ClampedLabel
from aipc_app.ui.widgets.elided import ElidedLabel

_TONES = {ReviewState.RUNNING: "accent", ReviewState.STOPPED: "warn", ReviewState.DONE: "good"}


class ChoosingPage(QScrollArea):
    """`wanted(template id)` to begin one, `opened(review id)` to look at one."""

    wanted = Signal(str)
    opened = Signal(int)

    def __init__(self, context: UiContext) -> None:
        super().__init__(widgetResizable=True)
        self._context = context
        self._templates: tuple[Template, ...] = ()
        self._reviews: tuple[ReviewSummary, ...] = ()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        sheet = QWidget()
        sheet.setProperty("kind", "sheet")
        inside = column(sheet, gap=8)
        inside.setContentsMargins(18, 14, 18, 14)
        words = context.words
        inside.addWidget(said(words, "review.choose", "heading"))
        inside.addWidget(said(words, "review.choose_hint", "muted", wrap=True))
        self._cards = column(gap=8)
        inside.addLayout(self._cards)
        self.copying = CopyTemplate(context)
        inside.addWidget(self.copying)
        self.task = OwnTask(context)
        self.own = OwnQuestions(context)
        for part in (self.task, self.own):
            inside.addSpacing(8)
            inside.addWidget(part)
        self._past = said(words, "review.past", "heading")
        inside.addSpacing(8)
        inside.addWidget(self._past)
        self._list = column(gap=6)
        inside.addLayout(self._list)
        inside.addStretch(1)
        self.setWidget(sheet)
        words.changed.connect(self._again)
        self._again()

    @property
    def first(self) -> QWidget:
        """Where the keyboard goes."""
        item = self._cards.itemAt(0)
        return (item.widget() if item is not None else None) or self

    def show_templates(self, templates: Sequence[Template]) -> None:
        self._templates = tuple(templates)
        self.copying.show_templates(self._templates)
        self._fill_templates()

    def show_reviews(self, reviews: Sequence[ReviewSummary]) -> None:
        """The latest first."""
        self._reviews = tuple(reviews)
        self._fill_reviews()

    def _again(self) -> None:
        self._fill_templates()
        self._fill_reviews()

    def _fill_templates(self) -> None:
        clear(self._cards)
        for template in self._templates:
            self._cards.addWidget(self._template_card(template))

    def _template_card(self, template: Template) -> CardButton:
        words = self._context.words
        made = CardButton()
        title, about = template.title.of(words.language), template.about.of(words.language)
        made.add(ElidedLabel(title, "small-strong"))
        made.add(ClampedLabel(about, 3))
        made.add(label(words("review.items", count=len(template.items)), "small"))
        made.setAccessibleName(words("review.start_named", title=title))
        made.setAccessibleDescription(about)
        made.clicked.connect(lambda: self.wanted.emit(template.id))
        return made

    def _fill_reviews(self) -> None:
        clear(self._list)
        self._past.setVisible(bool(self._reviews))
        for review in self._reviews:
            self._list.addWidget(self._review_card(review))

    def _review_card(self, review: ReviewSummary) -> CardButton:
        words = self._context.words
        made = CardButton()
        head = row(gap=8)
        title = review.title.of(words.language)
        head.addWidget(ElidedLabel(title, "small-strong"), 1)
        state = label(words(f"review.state_{review.state.value}"), "pill")
        tone(state, _TONES[review.state])
        head.addWidget(state)
        made.inside.addLayout(head)
        told = self.told_of(review)
        made.add(ClampedLabel(told, 2, "small"))
        made.setAccessibleName(f"{title}, {words(f'review.state_{review.state.value}')}, {told}")
        made.clicked.connect(lambda: self.opened.emit(review.id))
        for child in made.findChildren(QWidget):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        return made

    def told_of(self, review: ReviewSummary) -> str:
        """When, how much, by which model."""
        day = datetime.datetime.fromtimestamp(review.created).strftime("%Y-%m-%d %H:%M")
        return self._context.words("review.summary", day=day, done=review.done, total=review.total, model=review.model)
