"""Cases: make, rename, put away, delete, bring back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from aipc_app.domain.documents import LIBRARY_ID, Case
from aipc_app.domain.jobs import Changes
from aipc_app.errors import UserMistake
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services

Result = TypeVar("Result")

_CASES_CHANGED = Changes(cases=True)


def list_cases(services: Services, *, archived: bool = False, trashed: bool = False) -> Op[tuple[Case, ...]]:
    """Cases, the last opened first; the archived or the trashed ones when asked."""
    return simply("list cases", lambda: services.store.cases.list(archived=archived, trashed=trashed))


def find_case(services: Services, *, name: str) -> Op[Case]:
    """The case of this name. Raises UserMistake naming what there is."""
    return simply("find case", lambda: _find(services, name))


def create_case(services: Services, *, name: str) -> Op[Case]:
    """A new, empty case. Raises UserMistake when the name is taken or empty."""
    return simply("create case", lambda: _changing(services, lambda: services.store.cases.create(_clean(name))))


def ensure_case(services: Services, *, name: str) -> Op[Case]:
    """The case of this name, made if there is none."""
    return simply(
        "open case",
        lambda: services.store.cases.by_name(_clean(name)) or create_case(services, name=name).run(),
    )


def open_case(services: Services, *, case_id: int) -> Op[Case]:
    """Note that the user looks at this case now: it comes first in lists and in the queue."""
    return simply("open case", lambda: _open(services, case_id))


def rename_case(services: Services, *, case_id: int, name: str) -> Op[Case]:
    return simply(
        "rename case", lambda: _changing(services, lambda: services.store.cases.rename(case_id, _clean(name)))
    )


def archive_case(services: Services, *, case_id: int, on: bool = True) -> Op[Case]:
    """Put away or take out again; an archived case can still be asked."""
    return simply("archive case", lambda: _changing(services, lambda: services.store.cases.archive(case_id, on)))


def trash_case(services: Services, *, case_id: int, on: bool = True) -> Op[Case]:
    """To the trash, or back (undo)."""
    return simply("trash case", lambda: _changing(services, lambda: services.store.cases.trash(case_id, on)))


def delete_case(services: Services, *, case_id: int) -> Op[None]:
    """For good: documents that belong to no other case go with it."""
    return simply("delete case", lambda: _changing(services, lambda: _delete(services, case_id)))


def _find(services: Services, name: str) -> Case:
    case = services.store.cases.by_name(name)
    if case is None:
        known = ", ".join(item.name for item in services.store.cases.list()[:8])
        raise UserMistake(
            f"There is no case named '{name}'; "
            + (f"there are: {known}." if known else "add files to it first: aipc add --case NAME FILE.")
        )
    return case


def _open(services: Services, case_id: int) -> Case:
    services.store.cases.touch(case_id)
    services.ingest.prefer(case_id)
    return services.store.cases.get(case_id)


def _delete(services: Services, case_id: int) -> None:
    if case_id == LIBRARY_ID:
        raise UserMistake("The law library can't be deleted; remove its documents instead.")
    with services.ahead.at_rest():
        services.memory.owe_case(case_id)  # before anything goes, so that a kill can't leave it undone
        for document in services.store.documents.of_case(case_id):
            services.ingest.unlink(case_id, document.id)
        services.store.cases.delete(case_id)


def _changing(services: Services, work: Callable[[], Result]) -> Result:
    result = work()
    services.changes.publish(_CASES_CHANGED)
    return result


def _clean(name: str) -> str:
    cleaned = " ".join(name.split())
    if not cleaned:
        raise UserMistake("A case needs a name.")
    return cleaned
