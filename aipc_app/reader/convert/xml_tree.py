"""XML parts of documents: parsed without entities, document types or the network; read by local names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import IO, Any, TypeAlias

from lxml import etree

from aipc_app.reader.convert.zip_guard import damaged

Element: TypeAlias = Any  # lxml has no type hints of its own


def local(element: Element) -> str:
    """The tag without its namespace: transitional and strict documents differ in nothing else."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str) -> str | None:
    """An attribute by its local name."""
    if element is None:
        return None
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return None


def child(element: Element | None, *path: str) -> Element | None:
    """The first descendant along local names."""
    for name in path:
        if element is None:
            return None
        element = next((c for c in element if local(c) == name), None)
    return element


def children(element: Element | None, name: str) -> list[Element]:
    """Children by local name; none of None."""
    return [] if element is None else [c for c in element if local(c) == name]


def descendants(element: Element | None, name: str) -> Iterator[Element]:
    """All below it by local name, in document order."""
    if element is not None:
        yield from element.iter(f"{{*}}{name}")


def number(text: str | None, default: int = 0) -> int:
    """A whole number as XML writes it; `default` for none and for nonsense."""
    try:
        return int(text) if text is not None else default
    except ValueError:
        return default


def parse(data: bytes) -> Element:
    """The root. Raises ReadingError (damaged), also for a document type, which is how entity bombs come."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root: Element = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise damaged() from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise damaged()
    return root


def stream(file: IO[bytes], tags: Collection[str]) -> Iterator[Element]:
    """Each finished element with one of these local names, then forgotten: for parts larger than memory.

    Elements that lie in another wanted one come first and are empty when the outer one comes. Raises like `parse`.
    """
    events = etree.iterparse(
        file, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for number_, (event, element) in enumerate(events):
            if number_ == 0 and element.getroottree().docinfo.internalDTD is not None:
                raise damaged()
            if event == "end" and local(element) in tags:
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise damaged() from error
