"""What every converter takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable

from aipc_app.domain.documents import Page, PageState
from aipc_app.domain.reader_wire import ReadLimits
from aipc_app.reader.failure import FailureKind, ReadingError


@dataclass(frozen=True)
class Source:
    """A file to read. `name` is the user's name of it; `path` may have none of its extension.

    `work_folder` is for what must be a file on the way; None: the system's folder for such. `picture_read` is to be
    called after each picture recognised inside a page, with the seconds it took and the share of the page that is
    done; it raises ReadingError when the user wants no more.
    """

    path: Path
    name: str
    password: str | None = None
    limits: ReadLimits = field(default_factory=ReadLimits)
    work_folder: Path | None = None
    picture_read: Callable[[float, float], None] = lambda _seconds, _share: None

    @property
    def extension(self) -> str:
        """In lower case, without the dot."""
        return Path(self.name).suffix.lower().lstrip(".")


@dataclass(frozen=True)
class ReadPage:
    """A page and, when it is not good text, why."""

    page: Page
    problem: str = ""


class Content(Protocol):
    """An opened file. `pages()` is lazy: what it yields is sent before the next page is read."""

    @property
    def count(self) -> int: ...

    @property
    def has_layout(self) -> bool: ...

    @property
    def title(self) -> str: ...

    def pages(self) -> Iterator[ReadPage]: ...


@dataclass(frozen=True)
class Member:
    """A file inside another: an attachment, a file of an archive. `name` is its path in there, with "/".

    `write` puts its bytes into a file and raises ReadingError when that can't be done; `problem` says why it is not
    taken at all.
    """

    name: str
    write: Callable[[BinaryIO], None] | None = None
    problem: str = ""


@runtime_checkable
class Container(Protocol):
    """Content with files inside that become documents of their own. `members()` is lazy too."""

    @property
    def member_count(self) -> int: ...

    def members(self) -> Iterator[Member]: ...


class Converter(Protocol):
    """Opens one format family. Raises ReadingError, for the file as a whole."""

    def __call__(self, source: Source) -> AbstractContextManager[Content]: ...


@dataclass(frozen=True)
class OnePage:
    """The content of formats that have no pages of their own."""

    text: str
    title: str = ""
    problem: str = ""
    garbled: bool = False
    encoding: str = ""  # as detected, "" where the format fixes it
    empty: str = "There is no text in it."  # the reason when that is so
    count: int = 1
    has_layout: bool = False

    def pages(self) -> Iterator[ReadPage]:
        if not self.text.strip():
            yield ReadPage(Page(number=1, text="", state=PageState.EMPTY), self.empty)
            return
        state = PageState.GARBLED if self.garbled else PageState.TEXT
        yield ReadPage(Page(number=1, text=self.text, state=state), self.problem)


def read_bytes(source: Source) -> bytes:
    """The whole file. Raises ReadingError when it is longer than any text of `limits.text_chars` can be."""
    size = source.path.stat().st_size
    if size > source.limits.text_chars * 4:
        raise ReadingError(
            FailureKind.LIMIT, f"This file is too long ({size >> 20} MiB of text); split it and add the parts."
        )
    return source.path.read_bytes()
