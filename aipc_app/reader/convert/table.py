"""CSV and TSV in any encoding: one page, its rows as lines."""

from __future__ import annotations

import csv
import io
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from aipc_app.reader.convert.base import Content, OnePage, Source, read_bytes
from aipc_app.reader.convert.encoding import decode
from aipc_app.reader.convert.garbled import is_garbled
from aipc_app.reader.convert.grid import row_line
from aipc_app.reader.convert.lines import tidy
from aipc_app.reader.convert.pages import UNCERTAIN
from aipc_app.reader.failure import FailureKind, ReadingError

_LOG = logging.getLogger("aipc.reader")
_SEPARATORS = ",\t;|，"
_SAMPLE_LINES = 50
_MAX_FIELD = 10_000_000


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: limit, unsupported (no text), damaged (a quotation without end)."""
    decoded = decode(read_bytes(source))
    _LOG.info("table in %s", decoded.encoding)
    text = tidy("\n".join(_lines(decoded.text.lstrip("\ufeff"), source.extension)))
    garbled = is_garbled(text)
    yield OnePage(text, problem=UNCERTAIN if garbled else "", garbled=garbled, encoding=decoded.encoding)


def _lines(text: str, extension: str) -> Iterator[str]:
    csv.field_size_limit(_MAX_FIELD)
    first = text.split("\n", 1)[0].strip().lower()
    if first.startswith("sep=") and len(first) == 5:  # what Excel writes to say so
        separator, text = first[4], text.split("\n", 1)[1] if "\n" in text else ""
    else:
        separator = "\t" if extension in ("tsv", "tab") else _separator(text)
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            yield row_line([_unwrapped(cell) for cell in row])
    except csv.Error as error:
        raise ReadingError(
            FailureKind.DAMAGED, "This table can't be read, its quotation marks don't match; save it again as CSV."
        ) from error


def _separator(text: str) -> str:
    """What parts most lines into the same number of cells; a comma when nothing does."""
    lines = [line for line in text.splitlines()[:_SAMPLE_LINES] if line.strip()]

    def even(separator: str) -> tuple[int, int]:
        counts = Counter(line.count(separator) for line in lines)
        cells, times = max(counts.items(), key=lambda item: (item[1] if item[0] else 0, item[0]), default=(0, 0))
        return (times if cells else 0, cells)

    best = max(_SEPARATORS, key=even)
    return best if even(best)[0] else ","


def _unwrapped(cell: str) -> str:
    """Excel's ="00123", which keeps leading zeros, is 00123."""
    return cell[2:-1] if cell.startswith('="') and cell.endswith('"') and len(cell) > 3 else cell
