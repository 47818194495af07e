"""Pictures as documents: each frame a page, its text recognised."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from aipc_app.domain.documents import Page, PageState
from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.image_file import PictureFile, as_array, open_picture
from aipc_app.reader.failure import FailureKind, ReadingError
from aipc_app.reader.ocr.compose import read_picture
from aipc_app.reader.ocr.models import networks
from aipc_app.reader.ocr.page import as_page

PICTURE = "a picture; its text was recognised"
NOTHING = "a picture on which no text was recognised"
UNSURE = "a picture too poor to be read; look at the page itself"
FAILED = "this picture of the file is damaged"
_LONGEST_SIDE = 3_500  # pixels; finer helps no reading


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit."""
    with open_picture(source.path) as file:
        if file.count == 1:
            file.frame(1)  # a lone picture that can't be opened is a file that can't
        yield _Pictures(file, file.count)


@dataclass(frozen=True)
class _Pictures:
    file: PictureFile
    count: int
    has_layout: bool = True
    title: str = ""

    def pages(self) -> Iterator[ReadPage]:
        for number in range(1, self.count + 1):
            yield self._page(number)

    def _page(self, number: int) -> ReadPage:
        try:
            picture = self.file.frame(number)
        except ReadingError as error:
            if error.kind is FailureKind.DAMAGED:
                return ReadPage(Page(number=number, text="", state=PageState.FAILED), FAILED)
            return ReadPage(Page(number=number, text="", state=PageState.FAILED), error.reason)
        size = picture.width, picture.height
        picture.image.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
        read = read_picture(as_array(picture), networks(), size)
        return as_page(read, number, size, why=PICTURE, nothing=NOTHING, unsure=UNSURE)
