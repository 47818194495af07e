"""EPUB: a page for each chapter file, in reading order."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from aipc_app.reader.convert.base import Content, Source
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.html import declared_charset, html_text
from aipc_app.reader.convert.pages import TextPages
from aipc_app.reader.convert.passwords import protection_unknown
from aipc_app.reader.convert.xml_tree import attribute, child, children, descendants, parse
from aipc_app.reader.convert.zip_guard import GuardedZip, damaged, open_zip

_PAGES = ("application/xhtml+xml", "text/html")


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, unsupported (copy protection)."""
    with open_zip(source.path) as book:
        if b"EncryptedKey" in (book.read("META-INF/encryption.xml") or b""):
            raise protection_unknown()
        container = parse(book.read("META-INF/container.xml") or b"")
        main = next((attribute(one, "full-path") for one in descendants(container, "rootfile")), None) or ""
        package = parse(book.read(main) or b"")
        title = next(descendants(child(package, "metadata"), "title"), None)
        yield TextPages(
            [_text(book, name) for name in _chapters(package, main)],
            title=(title.text or "").strip() if title is not None else "",
        )


def _chapters(package: object, main: str) -> list[str]:
    items = {
        attribute(item, "id"): attribute(item, "href") or ""
        for item in children(child(package, "manifest"), "item")
        if attribute(item, "media-type") in _PAGES
    }
    folder = posixpath.dirname(main)
    found = (items.get(attribute(one, "idref")) for one in children(child(package, "spine"), "itemref"))
    return [posixpath.normpath(posixpath.join(folder, unquote(href))) for href in found if href]


def _text(book: GuardedZip, name: str) -> str:
    data = book.read(name)
    if data is None:
        raise damaged()
    return html_text(decode(data, declared_charset(data), strict=False).text)
