"""Messages between the desktop and a reader. Framing: engine.wire."""

from __future__ import annotations

from msgspec import Struct

from aipc_app.domain.documents import Page
from aipc_app.domain.exporting import DocumentPlan, ExportFormat
from engine.wire.child import Hello


class ReadLimits(Struct, frozen=True, kw_only=True):
    """What one file may cost. Time is kept by the parent, the rest by the reader."""

    seconds: float = 300.0
    memory_bytes: int = 2 << 30
    pages: int = 20_000
    text_chars: int = 50_000_000


class ReadFile(Struct, frozen=True, tag=True):
    """Read every page of `path`; `name` tells the format by its extension (content decides in doubt)."""

    id: int
    path: str
    name: str
    password: str | None = None
    limits: ReadLimits = ReadLimits()
    work_folder: str | None = None  # the request's own, emptied by who asked; files inside this one are put there
    take_members: bool = False  # else the files inside are only counted


class RenderPage(Struct, frozen=True, tag=True):
    """Draw one page. `scale` is pixels per point."""

    id: int
    path: str
    name: str
    page: int
    scale: float
    password: str | None = None


class RecognisePage(Struct, frozen=True, tag=True):
    """Read one page from its picture, whatever text the file has for it."""

    id: int
    path: str
    name: str
    page: int
    password: str | None = None
    limits: ReadLimits = ReadLimits()


class WriteDocument(Struct, frozen=True, tag=True):
    """Write `plan` to the file `path`, all of it or nothing; a file that is there is replaced.

    `draft`: where it is written first, on the same disk.
    """

    id: int
    plan: DocumentPlan
    path: str
    draft: str
    format: ExportFormat


class CancelRead(Struct, frozen=True, tag=True):
    id: int


ReaderRequest = ReadFile | RenderPage | RecognisePage | WriteDocument | CancelRead


class Opened(Struct, frozen=True, tag=True):
    """The file could be opened. `pages` is 0 when not known before reading."""

    id: int
    pages: int
    has_layout: bool


class PageRead(Struct, frozen=True, tag=True):
    """`recognition_s`: what text recognition took; a long scan is slow, not stuck, so it doesn't count as time over."""

    id: int
    page: Page
    recognition_s: float = 0.0

    @property
    def problem(self) -> str:
        """Why this page is not simply good text."""
        return self.page.problem


class PictureRead(Struct, frozen=True, tag=True):
    """A picture inside the page that is being read was recognised; `share` of the page is done, from 0 to 1."""

    id: int
    recognition_s: float
    share: float


class MemberFound(Struct, frozen=True, tag=True):
    """A file inside the file: an attachment, a file of an archive. `name` is its path in there, with "/".

    `path` is where its bytes were written; "" when it was not taken, and `problem` says why.
    """

    id: int
    name: str
    path: str = ""
    problem: str = ""


class FileRead(Struct, frozen=True, tag=True):
    """The end of a file: every page was sent."""

    id: int
    pages: int
    title: str = ""
    encoding: str = ""  # of text: as detected
    members: int = 0  # files inside it, taken or not


class PageRendered(Struct, frozen=True, tag=True):
    """An RGB image, 3 bytes a pixel, rows of exactly width × 3 bytes."""

    id: int
    width: int
    height: int
    pixels: bytes


class PageRecognised(Struct, frozen=True, tag=True):
    id: int
    page: Page


class DocumentWritten(Struct, frozen=True, tag=True):
    """`size` in bytes."""

    id: int
    size: int


class ReadFailed(Struct, frozen=True, tag=True):
    """`kind` is one of: unsupported, password, limit, damaged, cancelled, error. `reason` is for a person."""

    id: int
    kind: str
    reason: str


ReaderReply = (
    Hello
    | Opened
    | PageRead
    | PictureRead
    | MemberFound
    | FileRead
    | PageRendered
    | PageRecognised
    | DocumentWritten
    | ReadFailed
)
