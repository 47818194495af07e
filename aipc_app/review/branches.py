"""Asks items of one material as branches over one prefix; what failed is asked once more."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from aipc_app.answer.cancelling import cancelling
from aipc_app.answer.material import Source
from aipc_app.domain.answers import Reading
from aipc_app.domain.review import Item, ReviewEvent, ReviewTiming
from aipc_app.log import ANSWER
from aipc_app.review.asking import MAX_TOKENS, Reply, prompt_of, read_reply, schema_of, shape
from engine.client.base import EngineClient
from engine.errors import EngineDied, EngineError
from engine.types.generation import BranchFailed, FinishReason, Generated, ManyRequest, PrefillProgress, Priority
from engine.types.prompt import Prompt

MOST_TOGETHER = 8
_TRIES = 2


class Asked(Struct, frozen=True, kw_only=True):
    """`reply` None: it failed twice, `problem` says how. `seconds`: its share of the time of its batch."""

    item: Item
    prompt: Prompt
    reply: Reply | None
    problem: str = ""
    seconds: float = 0.0


class Asker:
    """Of one review. Not for two threads at once."""

    def __init__(
        self, engine: EngineClient, language: str, owner: str, emit: Callable[[ReviewEvent], None],
        cancel: threading.Event,
    ) -> None:  # fmt: skip
        self._engine, self._language, self._owner = engine, language, owner
        self._emit, self._cancel = emit, cancel
        self.timing = ReviewTiming()

    def ask(self, items: Sequence[Item], sources: Sequence[Source]) -> Iterator[Asked]:
        """Each item with its reply, batch by batch; ends early when the user stops. Blocks."""
        prompts = {item.id: prompt_of(item, sources, self._language) for item in items}
        by_shape = sorted(items, key=lambda item: MAX_TOKENS[shape(item)])  # alike in length: none waits for another
        for start in range(0, len(by_shape), MOST_TOGETHER):
            batch = by_shape[start : start + MOST_TOGETHER]
            yield from self._batch(batch, prompts)

    def _batch(self, batch: list[Item], prompts: dict[str, Prompt]) -> Iterator[Asked]:
        problems: dict[str, str] = {}
        for _ in range(_TRIES):
            if not batch or self._cancel.is_set():
                break
            began = time.monotonic()
            replies, problems = self._try(batch, prompts)
            seconds = (time.monotonic() - began) / len(batch)
            for item in batch:
                reply = replies.get(item.id)
                if reply is not None:
                    yield Asked(item=item, prompt=prompts[item.id], reply=reply, seconds=seconds)
            batch = [item for item in batch if item.id not in replies]
        if not self._cancel.is_set():
            for item in batch:
                yield Asked(item=item, prompt=prompts[item.id], reply=None, problem=problems.get(item.id, ""))

    def _try(self, batch: list[Item], prompts: dict[str, Prompt]) -> tuple[dict[str, Reply], dict[str, str]]:
        """One run of the branches: replies that can be read, and what went wrong with others."""
        request = ManyRequest(
            tuple(prompts[item.id] for item in batch),
            max_tokens=max(MAX_TOKENS[shape(item)] for item in batch),
            json_schemas=tuple(schema_of(item, self._language) for item in batch),
            priority=Priority.BACKGROUND,  # a question that the user asks meanwhile goes first
            owner=self._owner,
        )
        replies: dict[str, Reply] = {}
        problems: dict[str, str] = {}
        try:
            branches = self._engine.generate_many(request)
            with cancelling(self._cancel, branches.cancel):
                for event in branches:
                    item = batch[event.branch]
                    match event.event:
                        case PrefillProgress() as told:
                            self._emit(
                                Reading(told.done_tokens, told.total_tokens, told.restored_tokens, told.seconds_left)
                            )
                        case Generated() as end if end.reason is not FinishReason.CANCELLED:
                            self._count(end)
                            reply = read_reply(item, end.text)
                            if reply is not None:
                                replies[item.id] = reply
                        case BranchFailed(message=message):
                            problems[item.id] = message
                        case _:
                            pass
        except EngineDied as error:  # it is started again by the next try
            ANSWER.warning("the engine ended in a review: %s", type(error).__name__)
            problems |= {item.id: error.message for item in batch}
        except EngineError as error:
            problems |= {item.id: error.message for item in batch}
        return replies, problems

    def _count(self, end: Generated) -> None:
        now, one = self.timing, end.timing
        self.timing = ReviewTiming(
            prompt_tokens=now.prompt_tokens + one.prompt_tokens,
            restored_tokens=now.restored_tokens + one.restored_tokens,
            prefilled_tokens=now.prefilled_tokens + one.prefilled_tokens,
            generated_tokens=now.generated_tokens + one.generated_tokens,
        )
