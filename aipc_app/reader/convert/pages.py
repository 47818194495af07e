"""Pages of formats without a layout: text, or a reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aipc_app.domain.documents import Page, PageState
from aipc_app.reader.convert.base import ReadPage
from aipc_app.reader.convert.garbled import is_garbled
from aipc_app.reader.convert.lines import tidy
from aipc_app.reader.failure import FailureKind, ReadingError

NO_TEXT = "There is no text in it."
ONLY_PICTURES = "There are only pictures in it; save it as PDF and add that, so that the text in them is read."
UNCERTAIN = "its encoding could not be told; save it as UTF-8 and add it again"


def text_page(number: int, text: str, *, empty: str = NO_TEXT) -> ReadPage:
    """A tidied page of text; `empty` says why it has none."""
    text = tidy(text)
    if not text.strip():
        return ReadPage(Page(number=number, text="", state=PageState.EMPTY), empty)
    if is_garbled(text):
        return ReadPage(Page(number=number, text=text, state=PageState.GARBLED), UNCERTAIN)
    return ReadPage(Page(number=number, text=text, state=PageState.TEXT))


def sheet_text(name: str, lines: Sequence[str], boxes: Sequence[str] = ()) -> str:
    """A spreadsheet's page: the sheet's name, its rows, the text boxes on it; "" when there is only the name."""
    blocks = ["\n".join(lines).strip("\n"), *boxes]
    body = "\n\n".join(block for block in blocks if block)
    return f"{name}\n\n{body}" if body else ""


def check_length(chars: int, most: int) -> None:
    """Raises ReadingError (limit) before text that is too much is put together."""
    if chars > most:
        raise ReadingError(FailureKind.LIMIT, "This file holds too much text to be read; split it.")


@dataclass(frozen=True)
class TextPages:
    """The content of a file whose pages are all at hand. `encoding`: as detected, "" where the format fixes it."""

    texts: Sequence[str]
    title: str = ""
    encoding: str = ""
    has_layout: bool = False

    @property
    def count(self) -> int:
        return len(self.texts)

    def pages(self) -> Iterator[ReadPage]:
        for number, text in enumerate(self.texts, 1):
            yield text_page(number, text)
