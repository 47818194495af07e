"""RTF: one page of text in order; lists with the numbers written beside them, tables as rows, notes at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from aipc_app.reader.convert.base import Content, ReadPage, Source, read_bytes
from aipc_app.reader.convert.office_pictures import PictureText
from aipc_app.reader.convert.rtf_walk import RtfWalk


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: limit, damaged (nested without end). Objects and comments are left out."""
    walk = RtfWalk()
    walk.feed(read_bytes(source))
    yield _Rtf(walk, PictureText(source, walk.pictures.read, len(walk.pictures)))


@dataclass(frozen=True)
class _Rtf:
    """Put together when its page is asked for: recognising its pictures takes time."""

    walk: RtfWalk
    pictures: PictureText
    count: int = 1
    has_layout: bool = False

    @property
    def title(self) -> str:
        return self.walk.title()

    def pages(self) -> Iterator[ReadPage]:
        yield self.pictures.page(1, self.walk.text(self.pictures.lines), pictures=self.pictures.count > 0)
