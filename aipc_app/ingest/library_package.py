"""The file that carries a whole law library: `.aipclib`, a zip of what was read, its vectors and its originals.

    manifest.json         the Manifest: what made it, and size and sha256 of every other entry
    documents.jsonl       one PackedDocument a line, in the library's order
    vectors.f32           a row of little-endian float32 for every passage, in the order of the documents' passages
    originals/SHA256      the bytes of each document

Nothing of a package is believed before `verified` has read it to its end.
"""

from __future__ import annotations

import array
import hashlib
import math
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from aipc_app.domain.documents import DocumentStatus, Page, PassageDraft
from aipc_app.domain.fields import DocumentField
from aipc_app.errors import UserMistake

VERSION = 1
INDEXING = 1  # counts up when passages get other words or facts from the same text
MANIFEST, DOCUMENTS, VECTORS, ORIGINALS = "manifest.json", "documents.jsonl", "vectors.f32", "originals/"
FLOAT_BYTES = 4
CHUNK = 1 << 20
_FORMAT = "aipclib"
_LARGEST_MANIFEST, _LONGEST_LINE = 64 << 20, 256 << 20
_NORM_TOLERANCE = 1e-2
Check = Callable[[float], None]
Kind = TypeVar("Kind", bound=Struct)


class PackageDamaged(UserMistake):
    """The file is no whole package; nothing of it was taken."""


class Entry(Struct, frozen=True, kw_only=True):
    """What an entry of the zip must be."""

    bytes: int
    sha256: str


class Manifest(Struct, frozen=True, kw_only=True):
    """`embedder`: whose vectors these are; "" when there are none. `indexing`: how words and facts were made."""

    format: str
    version: int
    program: str
    indexing: int
    embedder: str
    dimensions: int
    documents: int
    passages: int
    entries: dict[str, Entry]


class PackedPassage(Struct, frozen=True, array_like=True):
    """A passage of a page, whose text it is from start to end; with its words and facts as they are indexed."""

    page: int
    start: int
    end: int
    heading: str | None
    article: str | None
    tokens: str
    facts: tuple[tuple[str, str], ...]


class PackedDocument(Struct, frozen=True, kw_only=True):
    """A document of the library as it was read."""

    name: str
    sha256: str
    size: int
    status: DocumentStatus
    reason: str | None
    has_layout: bool
    encoding: str
    pages: tuple[Page, ...]
    fields: tuple[DocumentField, ...]
    passages: tuple[PackedPassage, ...]

    def drafts(self) -> tuple[PassageDraft, ...]:
        """The passages with their text. Raises PackageDamaged for a place that isn't there."""
        texts = {page.number: page.text for page in self.pages}
        return tuple(_draft(passage, texts.get(passage.page, "")) for passage in self.passages)


