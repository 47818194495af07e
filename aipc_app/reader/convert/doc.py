"""Old Word files (DOC) and Kingsoft's WPS, which writes the same: one page, as DOCX is read."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import olefile

from aipc_app.reader.convert import protected_office
from aipc_app.reader.convert.base import Content, ReadPage, Source
from aipc_app.reader.convert.doc_binary import DocText, is_encrypted, read_text, table_name
from aipc_app.reader.convert.doc_pictures import doc_pictures
from aipc_app.reader.convert.grid import one_line, row_line
from aipc_app.reader.convert.office_pictures import PictureText
from aipc_app.reader.convert.ole_title import ole_title
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
    streams = _streams(source)
    if is_encrypted(streams.word):
        with protected_office.decrypted(source) as plain, convert(plain) as content:
            yield content
        return
    stored = doc_pictures(streams.word, streams.table, streams.data)
    text = read_text(streams.word, streams.table, stored)
    names = {name for names in text.pictures.values() for name in names}
    yield _Doc(text, PictureText(source, stored.read, len(names)), streams.title)


@dataclass(frozen=True)
class _Streams:
    word: bytes
    table: bytes
    data: bytes
    title: str


def _streams(source: Source) -> _Streams:
    try:
        with olefile.OleFileIO(source.path) as container:
            word = container.openstream("WordDocument").read()
            name = table_name(word)
            table = container.openstream(name).read() if container.exists(name) else b""
            data = container.openstream("Data").read() if container.exists("Data") else b""
            return _Streams(word, table, data, ole_title(container))
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise damaged() from error


@dataclass(frozen=True)
class _Doc:
    """Put together when its page is asked for: recognising its pictures takes time."""

    stored: DocText
    pictures: PictureText
    title: str
    count: int = 1
    has_layout: bool = False

    def pages(self) -> Iterator[ReadPage]:
        text = body_text(self.stored, self.pictures.lines)
        yield self.pictures.page(1, text, pictures=self.pictures.count > 0)


def body_text(stored: DocText, seen: Callable[[str], list[str]]) -> str:
    """Lines as they read: paragraphs, table rows, then notes and text boxes; what is seen on pictures after theirs."""
    notes = _notes(stored.footnotes) + _notes(stored.endnotes)
    boxes = [_shown(line) for line in stored.boxes.split("\r") if line.strip()]
    numbered = [f"[{number}] {note}" for number, note in enumerate(notes, 1)]
    return "\n".join([*_lines(stored, seen), *boxes, *([""] if numbered else []), *numbered])


def _notes(text: str) -> list[str]:
    """Each begins with the mark that refers to it."""
    return [one_line(_shown(part)) for part in text.split(_NOTE)[1:] if part.strip()]


def _lines(stored: DocText, seen: Callable[[str], list[str]]) -> Iterator[str]:
    """The main text; a cell's paragraphs run on in one line."""
    cells: list[str] = []
    text, start, notes, cell = stored.main, 0, 0, ""
    pictures = deque(sorted(stored.pictures.items()))
    for at, mark in sorted(stored.marks.items()):
        shown = _shown(text[start:at], notes)
        shown = mark.label + shown if shown.strip() else shown
        pictured = _pictured(pictures, at, seen)
        notes += text.count(_NOTE, start, at)
        start = at + 1
        if text[at] == "\r" and not mark.format.in_table:
            yield from (shown, *pictured)
            continue
        cell += " ".join([shown, *(line for line in pictured if line)])
        if text[at] == "\r":
            cell += " "
        elif mark.format.ends_row:
            yield row_line(cells)
            cells, cell = [], ""
        else:
            cells.append(cell)
            cell = ""
    yield from ([row_line(cells)] if cells else [])
    yield from (_shown(text[start:], notes), *_pictured(pictures, len(text), seen))


def _pictured(
    pictures: deque[tuple[int, Sequence[str]]], end: int, seen: Callable[[str], list[str]]
) -> list[str]:
    """What is seen on the pictures up to `end`, which are taken out."""
    lines: list[str] = []
    while pictures and pictures[0][0] < end:
        lines += [line for name in pictures.popleft()[1] for line in seen(name)]
    return lines


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
