"""Old PowerPoint files (PPT) and Kingsoft's DPS: a page for each slide with its text and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import olefile

from aipc_app.reader.convert import protected_office
from aipc_app.reader.convert.base import Content, Source
from aipc_app.reader.convert.pages import TextPages
from aipc_app.reader.convert.ppt_binary import PptShow, is_encrypted
from aipc_app.reader.convert.pptx import NOTES
from aipc_app.reader.convert.zip_guard import damaged


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, password."""
    data, user = _streams(source)
    if is_encrypted(user):
        with protected_office.decrypted(source) as plain, convert(plain) as content:
            yield content
        return
    show = PptShow(data, user)
    texts = []
    for slide in show.slides():
        notes = [f"{NOTES}\n{slide.notes}"] if slide.notes.strip() else []
        texts.append("\n\n".join([*(text for text in slide.texts if text.strip()), *notes]))
    yield TextPages(texts)


def _streams(source: Source) -> tuple[bytes, bytes]:
    try:
        with olefile.OleFileIO(source.path) as container:
            return container.openstream("PowerPoint Document").read(), container.openstream("Current User").read()
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise damaged() from error
