"""Small files of the old office programs with known content, record by record ([MS-CFB], [MS-ODRAW], [MS-PPT],
[MS-XLS])."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

_SECTOR, _LEAST = 512, 4096  # shorter streams would have to be put into another
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_CONTAINER = 15
_KINDS = {"png": (0xF01E, 0x6E0, 6), "jpeg": (0xF01D, 0x46A, 5), "dib": (0xF01F, 0x7A8, 7),
          "emf": (0xF01A, 0x3D4, 2), "wmf": (0xF01B, 0x216, 3)}  # fmt: skip


def write_ole(path: Path, streams: Mapping[str, bytes]) -> Path:
    """A compound file of these streams, zeros after the short ones."""
    sectors, fat, entries = bytearray(), list[int](), [_entry("Root Entry", 5, _END, 0, child=1)]
    for number, (name, data) in enumerate(streams.items(), 1):
        padded = data.ljust(_LEAST, b"\0")
        count, start = -(-len(padded) // _SECTOR), len(fat)
        fat += [*range(start + 1, start + count), _END]
        sectors += padded.ljust(count * _SECTOR, b"\0")
        entries.append(_entry(name, 2, start, len(padded), right=number + 1 if number < len(streams) else _FREE))
    directory = b"".join(entries).ljust(-(-len(entries) // 4) * _SECTOR, b"\0")
    first = len(fat)
    fat += [*range(first + 1, first + len(directory) // _SECTOR), _END]
    tables = next(count for count in range(1, 100) if (len(fat) + count) <= count * 128)
    places = [len(fat) + at for at in range(tables)]
    fat += [_FAT] * tables + [_FREE] * (tables * 128 - len(fat) - tables)
    head = struct.pack("<8s16xHHHHH6xIIIIIIIII", bytes.fromhex("d0cf11e0a1b11ae1"), 0x3E, 3, 0xFFFE, 9, 6,
                       0, tables, first, 0, _LEAST, _END, 0, _END, 0)  # fmt: skip
    head += struct.pack("<109I", *places, *[_FREE] * (109 - tables))
    path.write_bytes(head + sectors + directory + struct.pack(f"<{len(fat)}I", *fat))
    return path


def _entry(name: str, kind: int, start: int, size: int, *, child: int = _FREE, right: int = _FREE) -> bytes:
    raw = (name + "\0").encode("utf-16-le")
    return struct.pack("<64sHBBIII36xIQ", raw, len(raw), kind, 1, _FREE, right, child, start, size)


def record(kind: int, content: bytes, *, instance: int = 0, version: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | version, kind, len(content)) + content


def container(kind: int, *inside: bytes, instance: int = 0) -> bytes:
    return record(kind, b"".join(inside), instance=instance, version=_CONTAINER)


def blip(kind: str, data: bytes) -> bytes:
    """A stored picture. `kind`: png, jpeg, dib, emf or wmf; the last two are packed, as programs do."""
    code, instance, _ = _KINDS[kind]
    if kind in ("emf", "wmf"):
        packed = zlib.compress(data)
        head = struct.pack("<16xI16x8xIBB", len(data), len(packed), 0, 0xFE)
        return record(code, head + packed, instance=instance)
    return record(code, bytes(17) + data, instance=instance)


def entry(kind: str, data: bytes = b"", *, later: int = 0) -> bytes:
    """An entry of the store: the picture in it, or where in another stream it is."""
    type_ = _KINDS[kind][2]
    body = struct.pack("<BB16xHIIIBBBB", type_, type_, 0, len(data), 1, later, 0, 0, 0, 0)
    return record(0xF007, body + (blip(kind, data) if data else b""), instance=type_, version=2)


def store(*entries: bytes) -> bytes:
    return container(0xF000, container(0xF001, *entries, instance=len(entries)))


def picture_shape(number: int) -> bytes:
    """A shape that shows a stored picture."""
    return container(0xF004, record(0xF00A, struct.pack("<II", 1024 + number, 0), instance=75, version=2),
                     record(0xF00B, struct.pack("<HI", 0x4104, number), instance=1, version=3))  # fmt: skip


def text_shape(text: str) -> bytes:
    return container(0xF004, container(0xF00D, record(0x0FA0, text.encode("utf-16-le"))))


def drawing(*shapes: bytes) -> bytes:
    return container(0xF002, container(0xF003, *shapes))


def write_ppt(path: Path, slides: Sequence[Sequence[bytes]], pictures: Sequence[tuple[str, bytes]]) -> Path:
    """Slides of shapes; the pictures (kind and data) lie in a stream of their own, as PowerPoint keeps them."""
    later, entries = b"", []
    for kind, data in pictures:
        entries.append(entry(kind, later=len(later)))
        later += blip(kind, data)
    listed = b"".join(record(0x03F3, struct.pack("<IIiII", at + 2, 0, 0, 256 + at, 0)) for at in range(len(slides)))
    parts = [container(0x03E8, container(0x040B, store(*entries)), container(0x0FF0, listed))]
    parts += [container(0x03EE, record(0x03EF, bytes(24)), container(0x040C, drawing(*shapes))) for shapes in slides]
    places = [sum(map(len, parts[:at])) for at in range(len(parts))]
    body = b"".join(parts)
    table = record(0x1772, struct.pack(f"<I{len(parts)}I", len(parts) << 20 | 1, *places))
    edit = record(0x0FF5, struct.pack("<IHBBIIIIHH", 256, 0, 0, 3, 0, len(body), 1, len(parts), 0, 0))
    user = record(0x0FF6, struct.pack("<IIIHHBBH", 20, 0xE391C05F, len(body) + len(table), 0, 0x3F4, 3, 0, 0))
    return write_ole(path, {"Current User": user, "PowerPoint Document": body + table + edit, "Pictures": later})


def write_xls(
    path: Path, sheets: Mapping[str, Sequence[bytes]], pictures: Sequence[tuple[str, bytes]] = (), *,
    cell: str = "", boxes: bytes = b"",
) -> Path:  # fmt: skip
    """Sheets of shapes, each with `cell` in its first cell and `boxes`; the pictures lie in the workbook."""
    bof, end = _biff(0x0809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0)), _biff(0x000A)
    group = b"".join(_split(0x00EB, store(*(entry(kind, data) for kind, data in pictures))))
    parts = [_sheet(shapes, cell, boxes) for shapes in sheets.values()]
    names = [bytes([len(name), 1]) + name.encode("utf-16-le") for name in sheets]
    at = len(bof) + sum(4 + 6 + len(name) for name in names) + len(group) + len(end)
    bounds = b""
    for name, part in zip(names, parts, strict=True):
        bounds += _biff(0x0085, struct.pack("<IH", at, 0) + name)
        at += len(part)
    return write_ole(path, {"Workbook": bof + bounds + group + end + b"".join(parts)})


def _sheet(shapes: Sequence[bytes], cell: str, boxes: bytes) -> bytes:
    drawn = b"".join(_split(0x00EC, drawing(*shapes))) if shapes else b""
    label = struct.pack("<HHHHB", 0, 0, 0, len(cell), 1) + cell.encode("utf-16-le")
    bof = _biff(0x0809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
    return bof + (_biff(0x0204, label) if cell else b"") + drawn + boxes + _biff(0x000A)


def text_box(text: str, *, note: bool = False) -> bytes:
    """The records of a text box, or of a cell's comment."""
    what = struct.pack("<HHHHH12x", 0x15, 18, 0x19 if note else 6, 1, 0)
    said = struct.pack("<HH6xHHI", 0, 0, len(text), 16, 0)
    fonts = struct.pack("<HH4xHH4x", 0, 0, len(text), 0)
    return b"".join((_biff(0x005D, what), _biff(0x01B6, said), _biff(0x003C, b"\1" + text.encode("utf-16-le")),
                     _biff(0x003C, fonts)))  # fmt: skip


def _biff(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _split(kind: int, content: bytes) -> list[bytes]:
    """Records hold 8,224 bytes; what is longer goes on in others."""
    chunks = [content[at : at + 8224] for at in range(0, len(content), 8224)]
    return [_biff(kind if at == 0 else 0x003C, chunk) for at, chunk in enumerate(chunks)]
