"""The slides of PowerPoint's old binary files ([MS-PPT]): records in records, found by a table of offsets."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from aipc_app.reader.convert import escher
from aipc_app.reader.convert.escher import PictureStore, Record, shown_pictures
from aipc_app.reader.convert.grid import grid_lines
from aipc_app.reader.convert.zip_guard import damaged

_ENCRYPTED_TOKEN = 0xF3D1C4DF
_USER_EDIT, _OFFSETS = 0x0FF5, 0x1772
_LIST, _PERSIST, _SLIDE_ATOM = 0x0FF0, 0x03F3, 0x03EF
_HEADER, _WIDE, _NARROW, _OUTLINE, _BOX = 0x0F9F, 0x0FA0, 0x0FA8, 0x0F9E, 0xF00D
_ANCHOR, _PLACEHOLDER, _DRAWINGS = 0xF00F, 0x0BC3, 0x040B
_CONTAINER = 15
_LIST_SLIDES, _LIST_NOTES = 0, 2
_SAME_ON_ALL = (7, 8, 9, 10, 11)  # placeholders: date, number, footer, header; the slide's picture in notes
_MAX_EDITS, _MAX_DEPTH, _MAX_RECORDS = 10_000, 60, 2_000_000


Block = str | int


@dataclass(frozen=True)
class PptSlide:
    """`blocks`: what its shapes say, and the numbers of the pictures they show, in the file's order."""

    blocks: tuple[Block, ...]
    notes: str = ""


@dataclass
class _Listed:
    """A slide as the document lists it: where it is, and the texts of its outline."""

    persist: int
    slide_id: int
    outline: list[str] = field(default_factory=list)


def is_encrypted(user: bytes) -> bool:
    return len(user) >= 16 and struct.unpack_from("<I", user, 12)[0] == _ENCRYPTED_TOKEN


