"""The visible text of an HTML tree: blocks on lines of their own, tables as rows, spaces collapsed."""

from __future__ import annotations

import re

from aipc_app.reader.convert.grid import CELL
from aipc_app.reader.convert.xml_tree import Element

_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f]+")
_INTEGER = re.compile(r"-?\d{1,6}")
_DROPPED = frozenset(
    (
        *("script", "style", "template", "noscript", "head", "iframe", "object", "embed", "applet", "svg", "canvas"),
        *("audio", "video", "map", "datalist", "select", "textarea", "input"),
    )
)
_LINES = frozenset(
    (
        *("html", "body", "main", "header", "footer", "nav", "aside", "section", "article", "hgroup", "address"),
        *("div", "center", "figure", "figcaption", "details", "summary", "dialog", "form", "fieldset", "legend"),
        *("ol", "ul", "dl", "dt", "dd", "dir", "menu", "caption", "thead", "tbody", "tfoot", "tr", "li"),
    )
)
_PARAGRAPHS = frozenset(("p", "table", "blockquote", "pre", "h1", "h2", "h3", "h4", "h5", "h6"))
_CELLS = frozenset(("td", "th"))


def visible_text(root: Element) -> str:
    """Without scripts, styles and what is hidden; to be tidied by the caller."""
    return _Walk().text(root)


def collapsed(text: str) -> str:
    """Runs of white space as one space, as HTML means them."""
    return _SPACE.sub(" ", text)


class _Walk:
    """Goes through the tree without recursion: documents may be nested deeper than a stack allows."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._last = "\n"  # the last character written
        self._cells = self._pre = 0  # how many of them we are in
        self._row_started: list[bool] = []
        self._numbers: list[int | None] = []  # for each open list its next number, None when it has none

    def text(self, root: Element) -> str:
        pending: list[tuple[Element, bool]] = [(root, False)]
        while pending:
            element, leaving = pending.pop()
            if leaving:
                self._leave(element.tag)
                self._string(element.tail)
            elif not isinstance(element.tag, str) or _is_hidden(element):
                self._string(element.tail)
            else:
                self._enter(element)
                self._string(element.text)
                pending.append((element, True))
                pending.extend((child, False) for child in reversed(element))
        return "".join(self._parts)

    def _write(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._last = text[-1]

    def _string(self, text: str | None) -> None:
        if not text:
            return
        if not self._pre or self._cells:
            text = collapsed(text)
            if self._last in " \n":
                text = text.removeprefix(" ")
        self._write(text)

    def _enter(self, element: Element) -> None:
        tag = element.tag
        if tag in _CELLS:
            self._cell()
        elif tag == "br":
            self._write(" " if self._cells else "\n")
        else:
            self._break(tag)
            if tag == "tr":
                self._row_started.append(False)
            elif tag in ("ol", "ul"):
                self._numbers.append(_start(element) if tag == "ol" else None)
            elif tag == "li":
                self._number()
            elif tag == "pre":
                self._pre += 1

    def _leave(self, tag: str) -> None:
        if tag in _CELLS:
            self._cells -= 1
        elif tag == "tr":
            self._row_started.pop()
        elif tag in ("ol", "ul"):
            self._numbers.pop()
        elif tag == "pre":
            self._pre -= 1
        self._break(tag)

    def _cell(self) -> None:
        if self._row_started and self._row_started[-1]:
            self._write(CELL.lstrip() if self._last == " " else CELL)
        elif self._row_started:
            self._row_started[-1] = True
        self._cells += 1

    def _number(self) -> None:
        """What a browser writes before an item of a numbered list."""
        number = self._numbers[-1] if self._numbers else None
        if number is not None:
            self._numbers[-1] = number + 1
            self._write(f"{number}. ")

    def _break(self, tag: str) -> None:
        if tag not in _LINES and tag not in _PARAGRAPHS and tag != "hr":
            return
        if self._cells:
            self._write("" if self._last in " \n" else " ")
        else:
            self._write("" if self._last == "\n" else "\n")
            self._write("\n" if tag not in _LINES else "")


def _is_hidden(element: Element) -> bool:
    if element.tag in _DROPPED or element.get("hidden") is not None:
        return True
    style = element.get("style")
    return style is not None and _HIDING.search(style) is not None


def _start(listing: Element) -> int:
    start = listing.get("start") or ""
    return int(start) if _INTEGER.fullmatch(start) else 1
