"""A passage or a quote as a card that opens its page."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from aipc_app.domain.answers import Citation
from aipc_app.domain.documents import Evidence, Passage
from aipc_app.ui.case.conversation.where import where_told
from aipc_app.ui.case.conversation.why import open_why
from aipc_app.ui.case.viewer.pane import Place
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import icon_button, label, row, tip
from aipc_app.ui.widgets.card import CardButton
from aipc_app.ui.widgets.clamped import ClampedLabel
from aipc_app.ui.widgets.elided import ElidedLabel

Open = Callable[[Place], object]


def citation_card(context: UiContext, citation: Citation, on_open: Open) -> CardButton:
    """"[1] contract.pdf · page 3" and the quote."""
    place = Place(citation.document_id, citation.page, (citation.start, citation.end))
    where = where_told(context.words, citation.document, citation.page, citation.page_label)
    return _card(context, str(citation.marker), where, "", citation.quote, lambda: on_open(place))


def evidence_card(
    context: UiContext, evidence: Evidence, on_open: Open, *, query: str, is_evidence: bool = True
) -> CardButton:
    """Where a passage stands, its heading, its first lines, and why it was found for the query."""
    passage = evidence.passage
    place = passage_place(passage)
    where = where_told(context.words, passage.document, passage.page, passage.page_label)
    heading = " · ".join(part for part in dict.fromkeys((passage.article, passage.heading)) if part)
    why = icon_button(context.words, context.look, "info", "why.open")
    why.clicked.connect(lambda: open_why(why, context, query, evidence))
    made = _card(context, "", where, heading, passage.text, lambda: on_open(place), why)
    if not is_evidence:
        made.setProperty("tone", "not-evidence")
    stages = ", ".join(f"{context.words(f'stage.{stage}')} {rank}" for stage, rank in evidence.ranks.items())
    if stages:
        made.setToolTip(tip(context.words("answer.found_by", stages=stages)))
    return made


def passage_place(passage: Passage) -> Place:
    """Where a passage stands."""
    return Place(passage.document_id, passage.page, (passage.start, passage.end))


def _card(
    context: UiContext, number: str, where: str, heading: str, text: str, on_click: Callable[[], object],
    beside: QWidget | None = None,
) -> CardButton:
    made = CardButton()
    head = row(gap=7)
    if number:
        chip: QLabel = label(number, "pill")
        chip.setProperty("tone", "accent")
        head.addWidget(chip)
    head.addWidget(ElidedLabel(where, "small-strong", middle=True), 3)
    if heading:
        head.addWidget(ElidedLabel(heading, "small"), 2)
    if beside is not None:
        head.addWidget(beside)
    made.inside.addLayout(head)
    made.add(ClampedLabel(text, 2, ""))
    made.setAccessibleName(" ".join(part for part in (number, where, heading, text[:300]) if part))
    made.clicked.connect(lambda: on_click())
    for child in made.findChildren(QLabel):
        child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return made

