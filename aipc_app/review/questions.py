"""The user's own questions as templates: one question of each document, or many of the whole case. Pure.

They run, resume, prove, export and compare as any review does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from aipc_app.domain.documents import Document
from aipc_app.domain.exporting import Typography
from aipc_app.domain.review import DocumentRule, Item, ItemType, Section, Template, Words
from aipc_app.review.wording import said

EACH, LIST = "each", "list"
_SHOWN_CHARACTERS = 80


def of_each_document(question: str, documents: Sequence[Document]) -> Template:
    """An item a document, named after it, that reads it alone."""
    items = tuple(
        Item(
            id=f"document_{document.id}",
            label=_same(document.name),
            question=_same(question),
            documents=(f"document_{document.id}",),
        )
        for document in documents
    )
    rules = {f"document_{document.id}": DocumentRule(ids=(document.id,)) for document in documents}
    return _template(EACH, question, question, items, rules)


def of_the_case(questions: Sequence[str]) -> Template:
    """An item a question, over all documents of the case."""
    items = tuple(
        Item(id=f"question_{number}", label=_same(text), question=_same(text), type=ItemType.TEXT)
        for number, text in enumerate(questions, 1)
    )
    return _template(LIST, questions[0], "\n".join(questions), items, {})


def _template(kind: str, title: str, asked: str, items: tuple[Item, ...], rules: dict[str, DocumentRule]) -> Template:
    """Its id comes from what is asked, so that asking the same again goes on with it; its hash from the items too, so
    that a document that came since makes it another one, which takes over what is done."""
    digest = hashlib.sha256(asked.encode()).hexdigest()
    whole = hashlib.sha256("\n".join((asked, *(item.id for item in items))).encode()).hexdigest()
    shown = title if len(title) <= _SHOWN_CHARACTERS else f"{title[:_SHOWN_CHARACTERS]}…"
    return Template(
        id=f"{kind}-{digest[:12]}",
        title=_same(shown),
        about=Words(zh=said(kind, "zh"), en=said(kind, "en")),
        notice=Words(zh=said("questions_notice", "zh"), en=said("questions_notice", "en")),
        sections=(Section(title=Words(zh=said(kind, "zh"), en=said(kind, "en")), items=items),),
        typography=Typography.PLAIN,
        documents=rules,
        hash=whole,
    )


def _same(text: str) -> Words:
    """The user's own words in either language."""
    return Words(zh=text, en=text)
