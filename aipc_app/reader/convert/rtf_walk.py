"""The text of Rich Text Format 1.9.1, and the HTML that Outlook wraps in it ([MS-OXRTFEX])."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from aipc_app.reader.convert.encoding import WINDOWS_CHARSETS
from aipc_app.reader.convert.rtf_pictures import SIGN, RtfPictures, with_pictures
from aipc_app.reader.convert.rtf_table import RtfTables
from aipc_app.reader.failure import FailureKind, ReadingError

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
_MAX_DEPTH = 5_000
_CODEPAGES = {936: "gb18030", 950: "cp950", 10000: "mac_roman", 65001: "utf-8", 54936: "gb18030"}
_LETTERS = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "softline": "\n",
}  # fmt: skip
_SIGNS = {b"~": "\u00a0", b"_": "-", b"{": "{", b"}": "}", b"\\": "\\", b"\n": "\n", b"\r": "\n", b"\t": "\t"}
_SKIPPED = frozenset(
    (
        *("colortbl", "stylesheet", "objdata", "filetbl", "themedata", "listtable", "listoverridetable"),
        *("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "fldinst"),
        *("shprslt", "annotation", "atnid", "atnauthor", "rsidtbl", "generator", "xmlnstbl", "bkmkstart"),
        *("bkmkend", "sp", "nonshppict", "nonesttables", "pntxta", "pntxtb", "objclass", "objname", "revtbl"),
        *("template", "tc", "xe", "comment", "doccomm", "author", "operator", "creatim", "revtim", "printim"),
        *("buptim", "subject", "keywords", "company", "category", "manager", "hlinkbase", "private", "ftnsep"),
        *("ftnsepc", "ftncn", "aftnsep", "aftnsepc", "listname", "leveltext", "levelnumbers"),
    )
)
_TARGETS = {
    "fonttbl": "fonts", "title": "title", "listtext": "label", "pntext": "label", "footnote": "note", "pict": "pict",
}  # fmt: skip
# Others after \* are skipped.
_STARRED = frozenset({"shpinst", "ud", "htmltag", "fldinst", "shptxt", "shppict", "footnote"})
_BUFFERS = ("title", "label", "note", "pict", "html")


@dataclass(frozen=True)
class _State:
    """What a group inherits and gives back at its end."""

    skip: bool = False
    target: str = "body"  # body, title, label, note, fonts, pict
    font: int = -1
    unicode_skip: int = 1
    hidden: bool = False
    two_forms: bool = False  # in \\upr: only its Unicode form is read
    in_tag: bool = False


@dataclass
class RtfWalk:
    """`feed` once, then ask."""

    is_html: bool = False  # made from HTML by Outlook: `html` has that
    _states: list[_State] = field(default_factory=lambda: [_State()])
    _codec: str = "cp1252"
    _fonts: dict[int, str] = field(default_factory=dict)
    _default_font: int = -1
    _bytes: bytearray = field(default_factory=bytearray)
    _to_skip: int = 0  # characters after \\u that repeat it for old programs
    _high: int = 0
    _starred: bool = False
    _no_html: bool = False
    _over: bool = False  # the outermost group has ended: what follows is rubbish
    pictures: RtfPictures = field(default_factory=RtfPictures)
    _is_bitmap: bool = False  # the picture that is being read has no head
    _tables: RtfTables = field(default_factory=RtfTables)
    _notes: list[str] = field(default_factory=list)
    _buffers: dict[str, list[str]] = field(default_factory=lambda: {name: [] for name in _BUFFERS})

    def feed(self, data: bytes) -> None:
        """Raises ReadingError when groups are nested without end."""
        at, end = 0, len(data)
        while at < end and not self._over:
            match = _TOKEN.match(data, at)
            if match is None:
                at += 1  # a backslash at the very end
                continue
            at = match.end()
            word = match.group(1)
            if word == b"bin":
                size = max(0, int(match.group(2) or 0))
                if self._state.target == "pict" and not self._state.skip:
                    self._buffers["pict"].append(data[at : at + size].hex())
                at += size
            self._token(match, word)
        self._flush()

    def text(self, seen: Callable[[str], list[str]] = lambda _picture: []) -> str:
        """Its lines, then the notes. `seen`: what a picture says, by its name."""
        lines = self._tables.lines()
        return with_pictures("\n".join([*lines, *([""] if self._notes else []), *self._notes]), seen)

    def title(self) -> str:
        return "".join(self._buffers["title"]).strip()

    def html(self) -> str:
        return "".join(self._buffers["html"])

    @property
    def _state(self) -> _State:
        return self._states[-1]

    def _set(self, **changes: object) -> None:
        self._flush()
        self._states[-1] = replace(self._states[-1], **changes)  # type: ignore[arg-type]

    def _token(self, match: re.Match[bytes], word: bytes | None) -> None:
        number, byte, sign, brace, plain = match.group(2), *match.group(3, 4, 5, 6)
        if word is not None:
            self._word(word.decode("ascii"), int(number) if number is not None else None)
        elif byte is not None:
            self._raw(bytes((int(byte, 16),)))
        elif plain is not None:
            self._raw(plain)
        elif brace == b"{":
            self._open()
        elif brace == b"}":
            self._close()
        elif sign == b"*":
            self._starred = True
        elif sign is not None and sign in _SIGNS:
            self._write("\n" if sign in b"\r\n" else _SIGNS[sign])

    def _open(self) -> None:
        self._flush()
        self._to_skip, self._starred = 0, False
        if len(self._states) > _MAX_DEPTH:
            raise ReadingError(FailureKind.DAMAGED, "This file is nested too deeply to be read; it may be damaged.")
        outer = self._state
        self._states.append(replace(outer, skip=outer.skip or outer.two_forms, two_forms=False, in_tag=outer.in_tag))

    def _close(self) -> None:
        self._flush()
        self._to_skip = 0
        if len(self._states) == 1:
            return
        ended = self._states.pop()
        self._over = len(self._states) == 1
        if ended.target == "label" != self._state.target:
            label = "".join(self._buffers["label"]).strip()
            self._buffers["label"].clear()
            if any(char.isalnum() for char in label):
                self._write(f"{label} ")
        elif ended.target == "note" != self._state.target:
            text = " ".join("".join(self._buffers["note"]).split())
            self._buffers["note"].clear()
            self._notes.append(f"[{len(self._notes) + 1}] {text}")
            self._write(f"[{len(self._notes)}]")
        elif ended.target == "pict" != self._state.target and not ended.skip:
            mark = self.pictures.keep("".join(self._buffers["pict"]), is_bitmap=self._is_bitmap)
            self._buffers["pict"].clear()
            if self._state.target == "body" and not self._state.hidden:
                self._tables.write(mark)

    def _word(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, False
        if self._to_skip and word != "u":
            self._to_skip = 0
        if word == "ud":
            self._set(skip=any(state.skip for state in self._states[:-2]))
        elif word == "htmltag" and self.is_html:
            self._set(in_tag=True)
        elif word in _SKIPPED or (starred and word not in _STARRED):
            self._set(skip=True)
        elif word == "u" and number is not None:
            self._unicode(number)
        elif word in _LETTERS:
            self._write(_LETTERS[word])
        elif not self._state.skip:
            self._flush()
            self._property(word, number)

    def _property(self, word: str, number: int | None) -> None:
        target = _TARGETS.get(word)
        if target is not None and (target != "title" or self._state.target == "body"):
            self._is_bitmap = False
            self._set(target=target)
        elif word == "dibitmap":
            self._is_bitmap = True
        elif word in ("par", "sect", "page", "column"):
            self._end_paragraph()
        elif word in ("v", "deleted"):
            self._set(hidden=number != 0)
        elif word == "plain":
            self._set(hidden=False, font=-1)
        elif word == "upr":
            self._set(two_forms=True)
        elif word in ("fromhtml", "htmlrtf"):
            self.is_html, self._no_html = (number != 0, False) if word == "fromhtml" else (self.is_html, number != 0)
        elif number is not None:
            self._numbered(word, number)
        else:
            self._tables.word(word)

    def _numbered(self, word: str, number: int) -> None:
        match word:
            case "f":
                self._set(font=number)
            case "deff":
                self._default_font = number
            case "fcharset" if self._state.target == "fonts" and number in WINDOWS_CHARSETS:
                self._fonts[self._state.font] = WINDOWS_CHARSETS[number]
            case "ansicpg":
                self._codec = _codec(number)
            case "uc":
                self._set(unicode_skip=max(0, min(number, 10)))
            case _:
                self._tables.word(word)

    def _end_paragraph(self) -> None:
        if self._state.target == "body" and not self._state.hidden:
            self._tables.end_paragraph()
            self._html("\r\n")
        elif self._state.target == "note":
            self._buffers["note"].append(" ")

    def _raw(self, data: bytes) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(data))
            self._to_skip -= skipped
            data = data[skipped:]
        if not self._state.skip:
            self._bytes += data

    def _unicode(self, number: int) -> None:
        self._flush()
        code = number + 0x10000 if number < 0 else number
        self._to_skip = self._state.unicode_skip
        if 0xD800 <= code < 0xDC00:
            self._high = code
        elif 0xDC00 <= code < 0xE000:
            if self._high:
                self._write(chr(0x10000 + ((self._high - 0xD800) << 10) + code - 0xDC00), keep_skip=True)
            self._high = 0
        elif 0 < code < 0x110000:
            self._write(chr(code), keep_skip=True)

    def _flush(self) -> None:
        """Bytes are decoded together: half a Chinese character is in a token of its own."""
        if self._bytes:
            font = self._state.font if self._state.font >= 0 else self._default_font
            text = self._bytes.decode(self._fonts.get(font, self._codec), "replace")
            self._bytes.clear()
            self._write(text.rstrip(";") if self._state.target == "title" else text)

    def _write(self, text: str, *, keep_skip: bool = False) -> None:
        if self._bytes:
            self._flush()
        if not keep_skip:
            self._to_skip = self._high = 0
        state = self._state
        if state.skip or state.hidden or state.target == "fonts":
            return
        if state.target == "body":
            self._html(text)
            if not state.in_tag:
                self._tables.write(text.replace(SIGN, ""))
        else:
            self._buffers[state.target].append(text)

    def _html(self, text: str) -> None:
        if self.is_html and not self._no_html:
            self._buffers["html"].append(text)


def _codec(page: int) -> str:
    name = _CODEPAGES.get(page, f"cp{page}")
    try:
        b"".decode(name)
    except LookupError:
        return "cp1252"
    return name
