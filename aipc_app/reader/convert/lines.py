"""Text tidied the same way for every format."""

from __future__ import annotations

import re

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = dict.fromkeys([*range(0x09), *range(0x0E, 0x20), 0x7F, 0xFEFF])
_TRAILING = re.compile(r"[ \t\u3000]+$", re.MULTILINE)
_MANY_EMPTY = re.compile(r"\n{3,}")


def with_plain_line_ends(text: str) -> str:
    """Every line end as `\\n`; control characters dropped."""
    return _LINE_ENDS.sub("\n", text).translate(_CONTROL)


def tidy(text: str) -> str:
    """Plain line ends, no spaces at a line's end, at most one empty line in a row, none at either end."""
    return _MANY_EMPTY.sub("\n\n", _TRAILING.sub("", with_plain_line_ends(text))).strip("\n")
