"""Reading ahead: a prompt's prefix is brought into the store, and nothing is said."""

from __future__ import annotations

from collections.abc import Callable, Generator

from engine.errors import EngineError
from engine.runtime.job import Job
from engine.runtime.loaded import Loaded
from engine.runtime.reading import Reading
from engine.runtime.tokens import PromptTokens
from engine.types.generation import GenerationEvent, PrefillProgress, Remembered
from engine.types.remembering import RememberRequest


class RememberJob(Job):
    """Emits PrefillProgress, at last Remembered. `emit` is called on the engine's thread."""

    def __init__(
        self, id_: int, request: RememberRequest, emit: Callable[[GenerationEvent], None],
        on_failure: Callable[[EngineError], None],
    ) -> None:  # fmt: skip
        super().__init__(id_, request.priority, request.owner)
        self._request, self._emit, self._on_failure = request, emit, on_failure
        self._reading: Reading | None = None
        self._total = 0

    def steps(self, loaded: Loaded) -> Generator[None, None, None]:
        prompt = loaded.prompt(self._request.prompt).before_question()
        self._total = len(prompt.tokens)
        if not prompt.tokens or loaded.blocks is None:
            self._emit(Remembered(self._total, 0, 0, 0, complete=not prompt.tokens))
            return
        if self._is_there(loaded, prompt):
            self._emit(Remembered(self._total, self._total, 0, 0, complete=True))
            return
        reading = self._reading = Reading(self, loaded, prompt, 0)
        try:
            yield from reading.prefill(self._report)
            kept = reading.kept()
            self._emit(
                Remembered(
                    self._total, reading.restored, reading.prefilled, reading.stored, complete=kept == self._total
                )
            )
        finally:
            reading.finish()

    def suspend(self) -> None:
        if self._reading is not None:
            self._reading.suspend()

    def stopped(self) -> None:
        reading = self._reading
        if reading is None:
            self._emit(Remembered(self._total, 0, 0, 0, complete=False))
        else:
            self._emit(
                Remembered(self._total, reading.restored, reading.prefilled, reading.stored, complete=False)
            )

    def fail(self, error: EngineError) -> None:
        self._on_failure(error)

    def _is_there(self, loaded: Loaded, prompt: PromptTokens) -> bool:
        """All of it is kept already: mark it as this owner's and read nothing."""
        chain = loaded.chain(prompt, self.owner)
        if chain is None or loaded.blocks is None or loaded.blocks.kept(chain) < self._total:
            return False
        loaded.blocks.use(chain)
        return True

    def _report(self, done: int, total: int, restored: int, seconds_left: float) -> None:
        self._emit(PrefillProgress(done, total, restored, seconds_left))