class Package:
    """An open package. Use as a context manager; not from two threads at once."""

    def __init__(self, path: Path) -> None:
        """Read the manifest alone. Raises PackageDamaged, UserMistake when the file can't be read."""
        self.path = path
        with telling(path):
            if not path.is_file():
                raise UserMistake(f"There is no file '{path.name}'; check its place.")
            if not zipfile.is_zipfile(path):
                raise PackageDamaged(f"'{path.name}' is no law library package, or it is cut off; get it again.")
            self._zip = zipfile.ZipFile(path)
            try:
                self.manifest = self._read_manifest()
            except BaseException:
                self._zip.close()
                raise

    def __enter__(self) -> Package:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def verified(self, check: Check) -> None:
        """Read everything once and compare it with the manifest. `check` gets the share done, and may raise.

        Raises PackageDamaged; nothing was written anywhere by then.
        """
        total = sum(entry.bytes for entry in self.manifest.entries.values())
        done = 0
        with telling(self.path):
            for name, entry in self.manifest.entries.items():
                digest = hashlib.sha256()
                for chunk in self._chunks(name):
                    digest.update(chunk)
                    done += len(chunk)
                    check(done / max(1, total))
                if digest.hexdigest() != entry.sha256:
                    raise damaged()  # a part is not what it was
            self._check_documents()
            self._check_vectors()

    def documents(self) -> Iterator[tuple[PackedDocument, bytes]]:
        """Each document with its passages' vectors, b"" when the package has none."""
        width = self.manifest.dimensions * FLOAT_BYTES
        with telling(self.path), self._zip.open(VECTORS) as vectors:
            for document in self._lines():
                yield document, vectors.read(width * len(document.passages)) if width else b""

    def copy_original(self, sha256: str, target: Path) -> None:
        """Write a document's bytes into a file."""
        with telling(self.path), target.open("wb") as sink:
            for chunk in self._chunks(ORIGINALS + sha256):
                sink.write(chunk)

    def _read_manifest(self) -> Manifest:
        listed = self._zip.infolist()
        infos = {info.filename: info for info in listed}
        if MANIFEST not in infos or infos[MANIFEST].file_size > _LARGEST_MANIFEST:
            raise PackageDamaged(f"'{self.path.name}' is a zip, but no law library package.")
        manifest = decoded(self._zip.read(MANIFEST), Manifest)
        if manifest.format != _FORMAT:
            raise PackageDamaged(f"'{self.path.name}' is a zip, but no law library package.")
        if manifest.version != VERSION:
            raise UserMistake(f"'{self.path.name}' was made by another version of this program; install that version.")
        expected = {MANIFEST: infos[MANIFEST].file_size, **{n: e.bytes for n, e in manifest.entries.items()}}
        if {name: info.file_size for name, info in infos.items()} != expected or len(listed) != len(infos):
            raise damaged()  # its list of parts is not what is in it
        return manifest

    def _chunks(self, name: str) -> Iterator[bytes]:
        with self._zip.open(name) as stream:
            while chunk := stream.read(CHUNK):
                yield chunk

    def _lines(self) -> Iterator[PackedDocument]:
        with self._zip.open(DOCUMENTS) as lines:
            while line := lines.readline(_LONGEST_LINE):
                yield decoded(line, PackedDocument)

    def _check_documents(self) -> None:
        documents = passages = 0
        seen = set()
        for document in self._lines():
            _check_document(document)
            if ORIGINALS + document.sha256 not in self.manifest.entries or document.sha256 in seen:
                raise damaged()  # a document is not in it, or twice
            seen.add(document.sha256)
            documents, passages = documents + 1, passages + len(document.passages)
        found = (documents, passages, {MANIFEST, DOCUMENTS, VECTORS, *(ORIGINALS + sha256 for sha256 in seen)})
        if found != (self.manifest.documents, self.manifest.passages, {MANIFEST, *self.manifest.entries}):
            raise damaged()  # documents are missing
        for sha256 in seen:
            if self.manifest.entries[ORIGINALS + sha256].sha256 != sha256:
                raise damaged()  # a document's bytes are another's

    def _check_vectors(self) -> None:
        width = self.manifest.dimensions * FLOAT_BYTES
        if (width > 0) != bool(self.manifest.embedder) or width < 0:
            raise damaged()  # its vectors are of no known kind
        if self.manifest.entries[VECTORS].bytes != width * self.manifest.passages:
            raise damaged()  # vectors are missing
        with self._zip.open(VECTORS) as stream:
            while width and (row := stream.read(width)):
                if not abs(math.hypot(*floats(row)) - 1.0) < _NORM_TOLERANCE:  # not a number fails too
                    raise damaged()  # a vector is none


class PackageWriter:
    """Writes a package; `finish` is what makes it one."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self._entries: dict[str, Entry] = {}

    def __enter__(self) -> PackageWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def write(self, name: str, chunks: Iterator[bytes]) -> None:
        """One entry. Vectors are kept as they are: they don't get smaller."""
        info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_STORED if name == VECTORS else zipfile.ZIP_DEFLATED
        digest, size = hashlib.sha256(), 0
        with self._zip.open(info, "w", force_zip64=True) as sink:
            for chunk in chunks:
                digest.update(chunk)
                size += len(chunk)
                sink.write(chunk)
        self._entries[name] = Entry(bytes=size, sha256=digest.hexdigest())

    def finish(self, *, program: str, embedder: str, dimensions: int, documents: int, passages: int) -> None:
        manifest = Manifest(
            format=_FORMAT, version=VERSION, program=program, indexing=INDEXING, embedder=embedder,
            dimensions=dimensions, documents=documents, passages=passages, entries=self._entries,
        )  # fmt: skip
        self._zip.writestr(MANIFEST, msgspec.json.encode(manifest))


def damaged() -> PackageDamaged:
    """What there is to say: which part is broken helps nobody."""
    return PackageDamaged("The law library package is damaged; get it again.")


def decoded(data: bytes, kind: type[Kind]) -> Kind:
    """Raises PackageDamaged for what doesn't fit."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise damaged() from error  # a part can't be read


def floats(row: bytes) -> array.array[float]:
    """Little-endian float32."""
    values = array.array("f", row)
    if sys.byteorder == "big":
        values.byteswap()
    return values


@contextmanager
def telling(path: Path) -> Iterator[None]:
    """What zip and disk say about a file becomes a sentence."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise damaged() from error  # its zip is broken
    except OSError as error:
        raise UserMistake(f"'{path.name}' can't be read ({error.strerror}); check that it is readable.") from error


def _check_document(document: PackedDocument) -> None:
    if not document.status.readable or len({page.number for page in document.pages}) != len(document.pages):
        raise damaged()  # a document was not read to its end
    document.drafts()


def _draft(passage: PackedPassage, page: str) -> PassageDraft:
    text = page[passage.start : passage.end]
    if not text or passage.start < 0 or len(text) != passage.end - passage.start:
        raise damaged()  # a passage is not on its page
    return PassageDraft(
        page=passage.page, start=passage.start, end=passage.end, text=text,
        heading=passage.heading, article=passage.article,
    )  # fmt: skip
