"""How the place of a quote is told."""

from __future__ import annotations

from aipc_app.ui.words import Words


def where_told(words: Words, document: str, page: int, label: str) -> str:
    """Document and page, and the number printed on the page where it is another: that is what a court cites."""
    if label and label != str(page):
        return words("answer.where_printed", document=document, page=page, label=label)
    return words("answer.where", document=document, page=page)
