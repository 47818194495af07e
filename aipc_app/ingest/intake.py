"""Taking files into a case: those that were dropped, and those that lie inside others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from msgspec import Struct

from aipc_app.domain.documents import Document, DocumentStatus, Member
from aipc_app.domain.reader_wire import MemberFound
from aipc_app.errors import UserMistake
from aipc_app.ingest.sources import is_left_out
from aipc_app.store import Store

MOST_NESTED = 3
TOO_DEEP = (
    "What is in it was not taken in, because it lies in three other files already; take it out and add it by itself."
)
_RETRIED = (DocumentStatus.FAILED, DocumentStatus.UNSUPPORTED)


class TakenMember(Struct, frozen=True, kw_only=True):
    """A file that was found inside another and kept, by its hash; or `problem`, why it was not."""

    name: str
    sha256: str = ""
    size: int = 0
    problem: str = ""


class TakenIn(Struct, frozen=True, kw_only=True):
    """A file that is now a document of the case. `to_read`: nothing of it is known yet."""

    document: Document
    to_read: bool
    newly_linked: bool


def take_in(store: Store, name: str, sha256: str, size: int, case_ids: Collection[int]) -> TakenIn:
    """Make a document of a kept file, or find the one it is, and put it into the cases. Inside a transaction."""
    known = store.documents.by_hash(sha256)
    document = known or store.documents.add(name=name, sha256=sha256, size=size)
    linked = [store.documents.link(case_id, document.id) for case_id in case_ids]
    to_read = known is None or document.status in _RETRIED
    if to_read and document.name != name:  # the name says how to read it
        store.documents.rename(document.id, name)
        document = store.documents.get(document.id)
    return TakenIn(document=document, to_read=to_read, newly_linked=any(linked))


def keep_members(store: Store, found: Sequence[MemberFound]) -> tuple[TakenMember, ...]:
    """Keep what the reader unpacked; hidden and system files are left out as they are in folders.

    Raises StorageError when the home can't be written.
    """
    return tuple(_keep(store, one) for one in found if not _is_left_out(one.name))


def _is_left_out(path: str) -> bool:
    """A name that leads upwards is told of instead."""
    return any(part != ".." and is_left_out(part) for part in path.split("/"))


def _keep(store: Store, found: MemberFound) -> TakenMember:
    if not found.path:
        return TakenMember(name=found.name, problem=found.problem)
    path = Path(found.path)
    try:
        sha256, size = store.originals.put(path)
    except UserMistake as mistake:
        return TakenMember(name=found.name, problem=mistake.message)
    path.unlink(missing_ok=True)
    return TakenMember(name=found.name, sha256=sha256, size=size)


def refused(members: Sequence[Member | TakenMember]) -> list[str]:
    """The names of those that were not taken in."""
    return [one.name for one in members if one.problem]
