"""The title in the summary of old office files ([MS-OLEPS]); olefile's own reader of it may count for hours."""

from __future__ import annotations

import struct
from typing import Any

from aipc_app.reader.convert.encoding import decode

_STREAM = "\x05SummaryInformation"
_CODE_PAGE, _TITLE = 1, 2
_ANSI, _WIDE = 0x1E, 0x1F
_MOST_PROPERTIES, _MOST_CHARS = 200, 1000


def ole_title(container: Any) -> str:
    """ "" where there is none or the summary is broken. `container`: an open OleFileIO."""
    try:
        data: bytes = container.openstream(_STREAM).read() if container.exists(_STREAM) else b""
        return _title(data)
    except (OSError, ValueError, IndexError, TypeError, struct.error):
        return ""


def _title(data: bytes) -> str:
    (start,) = struct.unpack_from("<I", data, 44)
    (count,) = struct.unpack_from("<I", data, start + 4)
    places = dict(struct.unpack_from("<II", data, start + 8 + 8 * at) for at in range(min(count, _MOST_PROPERTIES)))
    if _TITLE not in places:
        return ""
    at = start + places[_TITLE]
    kind, size = struct.unpack_from("<II", data, at)
    if kind == _WIDE:
        return data[at + 8 : at + 8 + 2 * min(size, _MOST_CHARS)].decode("utf-16-le", "replace").strip("\0 ")
    page = struct.unpack_from("<H", data, start + places[_CODE_PAGE] + 4)[0] if _CODE_PAGE in places else 0
    raw = data[at + 8 : at + 8 + min(size, _MOST_CHARS)].split(b"\0", 1)[0] if kind == _ANSI else b""
    return decode(raw, "utf-8" if page == 65001 else f"cp{page}", strict=False).text.strip()
