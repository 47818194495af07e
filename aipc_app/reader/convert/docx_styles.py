"""What a paragraph's style says of headings and list numbers."""

from __future__ import annotations

import re

from aipc_app.reader.convert.docx_package import Element, attribute, child, children

_HEADING_NAME = re.compile(r"(heading|标题|標題)\s*\d|title$|标题$", re.IGNORECASE)
_BODY_LEVEL = "9"
_MAX_CHAIN = 20


class Styles:
    """Paragraph styles with what they inherit."""

    def __init__(self, root: Element | None) -> None:
        styles = [e for e in children(root, "style") if attribute(e, "type") in (None, "paragraph")]
        self._by_id = {attribute(e, "styleId"): e for e in styles}
        self._default = next((attribute(e, "styleId") for e in styles if _is_default(e)), None)

    def is_heading(self, properties: Element | None) -> bool:
        own = attribute(child(properties, "outlineLvl"), "val")
        if own is not None:
            return own < _BODY_LEVEL
        for style in self._chain(properties):
            level = attribute(child(style, "pPr", "outlineLvl"), "val")
            if level is not None:
                return level < _BODY_LEVEL
            if _HEADING_NAME.match(attribute(child(style, "name"), "val") or ""):
                return True
        return False

    def number_of(self, properties: Element | None) -> tuple[str, int] | None:
        """List id and level; the paragraph's own word goes before its style's. None when not numbered."""
        own = child(properties, "numPr")
        number, level = _number(own)
        for style in self._chain(properties):
            if number is not None and level is not None:
                break
            inherited_number, inherited_level = _number(child(style, "pPr", "numPr"))
            number = number if number is not None else inherited_number
            level = level if level is not None else inherited_level
        return None if number in (None, "0") else (str(number), level or 0)

    def _chain(self, properties: Element | None) -> list[Element]:
        found: list[Element] = []
        style_id = attribute(child(properties, "pStyle"), "val") or self._default
        while style_id is not None and len(found) < _MAX_CHAIN:
            style = self._by_id.get(style_id)
            if style is None:
                break
            found.append(style)
            style_id = attribute(child(style, "basedOn"), "val")
        return found


def _is_default(style: Element) -> bool:
    return attribute(style, "type") == "paragraph" and attribute(style, "default") in ("1", "true")


def _number(numbering: Element | None) -> tuple[str | None, int | None]:
    number, level = attribute(child(numbering, "numId"), "val"), attribute(child(numbering, "ilvl"), "val")
    return number, int(level) if level is not None and level.isdigit() else None
