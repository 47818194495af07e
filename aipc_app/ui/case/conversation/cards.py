"""A passage or a quote as a card that opens its page."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from aipc_app.domain.answers import Citation
from aipc_app.domain.documents import Along, Evidence, Force, Passage
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
    if evidence.along is not None:
        return along_card(context, evidence.passage, evidence.along, on_open)
    passage = evidence.passage
    place = passage_place(passage)
    where = where_told(context.words, passage.document, passage.page, passage.page_label)
    heading = _heading(passage)
    why = icon_button(context.words, context.look, "info", "why.open")
    why.clicked.connect(lambda: open_why(why, context, query, evidence))
    force = _force(context, evidence.force)
    made = _card(context, "", where, heading, passage.text, lambda: on_open(place), why, force)
    if not is_evidence:
        made.setProperty("tone", "not-evidence")
    stages = ", ".join(f"{context.words(f'stage.{stage}')} {rank}" for stage, rank in evidence.ranks.items())
    if stages:
        made.setToolTip(tip(context.words("answer.found_by", stages=stages)))
    return made


def along_card(context: UiContext, passage: Passage, why: Along, on_open: Open) -> CardButton:
    """An article that was not found itself: why it comes along, where it stands, its first lines."""
    where = where_told(context.words, passage.document, passage.page, passage.page_label)
    told = context.words(f"along.{why}")
    place = passage_place(passage)
    made = _card(context, "", f"{told} · {where}", _heading(passage), passage.text, lambda: on_open(place))
    made.setToolTip(tip(context.words("along.hint")))
    return made


def passage_place(passage: Passage) -> Place:
    """Where a passage stands."""
    return Place(passage.document_id, passage.page, (passage.start, passage.end))


def _force(context: UiContext, force: Force | None) -> str:
    """What speaks against its being law now."""
    return "" if force is None else context.words(f"force.{force.state}", by=force.by)


def _heading(passage: Passage) -> str:
    return " · ".join(part for part in dict.fromkeys((passage.article, passage.heading)) if part)


def _card(
    context: UiContext, number: str, where: str, heading: str, text: str, on_click: Callable[[], object],
    beside: QWidget | None = None, warning: str = "",
) -> CardButton:
    made = CardButton()
    head = row(gap=7)
    if number:
        chip: QLabel = label(number, "pill")
        chip.setProperty("tone", "accent")
        head.addWidget(chip)
    if warning:
        mark: QLabel = label(warning, "pill")
        mark.setProperty("tone", "warn")
        mark.setToolTip(tip(context.words("force.hint")))
        head.addWidget(mark)
    head.addWidget(ElidedLabel(where, "small-strong", middle=True), 3)
    if heading:
        head.addWidget(ElidedLabel(heading, "small"), 2)
    if beside is not None:
        head.addWidget(beside)
    made.inside.addLayout(head)
    made.add(ClampedLabel(text, 2, ""))
    made.setAccessibleName(" ".join(part for part in (number, warning, where, heading, text[:300]) if part))
    made.clicked.connect(lambda: on_click())
    for child in made.findChildren(QLabel):
        child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    return made

