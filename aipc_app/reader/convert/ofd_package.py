"""The parts of an OFD file (GB/T 33190): which document, which pages, which resources."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from aipc_app.reader.convert.base import Source
from aipc_app.reader.convert.xml_tree import Element, attribute, child, children, descendants, parse
from aipc_app.reader.convert.zip_guard import GuardedZip, damaged, open_zip
from aipc_app.reader.failure import FailureKind, ReadingError

POINTS_PER_MM = 72 / 25.4
_A4 = (0.0, 0.0, 210.0, 297.0)
_LARGEST_SIDE = 10_000.0  # millimetres
_MOST_TEMPLATES = 16

Rectangle = tuple[float, float, float, float]  # left, top, width, height in millimetres


@dataclass(frozen=True)
class Part:
    """An XML part and the folder its references start from."""

    root: Element
    folder: str


@dataclass(frozen=True)
class Font:
    """`file`: the part with the font itself, "" when the reading PC must have one."""

    name: str
    file: str = ""


@dataclass(frozen=True)
class OfdPage:
    """`parts`: templates below, its own content, templates above. `seals`: where, and the part with the picture."""

    area: Rectangle
    parts: tuple[Part, ...]
    annotations: tuple[Element, ...] = ()
    seals: tuple[tuple[Rectangle, str], ...] = ()
    damaged: bool = False


@dataclass(frozen=True)
class Attachment:
    name: str
    part: str


@dataclass
class OfdDocument:
    """One opened document with what its pages refer to, by id."""

    package: GuardedZip
    title: str = ""
    fonts: dict[str, Font] = field(default_factory=dict)
    media: dict[str, str] = field(default_factory=dict)
    drawing: dict[str, Element] = field(default_factory=dict)
    composites: dict[str, Element] = field(default_factory=dict)
    pages: list[OfdPage] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    signatures: int = 0


@contextmanager
def open_ofd(source: Source) -> Iterator[OfdDocument]:
    """The first document of the file. Raises ReadingError: damaged, password, limit."""
    with open_zip(source.path) as package:
        if any(name.endswith("encryptions.xml") for name in package.names):
            raise ReadingError(
                FailureKind.UNSUPPORTED,
                "This OFD file is encrypted and can't be opened here; add a copy saved without encryption.",
            )
        yield _document(package)


def _document(package: GuardedZip) -> OfdDocument:
    start = part(package, "OFD.xml")
    body = child(start.root, "DocBody") if start else None
    location = text_of(child(body, "DocRoot"))
    if start is None or not location:
        raise damaged()
    root = part(package, resolve(start.folder, location))
    if root is None:
        raise damaged()
    document = OfdDocument(package, title=text_of(child(body, "DocInfo", "Title")))
    common = child(root.root, "CommonData")
    for name in ("PublicRes", "DocumentRes"):
        for one in children(common, name):
            _resources(document, part(package, resolve(root.folder, text_of(one))))
    seals = _signatures(document, start, body)
    _pages(document, root, common, seals)
    _attachments(document, root)
    return document


def _resources(document: OfdDocument, res: Part | None) -> None:
    if res is None:
        return
    folder = resolve(res.folder, attribute(res.root, "BaseLoc") or "")
    for font in descendants(res.root, "Font"):
        file = text_of(child(font, "FontFile"))
        name = attribute(font, "FontName") or attribute(font, "FamilyName") or ""
        document.fonts[attribute(font, "ID") or ""] = Font(name, resolve(folder, file) if file else "")
    for media in descendants(res.root, "MultiMedia"):
        if (attribute(media, "Type") or "Image").lower() == "image":
            document.media[attribute(media, "ID") or ""] = resolve(folder, text_of(child(media, "MediaFile")))
    for params in descendants(res.root, "DrawParam"):
        document.drawing[attribute(params, "ID") or ""] = params
    for unit in descendants(res.root, "CompositeGraphicUnit"):
        document.composites[attribute(unit, "ID") or ""] = unit


def _pages(document: OfdDocument, root: Part, common: Element, seals: dict[str, list[tuple[Rectangle, str]]]) -> None:
    usual = _area(child(common, "PageArea"), _A4)
    templates = {
        attribute(one, "ID") or "": resolve(root.folder, attribute(one, "BaseLoc") or "")
        for one in children(common, "TemplatePage")
    }
    notes = _annotations(document, root)
    for page in children(child(root.root, "Pages"), "Page"):
        number = attribute(page, "ID") or ""
        found = _part_or_none(document.package, resolve(root.folder, attribute(page, "BaseLoc") or ""))
        if found is None:
            document.pages.append(OfdPage(usual, (), damaged=True))
            continue
        below, above = _templates(document, found, templates)
        document.pages.append(
            OfdPage(
                _area(child(found.root, "Area"), usual), (*below, found, *above),
                tuple(notes.get(number, ())), tuple(seals.get(number, ())),
            )
        )  # fmt: skip


def _templates(document: OfdDocument, page: Part, templates: dict[str, str]) -> tuple[list[Part], list[Part]]:
    below: list[Part] = []
    above: list[Part] = []
    for one in children(page.root, "Template")[:_MOST_TEMPLATES]:
        location = templates.get(attribute(one, "TemplateID") or "")
        found = _part_or_none(document.package, location) if location else None
        if found is not None:
            (above if attribute(one, "ZOrder") == "Foreground" else below).append(found)
    return below, above


def _annotations(document: OfdDocument, root: Part) -> dict[str, list[Element]]:
    notes: dict[str, list[Element]] = {}
    for location in children(root.root, "Annotations"):
        listed = _part_or_none(document.package, resolve(root.folder, text_of(location)))
        if listed is None:
            continue
        for page in children(listed.root, "Page"):
            file = text_of(child(page, "FileLoc"))
            found = _part_or_none(document.package, resolve(listed.folder, file))
            if found is not None:
                shown = [note for note in children(found.root, "Annot") if attribute(note, "Visible") != "false"]
                appearances = [child(note, "Appearance") for note in shown]
                notes.setdefault(attribute(page, "PageID") or "", []).extend(a for a in appearances if a is not None)
    return notes


def _signatures(document: OfdDocument, start: Part, body: Element) -> dict[str, list[tuple[Rectangle, str]]]:
    """Where seals stand on pages, with the part that holds their picture. Whether they are valid is not checked."""
    seals: dict[str, list[tuple[Rectangle, str]]] = {}
    for location in children(body, "Signatures"):
        listed = _part_or_none(document.package, resolve(start.folder, text_of(location)))
        if listed is None:
            continue
        for one in children(listed.root, "Signature"):
            document.signatures += 1
            found = _part_or_none(document.package, resolve(listed.folder, attribute(one, "BaseLoc") or ""))
            if found is None:
                continue
            value = resolve(found.folder, text_of(child(found.root, "SignedValue")))
            seal = text_of(child(found.root, "SignedInfo", "Seal", "BaseLoc"))
            for stamp in descendants(found.root, "StampAnnot"):
                box = numbers(attribute(stamp, "Boundary"))
                if len(box) == 4:
                    where = (box[0], box[1], box[2], box[3])
                    file = resolve(found.folder, seal) if seal else value
                    seals.setdefault(attribute(stamp, "PageRef") or "", []).append((where, file))
    return seals


def _attachments(document: OfdDocument, root: Part) -> None:
    for location in children(root.root, "Attachments"):
        listed = _part_or_none(document.package, resolve(root.folder, text_of(location)))
        if listed is None:
            continue
        for one in children(listed.root, "Attachment"):
            file = text_of(child(one, "FileLoc"))
            if file:
                where = resolve(listed.folder, file)
                name = attribute(one, "Name") or posixpath.basename(where)
                format_ = attribute(one, "Format") or posixpath.splitext(where)[1].lstrip(".")
                whole = name if "." in name or not format_ else f"{name}.{format_.lower()}"
                document.attachments.append(Attachment(whole, where))


def part(package: GuardedZip, name: str) -> Part | None:
    """Raises ReadingError when it is there and damaged."""
    data = package.read(name)
    return None if data is None else Part(parse(data), posixpath.dirname(name))


def _part_or_none(package: GuardedZip, name: str) -> Part | None:
    """A part without which the rest can still be read."""
    try:
        return part(package, name)
    except ReadingError:
        return None


def resolve(folder: str, location: str) -> str:
    """A location inside the package; nothing reaches out of it."""
    location = location.strip().replace("\\", "/")
    whole = location if location.startswith("/") else posixpath.join("/", folder, location)
    return posixpath.normpath(whole).lstrip("/")


def text_of(element: Element | None) -> str:
    return "" if element is None else (element.text or "").strip()


def numbers(text: str | None) -> list[float]:
    """Numbers between spaces; [] for nonsense."""
    try:
        values = [float(word) for word in (text or "").replace(",", " ").split()]
    except ValueError:
        return []
    return values if all(abs(value) < 1e7 for value in values) else []


def _area(element: Element | None, usual: Rectangle) -> Rectangle:
    """What a printer would print: the physical page."""
    for name in ("PhysicalBox", "ApplicationBox"):
        box = numbers(text_of(child(element, name)))
        if len(box) == 4 and 1 <= box[2] <= _LARGEST_SIDE and 1 <= box[3] <= _LARGEST_SIDE:
            return box[0], box[1], box[2], box[3]
    return usual
