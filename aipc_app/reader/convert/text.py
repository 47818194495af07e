"""Plain text and Markdown."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from aipc_app.reader.convert.base import Content, OnePage, Source, read_bytes
from aipc_app.reader.convert.encoding import Decoded, decode
from aipc_app.reader.convert.garbled import is_garbled
from aipc_app.reader.convert.lines import tidy, with_plain_line_ends
from aipc_app.reader.convert.pages import UNCERTAIN

_LOG = logging.getLogger("aipc.reader")


@contextmanager
def convert_text(source: Source) -> Iterator[Content]:
    """One page; spaces at line ends and repeated empty lines are dropped."""
    decoded = _decoded(source)
    yield _page(tidy(decoded.text), decoded.encoding)


@contextmanager
def convert_markdown(source: Source) -> Iterator[Content]:
    """One page: the text as it was written."""
    decoded = _decoded(source)
    yield _page(with_plain_line_ends(decoded.text).rstrip("\n"), decoded.encoding)


def _decoded(source: Source) -> Decoded:
    decoded = decode(read_bytes(source))
    _LOG.info("text in %s", decoded.encoding)
    return decoded


def _page(text: str, encoding: str) -> OnePage:
    garbled = is_garbled(text)
    return OnePage(text, problem=UNCERTAIN if garbled else "", garbled=garbled, encoding=encoding)
