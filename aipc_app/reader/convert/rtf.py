"""RTF: one page of text in order; lists with the numbers written beside them, tables as rows, notes at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from aipc_app.reader.convert.base import Content, OnePage, Source, read_bytes
from aipc_app.reader.convert.garbled import is_garbled
from aipc_app.reader.convert.lines import tidy
from aipc_app.reader.convert.pages import UNCERTAIN
from aipc_app.reader.convert.rtf_walk import RtfWalk


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: limit, damaged (nested without end). Pictures, objects and comments are left out."""
    walk = RtfWalk()
    walk.feed(read_bytes(source))
    text = tidy(walk.text())
    garbled = is_garbled(text)
    yield OnePage(text, title=walk.title(), problem=UNCERTAIN if garbled else "", garbled=garbled)
