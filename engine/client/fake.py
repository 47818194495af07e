"""An engine that answers from a script: for demonstrations and for the tests of everything above the engine.

It keeps the promises of `EngineClient`: the order of events, whole characters, states, errors, cancel, death and the
restart by itself. Nothing in it sleeps; a test holds and releases it instead, or gives it a speed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from engine.client.base import Branches, EngineClient, Generation
from engine.client.fake_branches import FakeBranches
from engine.client.fake_store import FakeStore, fake_tokens, segments_of
from engine.client.fake_work import FakeGeneration, FakeRemembering, FakeWork, texts_of
from engine.errors import EngineDied, EngineError, PromptTooLong, RequestInvalid
from engine.types.generation import (
    GenerateRequest,
    ManyRequest,
    ScoreRequest,
    Scores,
    Timing,
)  # fmt: skip
from engine.types.model import (
    Device,
    DeviceKind,
    EngineFailed,
    EngineLoading,
    EngineReady,
    EngineState,
    EngineStopped,
    Inspection,
    LoadedModel,
    LoadPlan,
    LoadRequest,
)  # fmt: skip
from engine.types.prompt import Prompt, SegmentKind
from engine.types.remembering import Known, RememberRequest, StoreStatus

Answerer = Callable[[GenerateRequest], str]
Scorer = Callable[[ScoreRequest], Sequence[float]]

_DIED = "The engine stopped unexpectedly. It is started again with the same model at the next question."
_CLOSED = "The engine has been closed."
_CONTEXT_TOKENS = 16_384


class FakeEngine(EngineClient):
    """Answers each request by `answer`: a function, or texts by what the question contains ("" for any other).

    A text may begin with `<think>…</think>`. `token_delay_s` is the pause between tokens. `hold_after(n)` stops every
    generation after n tokens until `release` (0: also prefills, before their first piece); `die` ends it as a crash
    would; `fail_next` makes the next request fail. `store` is what it remembers, for a test to look into and to spoil.
    """

    def __init__(
        self, answer: Answerer | Mapping[str, str] | str = "", *, score: Scorer | None = None,
        token_delay_s: float = 0.0, loaded: bool = True, context_tokens: int = _CONTEXT_TOKENS,
    ) -> None:  # fmt: skip
        self._answer = answer if callable(answer) else _by_question(answer)
        self._score, self._delay_s, self._context_tokens = score, token_delay_s, context_tokens
        self._changed = threading.Condition()
        self._listeners: list[Callable[[EngineState], None]] = []
        self._model: LoadedModel | None = None
        self._state: EngineState = EngineStopped()
        self._running: set[FakeGeneration | FakeRemembering] = set()
        self._failure: EngineError | None = None
        self._hold_after: int | None = None
        self._load_held = self._load_cancelled = self._closed = False
        self.store = FakeStore()
        self.remember_requests: list[RememberRequest] = []
        self.requests: list[GenerateRequest] = []
        self.many_requests: list[ManyRequest] = []
        self.score_requests: list[ScoreRequest] = []
        if loaded:
            self.load(LoadRequest("fake.gguf"))

    # -- the interface ---------------------------------------------------------------------------

    @property
    def state(self) -> EngineState:
        return self._state

    def subscribe(self, listener: Callable[[EngineState], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def inspect(self) -> Inspection:
        self._refuse_if_closed()
        cpu = Device("CPU", "A processor that isn't there", DeviceKind.CPU, 16 << 30, 8 << 30)
        return Inspection((cpu,), "fake", (), {"engine": "fake"})

    def load(self, request: LoadRequest, on_progress: Callable[[float], None] | None = None) -> LoadedModel:
        self._refuse_if_closed()
        self._load_cancelled = False
        try:
            for fraction in (0.0, 0.5, 1.0):
                self._set_state(EngineLoading(request.path, fraction))
                if on_progress is not None:
                    on_progress(fraction)
                with self._changed:
                    self._changed.wait_for(lambda: not self._load_held or self._load_cancelled)
                if self._load_cancelled:
                    raise EngineError("The loading of the model was stopped.")
                self.raise_failure()
        except EngineError as error:
            self._model = None
            self._set_state(EngineFailed(error.message))
            raise
        self._model = _model(request, self._context_tokens)
        self._set_state(EngineReady(self._model))
        return self._model

    def cancel_load(self) -> None:
        with self._changed:
            self._load_cancelled = True
            self._changed.notify_all()

    def unload(self) -> None:
        self._model = None
        self._set_state(EngineStopped())

    def generate(self, request: GenerateRequest) -> Generation:
        self._refuse_if_closed()
        self._need_model()
        self.requests.append(request)
        generation = FakeGeneration(self, request)
        with self._changed:
            self._running.add(generation)
        return generation

    def generate_many(self, request: ManyRequest) -> Branches:
        request.check()
        self.many_requests.append(request)
        return FakeBranches([self.generate(request.alone(branch)) for branch in range(len(request.prompts))])

    def score(self, request: ScoreRequest) -> Scores:
        self._refuse_if_closed()
        self.revive()
        self.score_requests.append(request)
        self.raise_failure()
        if self._score is not None:
            return Scores(tuple(self._score(request)), Timing())
        return Scores(tuple(-float(i) for i in range(len(request.continuations))), Timing())

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        self._refuse_if_closed()
        return tuple(len(fake_tokens(text)) for text in texts)

    def remember(self, request: RememberRequest) -> Generation:
        self._refuse_if_closed()
        self._need_model()
        self.remember_requests.append(request)
        remembering = FakeRemembering(self, request)
        with self._changed:
            self._running.add(remembering)
        return remembering

    def known(self, prompt: Prompt) -> Known:
        self._refuse_if_closed()
        self._need_model()
        return self.store.known(prompt)

    def store_status(self) -> StoreStatus:
        self._refuse_if_closed()
        return self.store.status()

    def pin(self, owner: str, pinned: bool) -> None:
        self._refuse_if_closed()
        self.store.pin(owner, pinned)

    def forget(self, owners: Sequence[str]) -> int:
        self._refuse_if_closed()
        return self.store.forget(owners)

    def forget_all(self) -> int:
        self._refuse_if_closed()
        return self.store.forget_all()

    def flush(self) -> None:
        self._refuse_if_closed()

    def close(self) -> None:
        self._end_all(EngineDied(_CLOSED))
        self._closed = True
        self._set_state(EngineStopped())

    # -- what a script tells it ------------------------------------------------------------------

    def die(self) -> None:
        """End as a crash would: what is in flight raises EngineDied; the next request starts it again."""
        self._end_all(EngineDied(_DIED))
        self._set_state(EngineFailed(_DIED))

    def fail_next(self, error: EngineError) -> None:
        """Let the next load, generation or scoring fail with this error."""
        self._failure = error

    def pace(self, tokens_per_s: float) -> None:
        """From now on so many tokens a second at most; 0 for as fast as it goes."""
        self._delay_s = 1.0 / tokens_per_s if tokens_per_s else 0.0

    def hold_after(self, tokens: int) -> None:
        """Stop every generation after so many tokens, until `release`."""
        self._hold_after = tokens

    def hold_load(self) -> None:
        """Stop loads half-way, until `release` or `cancel_load`."""
        self._load_held = True

    def release(self) -> None:
        """Let everything held go on."""
        with self._changed:
            self._hold_after, self._load_held = None, False
            self._changed.notify_all()

    # -- the stage on which its works run (fake_work.Stage) --------------------------------------

    def text_for(self, request: GenerateRequest) -> str:
        self.revive()
        self.raise_failure()
        prompt_tokens = sum(self.count_tokens(texts_of(request.prompt)))
        if prompt_tokens + request.max_tokens > self._context_tokens:
            raise PromptTooLong(
                f"The prompt has {prompt_tokens} tokens and the answer may take {request.max_tokens}, but the context "
                f"holds {self._context_tokens}; choose fewer documents or a larger context.",
                prompt_tokens, self._context_tokens,
            )  # fmt: skip
        return self._answer(request)

    def restored(self, request: GenerateRequest) -> int:
        """Tokens of the segments at the beginning that were read before; all are remembered from now on."""
        segments = segments_of(request.prompt)
        restored = self.store.restored(segments[:-1])
        self.store.keep(segments, request.owner)
        return restored

    def pause(self, work: FakeWork, done: int) -> None:
        """Between tokens: the delay, the hold, the end of the engine."""
        with self._changed:
            if self._delay_s > 0:
                self._changed.wait_for(lambda: work.ended, self._delay_s)
            self._changed.wait_for(lambda: work.ended or self._hold_after is None or done < self._hold_after)
        if work.death is not None:
            raise work.death

    def finished(self, work: FakeWork) -> None:
        with self._changed:
            self._running.discard(work)

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def revive(self) -> None:
        model = self._need_model()
        if isinstance(self._state, EngineFailed):
            self._set_state(EngineReady(model))

    def raise_failure(self) -> None:
        error, self._failure = self._failure, None
        if error is not None:
            raise error

    # -- inside ----------------------------------------------------------------------------------

    def _end_all(self, death: EngineDied) -> None:
        with self._changed:
            for generation in self._running:
                generation.death = death
            self._running.clear()
            self._load_cancelled = True
            self._changed.notify_all()

    def _need_model(self) -> LoadedModel:
        if self._model is None:
            raise RequestInvalid("No model is loaded; choose one on the models page first.")
        return self._model

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise EngineDied(_CLOSED)

    def _set_state(self, state: EngineState) -> None:
        self._state = state
        for listener in list(self._listeners):
            listener(state)


def _by_question(answers: Mapping[str, str] | str) -> Answerer:
    table = {"": answers} if isinstance(answers, str) else dict(answers)

    def answer(request: GenerateRequest) -> str:
        question = "".join(
            segment.text for message in request.prompt.messages for segment in message.segments
            if segment.kind is SegmentKind.QUESTION
        )  # fmt: skip
        return next((text for words, text in table.items() if words and words in question), table.get("", ""))

    return answer


def _model(request: LoadRequest, context_tokens: int) -> LoadedModel:
    context = min(request.context_tokens or context_tokens, context_tokens)
    plan = LoadPlan(0, context, request.threads or 4, 512, 512, request.kv_type, ("This engine is a fake.",))
    return LoadedModel(
        name=Path(request.path).stem, path=request.path, identity="fake", architecture="fake",
        description="a fake model", parameters=1_500_000_000, file_bytes=1 << 30, vram_bytes=0, ram_bytes=2 << 30,
        train_context_tokens=context_tokens, plan=plan, load_s=0.0,
    )  # fmt: skip
