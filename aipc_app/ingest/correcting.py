"""Text of a page as the user wrote it: passages and search follow it, what was read is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

import msgspec

from aipc_app.domain.boxes import NO_BOX, pack_boxes
from aipc_app.domain.documents import Document, Page, PageState, Passage
from aipc_app.errors import UserMistake
from aipc_app.ingest.passages import READABLE, Drafted, drafts_of, index_passage
from aipc_app.store import Correction, IndexedPassage, Store

_BOX_BYTES = 16
_MOST_COMPARED = 6_000  # characters; comparing takes the square of it


class CorrectedPage(msgspec.Struct, frozen=True, kw_only=True):
    """What correcting one page changes; `gone` are ids of passages that don't hold any more."""

    read: Page
    page: Page
    gone: tuple[int, ...]
    passages: tuple[IndexedPassage, ...]


def with_corrections(pages: Sequence[Page], corrections: Mapping[int, Correction]) -> tuple[Page, ...]:
    """Pages just read, with what the user wrote in place of their text."""
    return tuple(
        corrected(page, corrections[page.number].text) if page.number in corrections else page for page in pages
    )


def corrected(read: Page, text: str) -> Page:
    """The page with the user's text; characters that are still there keep their boxes."""
    if not text.strip():
        state = PageState.EMPTY
    else:
        state = read.state if read.state in READABLE else PageState.TEXT
    return msgspec.structs.replace(
        read, text=text, state=state, boxes=_moved_boxes(read.boxes, read.text, text), corrected=True
    )


def correct(store: Store, document: Document, number: int, text: str | None) -> CorrectedPage:
    """Work out what the user's text for a page changes; None: what was read stands again.

    Raises UserMistake for a page that isn't there.
    """
    pages = store.documents.pages(document.id)
    before = store.documents.page(document.id, number)
    known = store.corrections.of_document(document.id).get(number)
    read = before if known is None else msgspec.structs.replace(
        before, text=known.read_text, state=known.read_state, boxes=known.read_boxes, corrected=False
    )
    after = read if text is None else corrected(read, text)
    drafts = drafts_of([after if page.number == number else page for page in pages])
    gone, fresh = _changed(store.passages.of_document(document.id), drafts)
    return CorrectedPage(
        read=read, page=after, gone=gone, passages=tuple(index_passage(one.draft, one.searched) for one in fresh)
    )


def clean(text: str) -> str:
    """As pages are stored: line ends are "\\n". Raises UserMistake for a text that no page can have."""
    if len(text) > 2_000_000:
        raise UserMistake("This text is too long for one page; shorten it.")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").replace("\u2029", "\n")


def _changed(before: Sequence[Passage], after: Sequence[Drafted]) -> tuple[tuple[int, ...], list[Drafted]]:
    """Ids of passages that are gone, and those to be added."""
    stored = {(p.page, p.start, p.end, p.text, p.heading, p.article): p.id for p in before}
    fresh = []
    for one in after:
        draft = one.draft
        key = (draft.page, draft.start, draft.end, draft.text, draft.heading, draft.article)
        if stored.pop(key, None) is None:
            fresh.append(one)
    return tuple(stored.values()), fresh


def _moved_boxes(boxes: bytes, before: str, after: str) -> bytes:
    """Boxes for the new text; of a replaced stretch each character has a box of the stretch it stands for."""
    if not boxes or len(boxes) != _BOX_BYTES * len(before):
        return b""
    nothing = pack_boxes([NO_BOX])
    head = _common(before, after)
    tail = min(_common(before[::-1], after[::-1]), len(before) - head, len(after) - head)
    parts = [boxes[: head * _BOX_BYTES]]
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(len(old), len(new)) > _MOST_COMPARED:
        parts.append(nothing * len(new))
    else:
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "equal":
                parts.append(boxes[(head + i1) * _BOX_BYTES : (head + i2) * _BOX_BYTES])
            elif tag == "insert":
                parts.append(nothing * (j2 - j1))
            elif tag == "replace":
                places = (head + i1 + (j - j1) * (i2 - i1) // (j2 - j1) for j in range(j1, j2))
                parts.append(b"".join(boxes[at * _BOX_BYTES : (at + 1) * _BOX_BYTES] for at in places))
    parts.append(boxes[len(boxes) - tail * _BOX_BYTES :] if tail else b"")
    return b"".join(parts)


def _common(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
