"""ZIP, 7z and RAR: a page that lists what is in it, and the files as documents of their own.

Nothing is unpacked to a path that the archive names; what leads out of it, links, and what is protected is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aipc_app.reader.convert.base import Member, ReadPage
from aipc_app.reader.convert.grid import row_line
from aipc_app.reader.convert.pages import text_page
from aipc_app.reader.failure import FailureKind, ReadingError

LINK = "It was not taken in, because it is a link to somewhere else; add the file that it leads to."
LOCKED = "It is protected; add the archive again with its password."
WRONG = "The password does not open it; add the archive again with the right one."
EMPTY = "There is nothing in this archive."
MAX_MEMBERS = 20_000
_MAX_LISTED = 200


@dataclass(frozen=True)
class Entry:
    """One file of an archive: what the list says of it, and how to get it."""

    member: Member
    size: int  # bytes, unpacked


class Archive:
    """The content of an opened archive; folders are not entries."""

    has_layout = False
    count = 1
    title = ""

    def __init__(self, entries: Sequence[Entry]) -> None:
        if len(entries) > MAX_MEMBERS:
            raise too_many()
        self._entries = entries

    @property
    def member_count(self) -> int:
        return len(self._entries)

    def members(self) -> Iterator[Member]:
        for entry in self._entries:
            yield entry.member

    def pages(self) -> Iterator[ReadPage]:
        """So many names that a search would find nothing else are cut short."""
        lines = [row_line((entry.member.name, _size(entry.size))) for entry in self._entries[:_MAX_LISTED]]
        more = len(self._entries) - len(lines)
        yield text_page(1, "\n".join([*lines, *([f"… +{more}"] if more else [])]), empty=EMPTY)


def password_for_archive() -> ReadingError:
    return ReadingError(FailureKind.PASSWORD, "This archive is protected; add it again with its password.")


def wrong_archive_password() -> ReadingError:
    return ReadingError(
        FailureKind.PASSWORD, "The password does not open this archive, or it is damaged; try another one."
    )


def locked_archive() -> ReadingError:
    return ReadingError(
        FailureKind.UNSUPPORTED,
        "This archive is protected in a way that can't be opened here; unpack it and add the folder.",
    )


def too_many() -> ReadingError:
    return ReadingError(
        FailureKind.LIMIT, f"More than {MAX_MEMBERS} files are in this archive; unpack it and add the folder."
    )


def _size(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size / 1024:.0f} KB" if size < 1 << 20 else f"{size / (1 << 20):.1f} MB"
