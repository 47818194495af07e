"""Several answers of the fake engine, one event of each in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.client.base import Branches, Generation
from engine.errors import EngineDied, EngineError
from engine.types.generation import BranchEvent, BranchFailed, GenerationEvent, Remembered


class FakeBranches(Branches):
    """Generations side by side; a failure ends one, a death all."""

    def __init__(self, generations: Sequence[Generation]) -> None:
        self._generations = tuple(generations)

    def cancel(self) -> None:
        for generation in self._generations:
            generation.cancel()

    def cancel_branch(self, branch: int) -> None:
        self._generations[branch].cancel()

    def __iter__(self) -> Iterator[BranchEvent]:
        running = {branch: iter(generation) for branch, generation in enumerate(self._generations)}
        while running:
            for branch, events in list(running.items()):
                event = _next(events)
                if event is None:
                    del running[branch]
                    continue
                if isinstance(event, BranchFailed):
                    del running[branch]
                assert not isinstance(event, Remembered)
                yield BranchEvent(branch, event)


def _next(events: Iterator[GenerationEvent]) -> GenerationEvent | BranchFailed | None:
    try:
        return next(events, None)
    except EngineDied:
        raise
    except EngineError as error:
        return BranchFailed(error.message, type(error).__name__)