class PptShow:
    """Raises ReadingError (damaged) when what leads to the slides is broken."""

    def __init__(self, data: bytes, user: bytes) -> None:
        self._data, self._left = data, _MAX_RECORDS
        try:
            (edit,) = struct.unpack_from("<I", user, 16)
            self._offsets, self._document = self._persisted(edit)
        except (struct.error, IndexError) as error:
            raise damaged() from error

    def slides(self) -> list[PptSlide]:
        notes = {one.slide_id: one for one in self._listed(_LIST_NOTES)}
        found = []
        for one in self._listed(_LIST_SLIDES):
            record = self._record_of(one.persist)
            own = notes.get(self._notes_id(record)) if record is not None else None
            blocks = self._blocks(record, one.outline) if record is not None else []
            written = [] if any(isinstance(block, str) for block in blocks) else one.outline
            found.append(PptSlide((*written, *blocks), self._notes_text(own)))
        return found

    def store(self, pictures: bytes) -> PictureStore:
        """The pictures of the show; `pictures`: the stream of this name."""
        document = self._record_of(self._document)
        group = next((r for r in self._children(document) if r.kind == _DRAWINGS), None) if document else None
        return PictureStore(self._data, pictures, group.start, group.end) if group else PictureStore(b"")

    def _persisted(self, edit: int) -> tuple[dict[int, int], int]:
        """Where each numbered part is; newer edits replace what older ones say."""
        tables: list[dict[int, int]] = []
        document, seen = 0, set[int]()
        while edit and edit not in seen and len(seen) < _MAX_EDITS:
            seen.add(edit)
            _expect(self._record(edit), _USER_EDIT)
            older, table, number = struct.unpack_from("<III", self._data, edit + 8 + 8)
            document = document or number
            tables.append(dict(self._table(table)))
            edit = older
        offsets: dict[int, int] = {}
        for one in reversed(tables):
            offsets |= one
        return offsets, document

    def _table(self, offset: int) -> Iterator[tuple[int, int]]:
        record = _expect(self._record(offset), _OFFSETS)
        at = record.start
        while at + 4 <= record.end:
            (head,) = struct.unpack_from("<I", self._data, at)
            first, count = head & 0xFFFFF, head >> 20
            yield from enumerate(struct.unpack_from(f"<{count}I", self._data, at + 4), first)
            at += 4 + 4 * count

    def _record(self, offset: int) -> Record:
        head, kind, size = struct.unpack_from("<HHI", self._data, offset)
        return Record(kind, head >> 4, head & 15 == _CONTAINER, offset + 8, min(offset + 8 + size, len(self._data)))

    def _record_of(self, persist: int) -> Record | None:
        offset = self._offsets.get(persist)
        if offset is None or offset + 8 > len(self._data):
            return None
        return self._record(offset)

    def _children(self, parent: Record) -> Iterator[Record]:
        at = parent.start
        while at + 8 <= parent.end:
            self._left -= 1
            if self._left < 0:
                raise damaged()
            record = self._record(at)
            yield record
            at = record.end

    def _within(self, parent: Record, depth: int = 0) -> Iterator[Record]:
        """Everything below, in order."""
        for record in self._children(parent):
            yield record
            if record.is_container and depth < _MAX_DEPTH:
                yield from self._within(record, depth + 1)

    def _listed(self, which: int) -> list[_Listed]:
        document = self._record_of(self._document)
        if document is None:
            raise damaged()
        found: list[_Listed] = []
        for one in self._children(document):
            if one.kind != _LIST or one.instance != which:
                continue
            for record in self._children(one):
                if record.kind == _PERSIST:
                    persist, _flags, _count, slide_id = struct.unpack_from("<IIiI", self._data, record.start)
                    found.append(_Listed(persist, slide_id))
                elif found and record.kind == _HEADER:
                    found[-1].outline.append("")
                elif found and found[-1].outline and record.kind in (_WIDE, _NARROW):
                    found[-1].outline[-1] = self._text(record)
        return found

    def _notes_id(self, slide: Record) -> int:
        for record in self._children(slide):
            if record.kind == _SLIDE_ATOM and record.end - record.start >= 20:
                notes: int = struct.unpack_from("<I", self._data, record.start + 16)[0]
                return notes
        return 0

    def _notes_text(self, listed: _Listed | None) -> str:
        record = self._record_of(listed.persist) if listed is not None else None
        blocks = self._blocks(record, listed.outline if listed else []) if record is not None else []
        return "\n".join(text for text in blocks if isinstance(text, str) and text.strip())

    def _blocks(self, slide: Record, outline: list[str], depth: int = 0) -> list[Block]:
        """Of each shape, but not of those that are on every slide; a table is a group of shapes in rows."""
        found: list[Block] = []
        for record in self._children(slide):
            if record.kind == escher.SHAPE:
                found += self._shape_texts(record, outline)
                found += shown_pictures(self._data, record.start, record.end)
            elif record.kind == escher.SHAPES and (lines := self._table_lines(record, outline)):
                found.append("\n".join(lines))
            elif record.is_container and record.kind != _BOX and depth < _MAX_DEPTH:
                found += self._blocks(record, outline, depth + 1)
        return found

    def _shape_texts(self, shape: Record, outline: list[str]) -> list[str]:
        inside = list(self._within(shape))
        kinds = [self._data[r.start + 4] for r in inside if r.kind == _PLACEHOLDER and r.end - r.start > 4]
        if any(kind in _SAME_ON_ALL for kind in kinds):
            return []
        boxes = (record for record in inside if record.kind == _BOX)
        return [text for box in boxes for text in self._box_texts(box, outline) if text.strip() not in ("", "*")]

    def _table_lines(self, group: Record, outline: list[str]) -> list[str]:
        """Rows of cells, none when the shapes don't stand in a grid."""
        rows: dict[int, dict[int, str]] = {}
        count = 0
        for shape in (record for record in self._children(group) if record.kind == escher.SHAPE):
            anchor = next((r for r in self._children(shape) if r.kind == _ANCHOR and r.end - r.start >= 16), None)
            texts = self._shape_texts(shape, outline)
            if anchor is None or not texts:
                continue
            left, top = struct.unpack_from("<ii", self._data, anchor.start)
            rows.setdefault(top, {})[left] = " ".join(texts)
            count += 1
        lefts = {left for cells in rows.values() for left in cells}
        if len(rows) < 2 or len(lefts) < 2 or count * 3 < len(rows) * len(lefts):
            return []
        return grid_lines(dict(enumerate(rows[top] for top in sorted(rows))))

    def _box_texts(self, box: Record, outline: list[str]) -> Iterator[str]:
        for record in self._children(box):
            if record.kind in (_WIDE, _NARROW):
                yield self._text(record)
            elif record.kind == _OUTLINE and record.end - record.start >= 4:
                (index,) = struct.unpack_from("<I", self._data, record.start)
                yield outline[index] if index < len(outline) else ""

    def _text(self, record: Record) -> str:
        raw = self._data[record.start : record.end]
        text = raw.decode("utf-16-le", "replace") if record.kind == _WIDE else raw.decode("latin-1")
        return text.replace("\r", "\n").replace("\x0b", "\n").replace("\x1f", "").replace("\xad", "")


def _expect(record: Record, kind: int) -> Record:
    if record.kind != kind:
        raise damaged()
    return record
