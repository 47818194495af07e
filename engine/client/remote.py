"""A server of the organisation as an engine: OpenAI-compatible (vLLM, SGLang, KTransformers, llama-server)."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from engine.client.base import Branches, EngineClient, Generation
from engine.client.link import USUAL_WAITS, Link, Waits
from engine.client.openai import ChatRequest, Completion, Message, ModelCard, ModelList, StreamOptions, TopLogprob
from engine.client.remote_prompt import estimates, messages, unknown
from engine.client.remote_streams import RemoteBranches, RemoteGeneration
from engine.client.states import StateBoard
from engine.errors import EngineDied, EngineError, RemoteError, RequestInvalid
from engine.types.generation import GenerateRequest, ManyRequest, ScoreRequest, Scores, Timing
from engine.types.model import (
    Abilities,
    EngineFailed,
    EngineLoading,
    EngineReady,
    EngineState,
    EngineStopped,
    Inspection,
    LoadedModel,
    LoadPlan,
    LoadRequest,
)
from engine.types.prompt import Prompt
from engine.types.remembering import Known, RememberRequest, StoreStatus
from engine.types.remote import Address, RemoteServer

Shape = TypeVar("Shape")
USUAL_CONTEXT_TOKENS = 8192  # taken where neither the server nor the settings tell
_TOP = 20  # the most likely first tokens a server tells
_PROBE_S = 60.0
_SPEED_FROM_TOKENS = 256  # shorter prompts say little about the speed of reading
_MOST_STOPS = 4  # that OpenAI's protocol takes
_CLOSED = "The engine has been closed."
_NO_MODEL = "No model is loaded; choose one on the models page first."
_NOT_HERE = "This is done on this computer only, not by a server."
_SCHEMA: dict[str, Any] = {
    "type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"],
}  # fmt: skip


class RemoteEngine(EngineClient):
    """One model of one server. Requests run side by side; the server puts them in order.

    `server` tells which one it is, at each load; `token` gives the token for a host ("" for none). What a server can't
    do it says in `LoadedModel.abilities`: nothing is remembered for us, tokens are estimates, scores and JSON schemas
    only where the server proved able to when it was loaded. Its failures are RemoteError and concern one request.
    """

    def __init__(
        self, server: Callable[[], RemoteServer], token: Callable[[str], str], *, waits: Waits = USUAL_WAITS
    ) -> None:
        self._server, self._token, self._waits = server, token, waits
        self._board = StateBoard()
        self._used: tuple[RemoteServer, Address] | None = None
        self._model = ""
        self._schema_form: Callable[[dict[str, Any]], dict[str, Any]] | None = None
        self._prefill_tokens_per_s = 0.0
        self._cancelled = self._closed = False
        self._loading: Link | None = None

    @property
    def state(self) -> EngineState:
        return self._board.state

    def subscribe(self, listener: Callable[[EngineState], None]) -> Callable[[], None]:
        return self._board.subscribe(listener)

    def models(self) -> tuple[str, ...]:
        """What the server offers. Blocks."""
        server = self._server()
        return tuple(card.id for card in self._cards(server, server.reachable()))

    def load(self, request: LoadRequest, on_progress: Callable[[float], None] | None = None) -> LoadedModel:
        """Reach the server, choose the model, find out what it can do. `request.path` is only shown."""
        self._refuse_if_closed()
        self._cancelled = False
        self._board.announce(EngineLoading(request.path, 0.0))
        try:
            model = self._loaded(request, on_progress or (lambda _fraction: None))
        except EngineError as error:
            self._used = None
            told = EngineError("The loading of the model was stopped.") if self._cancelled else error
            self._board.announce(EngineFailed(told.message))
            raise told from error
        self._board.announce(EngineReady(model))
        return model

    def cancel_load(self) -> None:
        self._cancelled = True
        link = self._loading
        if link is not None:
            link.cut()

    def unload(self) -> None:
        self._used = None
        self._board.announce(EngineStopped())

    def generate(self, request: GenerateRequest) -> Generation:
        server, address = self._ready()
        if request.max_tokens < 1:
            raise RequestInvalid("An answer of no tokens was asked for.")
        said = messages(request.prompt)
        tokens = unknown(request.prompt, 0.0).tokens
        return RemoteGeneration(
            partial(self._link, server, address), self._chat(request, said), tokens, self._learn
        )

    def generate_many(self, request: ManyRequest) -> Branches:
        request.check()
        return RemoteBranches([self.generate(request.alone(branch)) for branch in range(len(request.prompts))])

    def score(self, request: ScoreRequest) -> Scores:
        """Log-probability that the answer begins as each continuation does: of its first token alone."""
        server, address = self._ready()
        state = self._board.state
        if not isinstance(state, EngineReady) or not state.model.abilities.scores:
            raise RequestInvalid("The server doesn't tell probabilities.")
        begun = time.monotonic()
        top, usage = self._first_token(server, address, messages(request.prompt), self._waits.begin_s)
        if not top:
            raise RemoteError("The server didn't tell the probabilities it was asked for.")
        timing = Timing(prompt_tokens=usage, prefilled_tokens=usage, prefill_s=time.monotonic() - begun)
        return Scores(tuple(_begins(words, top) for words in request.continuations), timing)

    def count_tokens(self, texts: Sequence[str]) -> tuple[int, ...]:
        return estimates(texts)

    def known(self, prompt: Prompt) -> Known:
        self._ready()
        return unknown(prompt, self._prefill_tokens_per_s)

    def remember(self, request: RememberRequest) -> Generation:
        raise RequestInvalid("A server remembers by itself what it read; it can't be made to read ahead.")

    def inspect(self) -> Inspection:
        raise RequestInvalid(_NOT_HERE)

    def store_status(self) -> StoreStatus:
        raise RequestInvalid(_NOT_HERE)

    def pin(self, owner: str, pinned: bool) -> None:
        raise RequestInvalid(_NOT_HERE)

    def forget(self, owners: Sequence[str]) -> int:
        raise RequestInvalid(_NOT_HERE)

    def forget_all(self) -> int:
        raise RequestInvalid(_NOT_HERE)

    def flush(self) -> None:
        """Nothing of a server's waits to be written here."""

    def close(self) -> None:
        self._closed, self._used = True, None
        self._board.over = True
        self.cancel_load()
        self._board.announce(EngineStopped())

    # -- loading ---------------------------------------------------------------------------------

    def _loaded(self, request: LoadRequest, on_progress: Callable[[float], None]) -> LoadedModel:
        server = self._server()
        address = server.reachable()
        card = _chosen(self._cards(server, address), server.model, address.host)
        self._model = card.id
        on_progress(0.3)
        context = self._context(server, address, card)
        on_progress(0.5)
        scores = self._can_score(server, address)
        on_progress(0.7)
        grammars = self._can_keep_to_schema(server, address)
        self._refuse_if_closed()
        self._used = (server, address)
        return _described(
            request, address, card.id, context, Abilities(scores, remembers=False, grammars=grammars, counts=False)
        )

    def _cards(self, server: RemoteServer, address: Address) -> tuple[ModelCard, ...]:
        return _decoded(self._ask(server, address, "GET", "/models", None, _PROBE_S), ModelList, address).data

    def _context(self, server: RemoteServer, address: Address, card: ModelCard) -> int:
        told = card.max_model_len or _number(card.meta, "n_ctx")
        if told is None:
            told = self._props(server, address) or server.context_tokens or USUAL_CONTEXT_TOKENS
        return min(told, server.context_tokens or told)

    def _props(self, server: RemoteServer, address: Address) -> int | None:
        """llama-server tells the length of a slot's context beside its OpenAI paths, others don't."""
        try:
            told = msgspec.json.decode(
                self._ask(server, msgspec.structs.replace(address, path=""), "GET", "/props", None, _PROBE_S)
            )
        except (EngineError, msgspec.DecodeError):
            return None
        return _number(told.get("default_generation_settings"), "n_ctx") if isinstance(told, dict) else None

    def _can_score(self, server: RemoteServer, address: Address) -> bool:
        try:
            top, _ = self._first_token(server, address, (Message("user", "1 + 1 = ?"),), _PROBE_S)
        except EngineError:
            self._go_on()
            return False
        return bool(top)

    def _can_keep_to_schema(self, server: RemoteServer, address: Address) -> bool:
        """Tried out in the two ways there are: asked for a poem it must say an object."""
        for form in (_openai_form, _llama_form):
            chat = ChatRequest(
                self._model, (Message("user", "Write a poem about the sea."),), max_tokens=8, temperature=0.0,
                response_format=form(_SCHEMA),
            )  # fmt: skip
            try:
                told = _decoded(
                    self._ask(server, address, "POST", "/chat/completions", chat, _PROBE_S), Completion, address
                )
            except EngineError:
                self._go_on()
                continue
            if told.choices and (told.choices[0].message.content or "").lstrip().startswith("{"):
                self._schema_form = form
                return True
        self._schema_form = None
        return False

    def _go_on(self) -> None:
        """A try-out failed; it isn't the user's stop that made it fail."""
        if self._cancelled:
            raise EngineError("The loading of the model was stopped.")

    # -- requests --------------------------------------------------------------------------------

    def _chat(self, request: GenerateRequest, said: tuple[Message, ...]) -> ChatRequest:
        sampling = request.sampling
        greedy = sampling.temperature <= 0
        penalty = sampling.repeat_penalty if sampling.repeat_penalty != 1.0 else None
        return ChatRequest(
            self._model, said, max_tokens=request.max_tokens, temperature=sampling.temperature,
            top_p=None if greedy or sampling.top_p >= 1.0 else sampling.top_p,
            top_k=None if greedy or not sampling.top_k else sampling.top_k,
            seed=None if greedy else sampling.seed, repetition_penalty=penalty, repeat_penalty=penalty,
            stop=request.stop[:_MOST_STOPS], stream=True, stream_options=StreamOptions(),
            response_format=self._format(request),
        )  # fmt: skip

    def _format(self, request: GenerateRequest) -> dict[str, Any] | None:
        if request.grammar is not None:
            raise RequestInvalid("A server's model can't be held to a grammar.")
        if request.json_schema is None:
            return None
        if self._schema_form is None:
            raise RequestInvalid("This server can't hold its model to a JSON schema.")
        return self._schema_form(msgspec.json.decode(request.json_schema))

    def _first_token(
        self, server: RemoteServer, address: Address, said: tuple[Message, ...], begin_s: float
    ) -> tuple[tuple[TopLogprob, ...], int]:
        chat = ChatRequest(
            self._model, said, max_tokens=1, temperature=0.0, logprobs=True, top_logprobs=_TOP
        )
        told = _decoded(self._ask(server, address, "POST", "/chat/completions", chat, begin_s), Completion, address)
        top = told.choices[0].first if told.choices else ()
        return top, told.usage.prompt_tokens if told.usage else 0

    def _ask(
        self, server: RemoteServer, address: Address, method: str, path: str, body: ChatRequest | None, begin_s: float
    ) -> bytes:
        link = self._link(server, address)
        self._loading = link
        try:
            if self._cancelled:
                raise EngineError("The loading of the model was stopped.")
            return link.ask(method, path, body, begin_s=min(begin_s, self._waits.begin_s))
        finally:
            self._loading = None
            link.close()

    def _link(self, server: RemoteServer, address: Address) -> Link:
        """Looks at the settings of now: what was allowed when the model was chosen may have been taken back."""
        self._server().check(address)
        return Link(address, self._token(address.origin), ca_file=server.ca_file, waits=self._waits)

    def _ready(self) -> tuple[RemoteServer, Address]:
        self._refuse_if_closed()
        if self._used is None:
            raise RequestInvalid(_NO_MODEL)
        return self._used

    def _learn(self, timing: Timing) -> None:
        if timing.prefilled_tokens >= _SPEED_FROM_TOKENS and timing.prefill_s > 0:
            self._prefill_tokens_per_s = timing.prefilled_tokens / timing.prefill_s

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise EngineDied(_CLOSED)


