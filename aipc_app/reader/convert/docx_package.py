"""A DOCX file's parts, by relationship; tolerant of what Word itself tolerates.

python-docx refuses files that Word opens (macro-enabled, strict, with dangling relationships) and unpacks
every picture; reading text needs five XML parts.
"""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from lxml import etree

from aipc_app.reader.convert.zip_guard import GuardedZip, damaged, open_zip
from aipc_app.reader.failure import FailureKind, ReadingError

_LOG = logging.getLogger("aipc.reader")
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


@dataclass(frozen=True)
class Package:
    """Roots of the parts that hold text; None where the document has none."""

    document: Element
    styles: Element | None
    numbering: Element | None
    footnotes: Element | None
    endnotes: Element | None
    title: str


@contextmanager
def open_package(path: Path) -> Iterator[Package]:
    """Raises ReadingError: damaged, limit."""
    with open_zip(path) as archive:
        root = _relations(archive, "")
        main = root.get("officeDocument") or "word/document.xml"
        parts = _relations(archive, main)
        document = _xml(archive, main)
        if document is None:
            raise damaged()
        yield Package(
            document=document,
            styles=_optional(archive, parts.get("styles")),
            numbering=_optional(archive, parts.get("numbering")),
            footnotes=_optional(archive, parts.get("footnotes")),
            endnotes=_optional(archive, parts.get("endnotes")),
            title=_title(_optional(archive, root.get("core-properties"))),
        )


def _relations(archive: GuardedZip, part: str) -> dict[str, str]:
    """Kind of relationship (its type's last word) to the part it leads to, within the file."""
    folder, name = posixpath.split(part)
    relations = _optional(archive, posixpath.join(folder, "_rels", f"{name}.rels"))
    found: dict[str, str] = {}
    for relation in children(relations, "Relationship"):
        kind, target = attribute(relation, "Type"), attribute(relation, "Target")
        if kind and target and attribute(relation, "TargetMode") != "External":
            found.setdefault(kind.rpartition("/")[2], posixpath.normpath(posixpath.join("/", folder, target)))
    return found


def _optional(archive: GuardedZip, name: str | None) -> Element | None:
    """A part that the text can do without: None when missing or broken."""
    try:
        return _xml(archive, name)
    except ReadingError as error:
        if error.kind is not FailureKind.DAMAGED:
            raise
        _LOG.info("a part of a DOCX file is damaged and left out")
        return None


def _xml(archive: GuardedZip, name: str | None) -> Element | None:
    """The root of a part, None when there is none. Raises ReadingError: damaged, limit."""
    data = archive.read(name) if name else None
    if not data:
        return None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root: Element = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise damaged() from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise damaged()  # no word processor writes one; it is how entity bombs come
    return root


def _title(core: Element | None) -> str:
    title = child(core, "title")
    return (title.text or "").strip() if title is not None else ""
