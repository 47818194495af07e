"""Plain text and Markdown."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from aipc_app.reader.convert.base import Content, OnePage, Source, read_bytes
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.garbled import is_garbled
from aipc_app.reader.convert.lines import tidy, with_plain_line_ends

_LOG = logging.getLogger("aipc.reader")
UNCERTAIN = "its encoding could not be told; save it as UTF-8 and add it again"


@contextmanager
def convert_text(source: Source) -> Iterator[Content]:
    """One page; spaces at line ends and repeated empty lines are dropped."""
    yield _page(tidy(_decoded(source)))


@contextmanager
def convert_markdown(source: Source) -> Iterator[Content]:
    """One page: the text as it was written."""
    yield _page(with_plain_line_ends(_decoded(source)).rstrip("\n"))


def _decoded(source: Source) -> str:
    decoded = decode(read_bytes(source))
    _LOG.info("text in %s", decoded.encoding)
    return decoded.text


def _page(text: str) -> OnePage:
    garbled = is_garbled(text)
    return OnePage(text, problem=UNCERTAIN if garbled else "", garbled=garbled)
