"""What the model remembers: see it, read ahead, pin, forget."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from aipc_app.domain.answers import Answer, Question
from aipc_app.domain.jobs import Changes
from aipc_app.domain.remembering import (
    CaseReading,
    CaseShare,
    DocumentShare,
    Forecast,
    MemoryStatus,
    case_label,
    cases_of,
)
from aipc_app.errors import AipcError, Cancelled, UserMistake
from aipc_app.operations.asking import ask
from aipc_app.operations.models import chosen_model, ensure_loaded
from aipc_app.operations.op import Emit, Op, simply
from aipc_app.operations.services import Services
from engine.types.model import EngineReady
from engine.types.remembering import OwnerShare


def memory_status(services: Services) -> Op[MemoryStatus]:
    """The store as it is, with what is kept per case. Starts the engine's process if need be; needs no model."""
    return simply("look at what is remembered", lambda: _status(services))


def case_reading(services: Services, *, case_id: int) -> Op[CaseReading]:
    """How much of each of a case's documents is remembered by the chosen model, and whether it is being read."""
    return simply("look how far reading is", lambda: _reading(services, case_id))


def document_shares(services: Services, *, case_id: int) -> Op[tuple[DocumentShare, ...]]:
    """A case's documents with how much of each the chosen model remembers, as last seen."""
    return simply("list what is remembered", lambda: _document_shares(services, case_id))


def remember_case(services: Services, *, case_id: int) -> Op[CaseReading]:
    """Read a case's documents now and remember them; loads the model if need be.

    Emits float while it loads, then Reading. A question goes first. Cancel keeps what was read.
    """
    return Op("read ahead", lambda emit, cancel: _remember(services, case_id, emit, cancel))


def pin_case(services: Services, *, case_id: int, on: bool = True) -> Op[None]:
    """What is remembered of a pinned case is never thrown out to make room."""

    def work() -> None:
        services.engine.pin(case_label(case_id), on)
        services.changes.publish(Changes(remembering=frozenset({case_id})))

    return simply("pin case", work)


def forget_case(services: Services, *, case_id: int) -> Op[int]:
    """Delete what was read for a case; bytes freed on disk. It is read again only when it is asked or remembered."""
    return simply("forget case", lambda: _forget(services, case_id))


def forget_everything(services: Services) -> Op[int]:
    """Delete what was read for every case; bytes freed on disk."""
    return simply("forget everything", lambda: _forget(services, None))


def forget_deleted(services: Services) -> Op[None]:
    """Wait until what was read of deleted cases and documents is deleted too."""
    return simply("forget what was deleted", services.memory.pay)


def settle_remembered(services: Services, *, cases: Iterable[int]) -> Op[None]:
    """Wait until what was read is on disk, and note how much of these cases is remembered now."""

    def work() -> None:
        services.engine.flush()
        services.memory.note(cases)

    return simply("settle what was read", work)


def forecast(services: Services, *, question: Question) -> Op[Forecast]:
    """What answering would have to read first. Loads the model if need be (emits float); reads nothing."""

    def work(emit: Emit, cancel: threading.Event) -> Forecast:
        ensure_loaded(services).run(emit, cancel)
        return services.answers.forecast(question)

    return Op("forecast reading", work)


def ask_when_read(services: Services, *, question: Question) -> Op[Answer]:
    """Read the case first, behind whatever else is asked, then answer. Emits float, Reading, then AnswerEvent."""

    def work(emit: Emit, cancel: threading.Event) -> Answer:
        if len(question.cases) == 1 and question.documents is None:
            _remember(services, question.cases[0], emit, cancel)
        if cancel.is_set():
            raise Cancelled
        return ask(services, question=question).run(emit, cancel)

    return Op("ask when it is read", work)


def _status(services: Services) -> MemoryStatus:
    status = services.engine.store_status()
    shares = (_case_share(services, share) for share in status.owners)
    return MemoryStatus(
        enabled=status.enabled,
        ram_bytes=status.ram_bytes,
        ram_quota=status.ram_quota,
        disk_bytes=status.disk_bytes,
        disk_quota=status.disk_quota,
        blocks=status.blocks,
        cases=tuple(share for share in shares if share is not None),
        problem=status.problem,
    )


def _case_share(services: Services, share: OwnerShare) -> CaseShare | None:
    """None for a source, and for cases that are gone (what is kept for them is on its way out)."""
    ids = cases_of(share.owner)
    try:
        names = [services.store.cases.get(case_id).name for case_id in ids]
    except UserMistake:
        return None
    if not names:
        return None
    documents = _document_shares(services, ids[0]) if len(ids) == 1 else ()
    return CaseShare(
        case=" + ".join(names),
        case_ids=ids,
        bytes=share.bytes,
        tokens=share.tokens,
        pinned=share.pinned,
        documents=documents,
    )


def _document_shares(services: Services, case_id: int) -> tuple[DocumentShare, ...]:
    shares = _reading(services, case_id).shares
    return tuple(
        DocumentShare(document_id=d.id, document=d.name, remembered=shares.get(d.id, 0.0))
        for d in services.store.documents.of_case(case_id)
    )


def _model_in_use(services: Services) -> str:
    state = services.engine.state
    if isinstance(state, EngineReady):
        return state.model.path
    try:
        return str(chosen_model(services))
    except AipcError:
        return ""


def _reading(services: Services, case_id: int) -> CaseReading:
    return services.ahead.reading(case_id, _model_in_use(services))


def _remember(services: Services, case_id: int, emit: Emit, cancel: threading.Event) -> CaseReading:
    services.store.cases.get(case_id)
    ensure_loaded(services).run(emit, cancel)
    return services.ahead.order(case_id, emit, cancel)


def _forget(services: Services, case_id: int | None) -> int:
    with services.ahead.at_rest():
        freed = services.memory.forget_all() if case_id is None else services.memory.forget_case(case_id)
    services.ahead.forgotten()
    touched = [case.id for case in services.store.cases.list()] if case_id is None else [case_id]
    services.changes.publish(Changes(remembering=frozenset(touched)))
    return freed
