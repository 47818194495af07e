"""Old Word files (DOC) and Kingsoft's WPS, which writes the same: one page, as DOCX is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import olefile

from aipc_app.reader.convert import protected_office
from aipc_app.reader.convert.base import Content, OnePage, Source
from aipc_app.reader.convert.doc_binary import DocText, is_encrypted, read_text, table_name
from aipc_app.reader.convert.garbled import is_garbled
from aipc_app.reader.convert.grid import one_line, row_line
from aipc_app.reader.convert.lines import tidy
from aipc_app.reader.convert.ole_title import ole_title
from aipc_app.reader.convert.pages import UNCERTAIN
from aipc_app.reader.convert.zip_guard import damaged

_FIELD, _RESULT, _FIELD_END = "\x13", "\x14", "\x15"
_NOTE = "\x02"
_GUIDED = re.compile(r"^\s*EQ\b.*,\s*([^,()\\]+)\)\s*$", re.DOTALL)
_PLAIN = str.maketrans(
    {"\x0b": "\n", "\x0c": "\n", "\x0e": "\n", "\x1e": "-", "\x1f": None, "\x01": None, "\x05": None, "\x08": None,
     "\x03": None, "\x04": None, "\ufffc": None}
)  # fmt: skip


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, password."""
    word, table, title = _streams(source)
    if is_encrypted(word):
        with protected_office.decrypted(source) as plain, convert(plain) as content:
            yield content
        return
    text = tidy(body_text(read_text(word, table)))
    garbled = is_garbled(text)
    yield OnePage(text, title=title, problem=UNCERTAIN if garbled else "", garbled=garbled)


def _streams(source: Source) -> tuple[bytes, bytes, str]:
    try:
        with olefile.OleFileIO(source.path) as container:
            word = container.openstream("WordDocument").read()
            name = table_name(word)
            table = container.openstream(name).read() if container.exists(name) else b""
            return word, table, ole_title(container)
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise damaged() from error


def body_text(stored: DocText) -> str:
    """Lines as they read: paragraphs, table rows, then notes and text boxes."""
    notes = _notes(stored.footnotes) + _notes(stored.endnotes)
    boxes = [_shown(line) for line in stored.boxes.split("\r") if line.strip()]
    numbered = [f"[{number}] {note}" for number, note in enumerate(notes, 1)]
    return "\n".join([*_lines(stored), *boxes, *([""] if numbered else []), *numbered])


def _notes(text: str) -> list[str]:
    """Each begins with the mark that refers to it."""
    return [one_line(_shown(part)) for part in text.split(_NOTE)[1:] if part.strip()]


def _lines(stored: DocText) -> Iterator[str]:
    """The main text; a cell's paragraphs run on in one line."""
    cells: list[str] = []
    text, start, notes, cell = stored.main, 0, 0, ""
    for at, mark in sorted(stored.marks.items()):
        shown = _shown(text[start:at], notes)
        shown = mark.label + shown if shown.strip() else shown
        notes += text.count(_NOTE, start, at)
        start = at + 1
        if text[at] == "\r" and mark.format.in_table:
            cell += f"{shown} "
        elif text[at] == "\r":
            yield shown
        elif mark.format.ends_row:
            yield row_line(cells)
            cells, cell = [], ""
        else:
            cells.append(cell + shown)
            cell = ""
    yield from ([row_line(cells)] if cells else [])
    yield _shown(text[start:], notes)


def _shown(text: str, notes: int = 0) -> str:
    """Without the codes of fields; note marks as numbers from `notes` on."""
    parts: list[str] = []
    fields: list[_Field] = []
    for char in text:
        if char == _FIELD:
            fields.append(_Field())
        elif char == _RESULT and fields:
            fields[-1].in_result = True
        elif char == _FIELD_END and fields:
            parts += fields.pop().without_result()
        elif any(not one.in_result for one in fields):
            fields[-1].code += char
        elif char == _NOTE:
            notes += 1
            parts.append(f"[{notes}]")
        else:
            parts.append(char)
    plain = "".join(parts).translate(_PLAIN)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass
class _Field:
    code: str = ""
    in_result: bool = False

    def without_result(self) -> list[str]:
        """The text under a pronunciation guide, which is in the code of its field; else nothing."""
        found = _GUIDED.search(self.code) if not self.in_result else None
        return [found.group(1)] if found is not None else []
