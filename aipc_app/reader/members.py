"""Files inside files, written where the parent can take them in: attachments, what archives hold.

Names come from strangers: they never become paths here, files are called 000001, 000002 …
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from aipc_app.domain.reader_wire import MemberFound
from aipc_app.reader.convert.base import Container, Member
from aipc_app.reader.failure import FailureKind, ReadingError, failure_of
from aipc_app.reader.names import safe_name, shown_name

MAX_MEMBERS = 20_000
MAX_TOTAL_BYTES = 8 << 30


def write_members(request_id: int, content: Container, folder: Path) -> Iterator[MemberFound]:
    """Write each file into `folder` and tell of it. One that can't be written is told with its reason.

    Raises ReadingError (limit) when there are absurdly many or they unpack to more than a disk should take.
    """
    left = MAX_TOTAL_BYTES
    for number, member in enumerate(content.members(), 1):
        if number > MAX_MEMBERS:
            raise ReadingError(
                FailureKind.LIMIT, f"More than {MAX_MEMBERS} files are in this one; unpack it and add the folder."
            )
        name = safe_name(member.name)
        if name is None:
            yield MemberFound(id=request_id, name=shown_name(member.name), problem=OUTSIDE)
            continue
        found = _written(request_id, name, member, folder / f"{number:06}", left)
        left -= Path(found.path).stat().st_size if found.path else 0
        yield found


OUTSIDE = "It was not taken in, because its name leads out of the place it is in; unpack it by hand if you trust it."


class LimitedFile:
    """Raises ReadingError (limit) when more is written than what is left."""

    def __init__(self, file: BinaryIO, left: int) -> None:
        self._file, self._left = file, left

    def write(self, data: bytes) -> int:
        self._left -= len(data)
        if self._left < 0:
            raise ReadingError(
                FailureKind.LIMIT,
                "What is in this file unpacks to far more than a case holds; unpack it and add what you need.",
            )
        return self._file.write(data)


def _written(request_id: int, name: str, member: Member, path: Path, left: int) -> MemberFound:
    if member.write is None:
        return MemberFound(id=request_id, name=name, problem=member.problem)
    try:
        with path.open("wb") as file:
            member.write(LimitedFile(file, left))  # type: ignore[arg-type]
        return MemberFound(id=request_id, name=name, path=str(path))
    except Exception as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ReadingError(
                FailureKind.ERROR, "The disk is full, so what is in this file can't be kept; free some space and retry."
            ) from error
        failure = failure_of(error)
        if failure.kind is FailureKind.LIMIT:
            raise failure from error
        return MemberFound(id=request_id, name=name, problem=failure.reason)
