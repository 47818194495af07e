"""HTML as a browser would show it: nothing run, nothing fetched."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from aipc_app.reader.convert.base import Content, OnePage, Source, read_bytes
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.garbled import is_garbled
from aipc_app.reader.convert.lines import tidy
from aipc_app.reader.convert.text import UNCERTAIN

_LOG = logging.getLogger("aipc.reader")
_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{2,40})""")
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f]+")

_DROPPED = frozenset(
    ["script", "style", "template", "noscript", "head", "iframe", "object", "embed", "applet", "svg", "canvas", "audio", "video", "map", "datalist", "select", "textarea", "input"]
)
_BLOCKS = frozenset(
    ["address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul", "caption"]
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS = frozenset({"td", "th"})


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """One page; the title comes first when the body does not begin with it."""
    data = read_bytes(source)
    decoded = decode(data, _declared(data[:4096]))
    _LOG.info("html in %s", decoded.encoding)
    soup = BeautifulSoup(decoded.text, "lxml")
    title = _SPACE.sub(" ", soup.title.get_text()).strip() if soup.title else ""
    text = _with_title(title, tidy(_Walk().text(soup)))
    garbled = is_garbled(text)
    yield OnePage(text, title=title, problem=UNCERTAIN if garbled else "", garbled=garbled)


def _declared(head: bytes) -> str | None:
    found = _DECLARATION.search(head) or _META.search(head)
    name = found.group(1).decode("ascii", "replace").lower() if found else None
    return None if name and name.startswith("utf-16") else name  # bytes that show an ASCII tag are not UTF-16


def _with_title(title: str, body: str) -> str:
    return body if not title or title in body else f"{title}\n\n{body}".strip("\n")


class _Walk:
    """Goes through the tree without recursion: documents may be nested deeper than a stack allows."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._cell_depth = 0

    def text(self, root: Tag) -> str:
        pending: list[tuple[PageElement, bool]] = [(root, False)]
        while pending:
            node, leaving = pending.pop()
            if not isinstance(node, Tag):
                self._string(node)
            elif leaving:
                self._leave(node)
            elif not _is_hidden(node):
                self._enter(node)
                pending.append((node, True))
                pending.extend((child, False) for child in reversed(node.contents))
        return "".join(self._parts)

    def _string(self, node: PageElement) -> None:
        if not isinstance(node, NavigableString) or isinstance(node, PreformattedString):
            return  # comments, declarations
        if self._cell_depth == 0 and node.find_parent("pre") is not None:
            self._parts.append(str(node))
            return
        text = _SPACE.sub(" ", str(node))
        if text.startswith(" ") and (not self._parts or self._parts[-1].endswith((" ", "\n"))):
            text = text[1:]
        if text:
            self._parts.append(text)

    def _enter(self, node: Tag) -> None:
        if node.name in _CELLS:
            if node.find_previous_sibling(_CELLS_LIST) is not None:
                self._parts.append(" | ")
            self._cell_depth += 1
        elif node.name == "li" and not self._cell_depth:
            self._line()
            self._parts.append(_number(node))
        elif node.name in _BLOCKS or node.name in _HEADINGS:
            self._break(node)

    def _leave(self, node: Tag) -> None:
        if node.name in _CELLS:
            self._cell_depth -= 1
        elif node.name == "br":
            self._parts.append(" " if self._cell_depth else "\n")
        elif node.name == "hr":
            self._paragraph()
        elif node.name in _BLOCKS or node.name in _HEADINGS:
            self._break(node)

    def _break(self, node: Tag) -> None:
        if self._cell_depth:
            self._space()
        elif node.name in _HEADINGS or node.name in ("p", "table", "blockquote", "pre"):
            self._paragraph()
        else:
            self._line()

    def _space(self) -> None:
        if self._parts and not self._parts[-1].endswith((" ", "\n")):
            self._parts.append(" ")

    def _line(self) -> None:
        if self._parts and not self._parts[-1].endswith("\n"):
            self._parts.append("\n")

    def _paragraph(self) -> None:
        self._line()
        if self._parts:
            self._parts.append("\n")


_CELLS_LIST = sorted(_CELLS)


def _is_hidden(node: Tag) -> bool:
    if node.name in _DROPPED:
        return True
    return node.has_attr("hidden") or bool(_HIDING.search(str(node.get("style") or "")))


def _number(item: Tag) -> str:
    """What a browser writes before an item of a numbered list."""
    listing = item.parent
    if listing is None or listing.name != "ol":
        return ""
    start = str(listing.get("start") or "1")
    first = int(start) if re.fullmatch(r"-?\d{1,6}", start) else 1
    return f"{first + len(item.find_previous_siblings('li'))}. "
