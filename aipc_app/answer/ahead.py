"""Reading ahead: documents of indexed cases are read by the model while nobody asks, and remembered.

A thread of its own looks for the next case, most recently opened first, and reads it with the lowest priority. A
question, the battery, other programs stop it; what was read by then stays read. It loads no model by itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from msgspec.structs import replace

from aipc_app.answer.cancelling import cancelling
from aipc_app.answer.memory import Memory, Survey
from aipc_app.answer.pressure import Pressure
from aipc_app.domain.answers import Reading
from aipc_app.domain.jobs import Changes
from aipc_app.domain.remembering import CaseReading, Pause, case_label
from aipc_app.errors import AipcError, Cancelled
from aipc_app.ingest.lane import Lane
from aipc_app.log import ANSWER
from aipc_app.settings.model import Settings
from aipc_app.store import Store
from engine.client.base import EngineClient, Generation
from engine.errors import EngineError
from engine.types.generation import PrefillProgress, Priority
from engine.types.model import EngineReady, LoadedModel
from engine.types.prompt import SegmentKind
from engine.types.remembering import Remembered, RememberRequest

_STOP_WITHIN_S = 2.0
_LOOK_AGAIN_S = 20.0  # at battery and load
_TELL_EVERY_S = 0.5
_Signature = tuple[object, ...]


class ReadingAhead:
    """Every method may be called from any thread. `publish` is called on the thread that makes the change."""

    def __init__(
        self,
        store: Store,
        engine: EngineClient,
        memory: Memory,
        settings: Callable[[], Settings],
        publish: Callable[[Changes], None],
        pressure: Pressure | None = None,
    ) -> None:
        self._store, self._engine, self._memory, self._settings = store, engine, memory, settings
        self._publish, self._pressure = publish, pressure or Pressure()
        self._lane = Lane("reading-ahead", self._step)
        self._reads = False
        self._changed = threading.Condition()
        self._asking = self._ordering = 0
        self._generation: Generation | None = None
        self._interrupted = False
        self._now: CaseReading | None = None
        self._pause = Pause.NONE
        self._done: dict[int, _Signature] = {}
        self._to_note: set[int] = set()
        self._problems: dict[int, str] = {}
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self, *, reads: bool) -> None:
        """Begin. `reads`: documents are read ahead; else only what is owed is forgotten."""
        self._reads = reads
        self._unsubscribe = self._engine.subscribe(lambda _state: self._lane.wake())
        self._lane.start()

    def stop(self) -> None:
        """End within two seconds; what was read is kept."""
        self._unsubscribe()
        self._lane.ask_to_stop()
        self._interrupt()
        self._lane.join(_STOP_WITHIN_S)

    def changed(self, changes: Changes) -> None:
        """Something changed in the home; there may be something to read, or to forget."""
        if changes.pages:
            self._done.clear()
        if changes.pages or changes.documents or changes.cases or changes.settings:
            self._lane.wake()

    def reading(self, case_id: int, model: str) -> CaseReading:
        """How far it is with this case now; `model`: the file of the model whose memory is meant."""
        now = self._now
        shares = {o.document_id: o.share for o in self._store.remembered.of_case(case_id) if o.model == model}
        if now is not None and now.case_id == case_id:
            return replace(now, shares=shares | now.shares)
        pause = self._pause if self._reads and any(share < 1.0 for share in shares.values()) else Pause.NONE
        return CaseReading(case_id=case_id, shares=shares, pause=pause, problem=self._problems.get(case_id, ""))

    @contextmanager
    def question(self, cases: tuple[int, ...]) -> Iterator[None]:
        """While a question is worked out nothing is read ahead."""
        with self._changed:
            self._asking += 1
        self._interrupt()
        try:
            yield
        finally:
            with self._changed:
                self._asking -= 1
                self._to_note.update(cases)
                self._changed.notify_all()
            self._lane.wake()

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """While this is open nothing is read ahead, by order neither: what is forgotten now is not read again."""
        with self.question(()):
            with self._changed:
                self._changed.wait_for(lambda: self._generation is None, _STOP_WITHIN_S)
            yield

    def order(self, case_id: int, emit: Callable[[Reading], None], cancel: threading.Event) -> CaseReading:
        """Read this case now, because the user wants it: neither battery nor load stop it, but a question goes first.

        The model must be loaded. Raises Cancelled, UserMistake, EngineError.
        """
        self._store.remembered.read_ahead(case_id, True)
        with self._changed:
            self._ordering += 1
        self._interrupt()
        try:
            with cancelling(cancel, self._interrupt):
                return self._carry_out(case_id, emit, cancel)
        finally:
            with self._changed:
                self._ordering -= 1
                self._changed.notify_all()
            self._lane.wake()

    def forgotten(self) -> None:
        """What was known may be gone; look again."""
        self._done.clear()
        self._lane.wake()

    # -- the user's order ------------------------------------------------------------------------

    def _carry_out(self, case_id: int, emit: Callable[[Reading], None], cancel: threading.Event) -> CaseReading:
        while True:
            self._wait_for_my_turn(cancel)
            model = self._model()
            survey = self._memory.survey(case_id, model)
            if survey is None:
                raise AipcError(
                    "These documents are not read as a whole: there are none, they are still being indexed, "
                    "or they are longer than what the model takes at once."
                )
            hindered = partial(self._order_hindered, cancel)
            if self._read(survey, hindered, emit):
                return self.reading(case_id, model.path)
            if cancel.is_set():
                raise Cancelled

    def _order_hindered(self, cancel: threading.Event) -> bool:
        return cancel.is_set() or self._asking > 0

    def _wait_for_my_turn(self, cancel: threading.Event) -> None:
        with self._changed:
            while self._asking or self._generation is not None:
                self._changed.wait(0.1)
                if cancel.is_set():
                    raise Cancelled

    def _model(self) -> LoadedModel:
        state = self._engine.state
        if not isinstance(state, EngineReady):
            raise AipcError("No language model is loaded; choose one under Models.")
        if not state.model.abilities.remembers:
            raise AipcError("A server remembers by itself what it read; it can't be made to read ahead.")
        return state.model

    # -- by itself -------------------------------------------------------------------------------

    def _step(self) -> float | None:
        """One look around; on the lane's thread."""
        try:
            if not self._asking:  # else what the question reads just now would outlive it
                self._memory.pay()
            self._note_answered()
            return self._read_next()
        except EngineError as error:  # it ended; whoever starts it again wakes this
            ANSWER.warning("reading ahead stopped: %s", type(error).__name__)
            return None

    def _note_answered(self) -> None:
        """Questions read documents too."""
        with self._changed:
            if self._asking:
                return
            cases, self._to_note = self._to_note, set()
        if self._reads and cases:
            self._memory.note(cases)
            self._publish(Changes(remembering=frozenset(cases)))

    def _read_next(self) -> float | None:
        state = self._engine.state
        if not self._wanted() or not isinstance(state, EngineReady) or not state.model.abilities.remembers:
            return None
        pause = self._hindrance()
        if pause is Pause.NONE:
            survey = self._next_survey(state.model)
            if survey is None:
                self._set_pause(Pause.NONE)
                return None
            pause = Pause.FULL if self._lacks_room(survey) else Pause.NONE
            if pause is Pause.NONE:
                self._set_pause(pause)
                self._try(survey, self._signature(survey.case_id, state.model))
                return 0.0
        self._set_pause(pause)
        return _LOOK_AGAIN_S if pause in (Pause.BATTERY, Pause.BUSY) else None

    def _next_survey(self, model: LoadedModel) -> Survey | None:
        """The first case in order of which something is not remembered."""
        left_out = self._store.remembered.left_out()
        for case in self._store.cases.list():
            signature = self._signature(case.id, model)
            if case.id in left_out or self._done.get(case.id) == signature or not signature[1:]:
                continue
            survey = self._memory.survey(case.id, model)
            self._publish(Changes(remembering=frozenset({case.id})))
            if survey is not None and (survey.missing_tokens > 0 or not self._is_its_own(survey)):
                return survey
            self._done[case.id] = signature
        return None

    def _is_its_own(self, survey: Survey) -> bool:
        """Is what is known kept for this case too? Another case's documents may be the same, and be deleted."""
        label = case_label(survey.case_id)
        shares = (share for share in self._engine.store_status().owners if share.owner == label)
        return sum(share.tokens for share in shares) >= survey.known.known_tokens

    def _signature(self, case_id: int, model: LoadedModel) -> _Signature:
        """Changes when there may be something else to read."""
        documents = self._store.documents.of_case(case_id)
        return (model.identity, *((d.id, d.status, d.pages, d.passages) for d in documents))

    def _lacks_room(self, survey: Survey) -> bool:
        """Would what other cases have been read for have to go? The case on top of the list may do that."""
        first = next(iter(self._store.cases.list()), None)
        if first is not None and first.id == survey.case_id:
            return False
        status = self._engine.store_status()
        kept = sum(share.tokens for share in status.owners)
        a_token = sum(share.bytes for share in status.owners) / kept if kept else 0.0
        quota = max(status.disk_quota, status.ram_quota)
        held = status.disk_bytes if status.disk_quota >= status.ram_quota else status.ram_bytes
        return held + survey.missing_tokens * a_token > quota

    def _try(self, survey: Survey, signature: _Signature) -> None:
        """Read a case. What went wrong is told once and not tried again: it may have been what ended the engine."""
        try:
            if self._read(survey, lambda: self._hindrance() is not Pause.NONE, lambda _event: None):
                self._done[survey.case_id] = signature
        except EngineError as error:
            self._done[survey.case_id] = signature
            self._problems[survey.case_id] = error.message
            self._publish(Changes(remembering=frozenset({survey.case_id})))
            raise

    def _hindrance(self) -> Pause:
        settings = self._settings().remembering
        if self._asking or self._ordering or self._lane.stopping or not self._wanted():
            return Pause.QUESTION
        if not settings.on_battery and self._pressure.on_battery():
            return Pause.BATTERY
        return Pause.BUSY if self._pressure.busy() else Pause.NONE

    def _wanted(self) -> bool:
        settings = self._settings().remembering
        return self._reads and settings.enabled and settings.read_ahead

    def _set_pause(self, pause: Pause) -> None:
        if pause is not self._pause:
            self._pause = pause
            self._publish(Changes(remembering=frozenset(case.id for case in self._store.cases.list())))

    # -- reading ---------------------------------------------------------------------------------

    def _read(self, survey: Survey, hindered: Callable[[], object], emit: Callable[[Reading], None]) -> bool:
        """Read until it is done or hindered; True when it was done. What was read is noted either way."""
        owner = case_label(survey.case_id)
        with self._changed:
            if hindered() or self._generation is not None:
                return False
            generation = self._engine.remember(RememberRequest(survey.prompt, owner, Priority.BACKGROUND))
            self._generation, self._interrupted = generation, False
        complete = False
        try:
            told = 0.0
            for event in generation:
                if isinstance(event, Remembered):
                    complete = event.complete
                elif isinstance(event, PrefillProgress):
                    emit(Reading(event.done_tokens, event.total_tokens, event.restored_tokens, event.seconds_left))
                    self._now = _reading(survey, event)
                    if time.monotonic() - told >= _TELL_EVERY_S:
                        told = time.monotonic()
                        self._publish(Changes(remembering=frozenset({survey.case_id})))
                    if hindered():
                        self._interrupt()
        finally:
            with self._changed:
                self._generation, self._now = None, None
                self._changed.notify_all()
        given_up = not complete and not self._interrupted
        self._note_problem(survey.case_id, self._engine.store_status().problem if given_up else "")
        self._memory.survey(survey.case_id, self._model())
        self._publish(Changes(remembering=frozenset({survey.case_id})))
        return complete or given_up

    def _note_problem(self, case_id: int, sentence: str) -> None:
        if sentence:
            self._problems[case_id] = sentence
        else:
            self._problems.pop(case_id, None)

    def _interrupt(self) -> None:
        with self._changed:
            generation, self._interrupted = self._generation, True
        if generation is not None:
            generation.cancel()


def _reading(survey: Survey, event: PrefillProgress) -> CaseReading:
    """Tokens in place, as shares of the documents they are of."""
    known = {one.document_id: one.share for one in survey.shares}
    shares, start = {}, 0
    for segment in survey.known.segments:
        end = start + segment.tokens
        if segment.kind is SegmentKind.DOCUMENTS and segment.tokens:
            id_ = int(segment.source.rpartition(":")[2])
            shares[id_] = max(known.get(id_, 0.0), min(1.0, max(0.0, (event.done_tokens - start) / segment.tokens)))
        start = end
    return CaseReading(case_id=survey.case_id, shares=shares, running=True, seconds_left=event.seconds_left)
