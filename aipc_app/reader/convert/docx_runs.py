"""The text inside paragraphs: runs, fields, changes, notes, text boxes."""

from __future__ import annotations

from dataclasses import dataclass, field

from aipc_app.reader.convert.docx_package import Element, attribute, child, local

_SKIPPED = frozenset(
    (
        *("del", "moveFrom", "rPr", "pPr", "tblPr", "sdtPr", "sectPr", "rubyPr"),
        *("instrText", "delText", "delInstrText", "rt", "Fallback"),
        *("proofErr", "fldData", "binData", "commentReference"),
    )
)
_PLAIN = {
    "tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-",
}  # fmt: skip
_MATH = {"den": "/", "sup": "^", "sub": "_", "deg": "√"}  # a formula on one line
_SYMBOLS = {  # Wingdings and Symbol as people use them in forms
    "F0FE": "☑", "F052": "☑", "F0A8": "☐", "F06F": "☐", "F0A3": "☐", "F0FC": "✓", "F0FB": "✗",
    "F0B7": "•", "F06C": "•", "F0B1": "±", "F0B4": "×", "F0B8": "÷", "F0B3": "≥", "F0B0": "°", "F0A3_Symbol": "≤",
}  # fmt: skip
_GRAPHICS = {"chart": "id", "relIds": "dm"}
_PICTURES = {"blip": "embed", "imagedata": "id"}
_NOTES = {"footnoteReference": "footnote", "endnoteReference": "endnote"}


@dataclass
class ParagraphText:
    """Text, and what is anchored in the paragraph."""

    text: str = ""
    boxes: list[Element] = field(default_factory=list)
    graphics: list[str] = field(default_factory=list)  # relationships of charts and diagrams
    pictures: list[str] = field(default_factory=list)  # relationships of pictures


class Runs:
    """Reads paragraphs in order: a field may begin in one and end in another, notes are numbered through."""

    def __init__(self) -> None:
        self._fields: list[bool] = []  # for each open field: are we in its result?
        self._notes: dict[str, list[str]] = {"footnote": [], "endnote": []}

    def read(self, paragraph: Element) -> ParagraphText:
        result = ParagraphText()
        parts: list[str] = []
        pending = list(reversed(paragraph))
        while pending:
            element = pending.pop()
            name = local(element)
            if name in _SKIPPED or not name:
                continue
            if name == "txbxContent":
                result.boxes.append(element)
            elif name in _GRAPHICS:
                result.graphics.append(attribute(element, _GRAPHICS[name]) or "")
            elif name in _PICTURES:
                result.pictures.append(attribute(element, _PICTURES[name]) or "")
            elif name == "r" and _hidden(element):
                pending.extend(c for c in reversed(element) if local(c) == "fldChar")
            elif not self._leaf(element, name, parts):
                pending.extend(reversed(_children(element, name)))
        result.text = "".join(parts)
        return result

    def references(self, kind: str) -> list[tuple[str, str]]:
        """Mark and id of the notes referred to so far."""
        offset = 0 if kind == "footnote" else len(self._notes["footnote"])
        return [(str(offset + i), note) for i, note in enumerate(self._notes[kind], 1)]

    def _leaf(self, element: Element, name: str, parts: list[str]) -> bool:
        """Take in an element that holds no others; False when there is more inside."""
        if name == "fldChar":
            self._field(attribute(element, "fldCharType"))
        elif name == "t":
            self._put(element.text or "", parts)
        elif name in _MATH:
            self._put(_MATH[name], parts)
            return False
        elif name == "oMath":
            self._put(" " if parts and not parts[-1].endswith(" ") else "", parts)
            return False
        elif name in _PLAIN:
            self._put(_PLAIN[name], parts)
        elif name == "sym":
            self._put(_symbol(element), parts)
        elif name in _NOTES:
            self._put(self._note(_NOTES[name], attribute(element, "id") or ""), parts)
        else:
            return False
        return True

    def _put(self, text: str, parts: list[str]) -> None:
        if all(self._fields):
            parts.append(text)

    def _field(self, kind: str | None) -> None:
        if kind == "begin":
            self._fields.append(False)
        elif kind == "separate" and self._fields:
            self._fields[-1] = True
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _note(self, kind: str, note_id: str) -> str:
        self._notes[kind].append(note_id)
        return f"[{self.references(kind)[-1][0]}]"


def _children(element: Element, name: str) -> list[Element]:
    if name == "AlternateContent":  # the same content twice: the first form that is not empty
        return [next((c for c in element if local(c) == "Choice" and len(c)), _fallback(element))]
    return list(element)


def _fallback(element: Element) -> Element:
    found = child(element, "Fallback")
    if found is None:
        return element[0] if len(element) else element
    found.tag = "Choice"  # read although fallbacks are skipped elsewhere
    return found


def _hidden(run: Element) -> bool:
    vanish = child(run, "rPr", "vanish")
    return vanish is not None and attribute(vanish, "val") not in ("0", "false", "off")


def _symbol(element: Element) -> str:
    code, font = (attribute(element, "char") or "").upper(), attribute(element, "font") or ""
    return _SYMBOLS.get(f"{code}_{font}") or _SYMBOLS.get(code, "")
