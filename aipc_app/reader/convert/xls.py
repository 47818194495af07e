"""Old Excel files (XLS) and Kingsoft's ET by xlrd: a page for each sheet, values as they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

import olefile
import xlrd

from aipc_app.reader.convert import protected_office
from aipc_app.reader.convert.base import Content, ReadPage, Source, read_bytes
from aipc_app.reader.convert.grid import Merge, grid_lines
from aipc_app.reader.convert.number_format import shown
from aipc_app.reader.convert.office_pictures import PictureText
from aipc_app.reader.convert.pages import check_length, sheet_text
from aipc_app.reader.convert.xls_drawings import SheetDrawings, read_drawings
from aipc_app.reader.convert.zip_guard import damaged

_FILEPASS = 0x2F
_FIRST_RECORDS = 50


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: damaged, limit, password."""
    stream = _stream(source)
    if _is_encrypted(stream):
        with protected_office.decrypted(source) as plain, convert(plain) as content:
            yield content
        return
    book = _book(read_bytes(source))
    store, drawings = read_drawings(stream)
    yield _Workbook(book, PictureText(source, lambda name: store.picture(int(name)), len(store)), drawings)


def _stream(source: Source) -> bytes:
    """The workbook's own; b"" where the file is none of several streams."""
    try:
        with olefile.OleFileIO(source.path) as container:
            name = next((n for n in ("Workbook", "Book") if container.exists(n)), None)
            return bytes(container.openstream(name).read()) if name else b""
    except (OSError, ValueError, IndexError, TypeError):
        return b""


def _is_encrypted(data: bytes) -> bool:
    at = 0
    for _ in range(_FIRST_RECORDS):
        if at + 4 > len(data):
            return False
        if int.from_bytes(data[at : at + 2], "little") == _FILEPASS:
            return True
        at += 4 + int.from_bytes(data[at + 2 : at + 4], "little")
    return False


def _book(data: bytes) -> Any:
    """With formats where they can be read; a file whose formats are broken still has its values."""
    for formats in (True, False):
        try:
            return xlrd.open_workbook(file_contents=data, formatting_info=formats, logfile=StringIO(), on_demand=False)
        except (MemoryError, RecursionError):
            raise
        except Exception as error:  # broken records give errors of every kind
            if not formats:
                raise damaged() from error
    raise damaged()


class _Workbook:
    has_layout = False
    title = ""

    def __init__(self, book: Any, pictures: PictureText, drawings: Sequence[SheetDrawings]) -> None:
        self._book, self._pictures, self._drawings = book, pictures, drawings
        self._most_chars = pictures.source.limits.text_chars
        self._dates_1904 = bool(book.datemode)

    @property
    def count(self) -> int:
        return int(self._book.nsheets)

    def pages(self) -> Iterator[ReadPage]:
        for index in range(self.count):
            sheet = self._book.sheet_by_index(index)
            drawn = self._drawings[index] if len(self._drawings) == self.count else SheetDrawings()
            seen = ["\n".join(self._pictures.lines(str(number))).strip("\n") for number in drawn.pictures]
            lines = grid_lines(self._rows(sheet), _merges(sheet))
            text = sheet_text(sheet.name, lines, [*drawn.boxes, *(one for one in seen if one)])
            yield self._pictures.page(index + 1, text, pictures=bool(drawn.pictures))

    def _rows(self, sheet: Any) -> dict[int, dict[int, str]]:
        rows: dict[int, dict[int, str]] = {}
        chars = 0
        for row in range(sheet.nrows):
            cells = {column: self._text(sheet, row, column) for column in range(sheet.row_len(row))}
            rows[row] = {column: text for column, text in cells.items() if text}
            chars += sum(map(len, cells.values()))
            check_length(chars, self._most_chars)
        return rows

    def _text(self, sheet: Any, row: int, column: int) -> str:
        cell = sheet.cell(row, column)
        match cell.ctype:
            case xlrd.XL_CELL_TEXT:
                return str(cell.value)
            case xlrd.XL_CELL_NUMBER | xlrd.XL_CELL_DATE:
                return shown(cell.value, self._format(cell, is_date=cell.ctype == xlrd.XL_CELL_DATE),
                             from_1904=self._dates_1904)  # fmt: skip
            case xlrd.XL_CELL_BOOLEAN:
                return "TRUE" if cell.value else "FALSE"
            case xlrd.XL_CELL_ERROR:
                return str(xlrd.error_text_from_code.get(cell.value, "#N/A"))
        return ""

    def _format(self, cell: Any, *, is_date: bool) -> str:
        if cell.xf_index is not None and cell.xf_index < len(self._book.xf_list):
            found = self._book.format_map.get(self._book.xf_list[cell.xf_index].format_key)
            if found is not None:
                return "" if found.format_str == "General" else str(found.format_str)
        return "yyyy-mm-dd" if is_date else ""


def _merges(sheet: Any) -> list[Merge]:
    return [Merge(top, left, bottom - 1, right - 1) for top, bottom, left, right in sheet.merged_cells]
