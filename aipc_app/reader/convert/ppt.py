"""Old PowerPoint files (PPT) and Kingsoft's DPS: a page for each slide: text, pictures, the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import olefile

from aipc_app.reader.convert import protected_office
from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.escher import PictureStore
from aipc_app.reader.convert.office_pictures import PictureText
from aipc_app.reader.convert.ppt_binary import PptShow, PptSlide, is_encrypted
from aipc_app.reader.convert.pptx import NOTES
from aipc_app.reader.convert.zip_guard import damaged


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, password."""
    streams = _streams(source)
    if is_encrypted(streams.user):
        with protected_office.decrypted(source) as plain, convert(plain) as content:
            yield content
        return
    show = PptShow(streams.show, streams.user)
    yield _Show(show.slides(), show.store(streams.pictures), source)


@dataclass(frozen=True)
class _Streams:
    show: bytes
    user: bytes
    pictures: bytes


def _streams(source: Source) -> _Streams:
    try:
        with olefile.OleFileIO(source.path) as container:
            show, user = (container.openstream(name).read() for name in ("PowerPoint Document", "Current User"))
            pictures = container.openstream("Pictures").read() if container.exists("Pictures") else b""
            return _Streams(show, user, pictures)
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise damaged() from error


@dataclass(frozen=True)
class _Show:
    """A slide is put together when its page is asked for: recognising its pictures takes time."""

    slides: Sequence[PptSlide]
    store: PictureStore
    source: Source
    title: str = ""
    has_layout: bool = False

    @property
    def count(self) -> int:
        return len(self.slides)

    def pages(self) -> Iterator[ReadPage]:
        pictures = PictureText(self.source, lambda name: self.store.picture(int(name)), len(self.store))
        for number, slide in enumerate(self.slides, 1):
            shown = any(isinstance(block, int) for block in slide.blocks)
            yield pictures.page(number, "\n\n".join(_texts(slide, pictures)), pictures=shown)


def _texts(slide: PptSlide, pictures: PictureText) -> Iterator[str]:
    for block in slide.blocks:
        text = block if isinstance(block, str) else "\n".join(pictures.lines(str(block))).strip("\n")
        if text.strip():
            yield text
    if slide.notes.strip():
        yield f"{NOTES}\n{slide.notes}"
