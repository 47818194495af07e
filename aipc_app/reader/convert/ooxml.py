"""The parts of an Office Open XML file by relationship; tolerant of what the office programs tolerate."""

from __future__ import annotations

import logging
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, parse
from aipc_app.reader.convert.zip_guard import GuardedZip, open_zip
from aipc_app.reader.failure import FailureKind, ReadingError

_LOG = logging.getLogger("aipc.reader")


@dataclass(frozen=True)
class Relation:
    """`kind` is the last word of the relationship's type, `part` the path inside the file it leads to."""

    kind: str
    part: str


class Ooxml:
    """Parts are named as in the zip; every method returns nothing for what isn't there."""

    def __init__(self, archive: GuardedZip) -> None:
        self.archive = archive

    def main(self, default: str) -> str:
        """The part that the file is about."""
        return next(iter(self.related("", "officeDocument")), default)

    def relations(self, part: str) -> dict[str, Relation]:
        """By id; those that lead out of the file are left out."""
        folder, name = posixpath.split(part)
        found: dict[str, Relation] = {}
        for one in children(self.optional(posixpath.join(folder, "_rels", f"{name}.rels")), "Relationship"):
            kind, target, id_ = attribute(one, "Type"), attribute(one, "Target"), attribute(one, "Id")
            if kind and target and id_ and attribute(one, "TargetMode") != "External":
                path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found.setdefault(id_, Relation(kind.rpartition("/")[2], path))
        return found

    def related(self, part: str, kind: str) -> list[str]:
        """Parts of one kind that `part` refers to, in the order written."""
        return [relation.part for relation in self.relations(part).values() if relation.kind == kind]

    def xml(self, part: str | None) -> Element | None:
        """The root of a part. Raises ReadingError: damaged, limit."""
        data = self.archive.read(part) if part else None
        return parse(data) if data else None

    def optional(self, part: str | None) -> Element | None:
        """A part that the text can do without: None when missing or broken."""
        try:
            return self.xml(part)
        except ReadingError as error:
            if error.kind is not FailureKind.DAMAGED:
                raise
            _LOG.info("a part of an office file is damaged and left out")
            return None

    def title(self) -> str:
        core = next(iter(self.related("", "core-properties")), None)
        title = child(self.optional(core), "title")
        return (title.text or "").strip() if title is not None else ""


@contextmanager
def open_ooxml(path: Path) -> Iterator[Ooxml]:
    """Raises ReadingError: damaged, limit."""
    with open_zip(path) as archive:
        yield Ooxml(archive)