def _chosen(cards: Sequence[ModelCard], wanted: str, host: str) -> ModelCard:
    for card in cards:
        if card.id == wanted or (not wanted and len(cards) == 1):
            return card
    names = ", ".join(card.id for card in cards[:8])
    if not cards:
        raise RemoteError(f"{host} offers no model; ask its administrator.")
    if wanted:
        raise RemoteError(f"{host} has no model '{wanted}'; it has: {names}.")
    raise RemoteError(f"{host} has several models; name one of them in the settings: {names}.")


def _described(
    request: LoadRequest, address: Address, model: str, context: int, abilities: Abilities
) -> LoadedModel:
    identity = hashlib.sha256(f"{address.url} {model}".encode()).hexdigest()
    plan = LoadPlan(
        gpu_layers=0, context_tokens=context, threads=0, batch_tokens=0, ubatch_tokens=0, kv_type="",
        reasons=("The model runs on a server; nothing of it is placed on this computer.",),
    )  # fmt: skip
    return LoadedModel(
        name=model, path=request.path, identity=identity, architecture="", description=address.origin, parameters=0,
        file_bytes=0, vram_bytes=0, ram_bytes=0, train_context_tokens=context, plan=plan, load_s=0.0,
        abilities=abilities, host=address.host, encrypted=address.encrypted or address.local,
    )  # fmt: skip


def _decoded(data: bytes, kind: type[Shape], address: Address) -> Shape:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise RemoteError(
            f"What {address.host} sends is not what an OpenAI-compatible server sends; check the address."
        ) from error


def _number(told: Any, name: str) -> int | None:
    value = told.get(name) if isinstance(told, dict) else None
    return value if isinstance(value, int) and value > 0 else None


def _begins(words: str, top: Sequence[TopLogprob]) -> float:
    """Log of the share of first tokens that begin these words; no more than the last one listed where none does."""
    fitting = [one.logprob for one in top if one.token.strip() and words.startswith(one.token.strip())]
    if not fitting:
        return min(one.logprob for one in top)
    most = max(fitting)
    return most + math.log(sum(math.exp(one - most) for one in fitting))


def _openai_form(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}


def _llama_form(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_object", "schema": schema}
