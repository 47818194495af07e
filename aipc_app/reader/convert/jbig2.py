"""JBIG2 pictures, drawn by PDFium: as the only picture of a PDF made for it."""

from __future__ import annotations

import struct

import pypdfium2 as pdfium
from PIL import Image

from aipc_app.reader.convert.image_file import MOST_PIXELS, damaged

_MAGIC = b"\x97JB2\r\n\x1a\n"
_SEQUENTIAL, _PAGES_UNKNOWN = 1, 2
_PAGE_INFORMATION = 48
_END_OF_PAGE, _END_OF_FILE = 49, 51


def is_jbig2(data: bytes) -> bool:
    return data.startswith(_MAGIC)


def jbig2_picture(data: bytes) -> Image.Image:
    """Raises ReadingError (damaged), also for the rare files that aren't written in one go."""
    try:
        body, width, height = _embedded(data)
        if not 0 < width * height <= MOST_PIXELS:
            raise ValueError("no size")
        document = pdfium.PdfDocument(_pdf(body, width, height))
        try:
            page = document[0]
            (thing,) = page.get_objects()
            picture: Image.Image = thing.get_bitmap().to_pil().convert("RGBA")
            return picture
        finally:
            document.close()
    except (ValueError, struct.error, IndexError, pdfium.PdfiumError) as error:
        raise damaged() from error


def _embedded(data: bytes) -> tuple[bytes, int, int]:
    """The segments that PDF wants, and the page's size; the file's own frame is left out."""
    flags = data[8]
    if not flags & _SEQUENTIAL:
        raise ValueError("random access")
    at = 9 if flags & _PAGES_UNKNOWN else 13
    kept, size = bytearray(), (0, 0)
    while at < len(data):
        end, kind, length = _segment(data, at)
        if kind == _PAGE_INFORMATION:
            size = struct.unpack(">II", data[end : end + 8])
        if kind not in (_END_OF_PAGE, _END_OF_FILE):
            kept += data[at : end + length]
        at = end + length
    return bytes(kept), size[0], size[1]


def _segment(data: bytes, at: int) -> tuple[int, int, int]:
    """Where the segment's data begins, its kind, and how long the data is."""
    number, flags, referred = struct.unpack(">IBB", data[at : at + 6])
    count, after = referred >> 5, at + 6
    if count == 7:
        count = struct.unpack(">I", data[at + 5 : at + 9])[0] & 0x1FFFFFFF
        after = at + 9 + (count + 8) // 8
    after += count * (1 if number <= 256 else 2 if number <= 65536 else 4)
    after += 4 if flags & 0x40 else 1
    (length,) = struct.unpack(">I", data[after : after + 4])
    if length == 0xFFFFFFFF:
        raise ValueError("unknown length")
    return after + 4, flags & 0x3F, length


def _pdf(body: bytes, width: int, height: int) -> bytes:
    drawing = b"1 0 0 1 0 0 cm /Im Do"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</XObject<</Im 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(drawing), drawing),
        b"<</Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 1"
        b"/Filter/JBIG2Decode/Length %d>>stream\n%s\nendstream" % (width, height, len(body), body),
    ]
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, one in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    start = len(out)
    out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start
    return bytes(out)
