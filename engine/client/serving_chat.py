"""Chat completions of other programs on this computer as requests to the engine, and its events as they expect them."""

from __future__ import annotations

import time
import uuid
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from engine.errors import RequestInvalid
from engine.types.generation import DeltaKind, FinishReason, Generated, GenerateRequest, Sampling, TextDelta
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind

USUAL_TOKENS = 1024  # of an answer, where none are asked for
_MOST_TOKENS = 32_768


class TextPart(Struct, frozen=True):
    type: Literal["text"]
    text: str


class Turn(Struct, frozen=True):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | tuple[TextPart, ...]

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else "".join(part.text for part in self.content)


class Asked(Struct, frozen=True):
    """A request's body. Unknown fields are left out, as OpenAI's clients send many; what would change the answer's
    meaning if it were (several choices, tools) is refused."""

    messages: tuple[Turn, ...]
    model: str = ""
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | tuple[str, ...] | None = None
    stream: bool = False
    stream_options: dict[str, Any] = field(default_factory=dict)
    response_format: dict[str, Any] | None = None
    n: int | None = None
    tools: Any = None

    @property
    def wants_usage(self) -> bool:
        return bool(self.stream_options.get("include_usage"))


def read(body: bytes) -> Asked:
    """Raises RequestInvalid with what is wrong."""
    try:
        asked = msgspec.json.decode(body, type=Asked)
    except msgspec.DecodeError as error:
        raise RequestInvalid(f"The request can't be read: {error}") from error
    if (asked.n or 1) != 1 or asked.tools:
        raise RequestInvalid("One answer without tools is all that is served.")
    if not asked.messages or asked.messages[-1].role != "user":
        raise RequestInvalid("The last message must be the user's.")
    return asked


def as_request(asked: Asked) -> GenerateRequest:
    """Greedy unless a temperature is named. Raises RequestInvalid for figures out of range."""
    most = asked.max_completion_tokens or asked.max_tokens or USUAL_TOKENS
    temperature = asked.temperature or 0.0
    top_p = 1.0 if asked.top_p is None else asked.top_p
    if not 1 <= most <= _MOST_TOKENS or not 0 <= temperature <= 2 or not 0 < top_p <= 1:
        raise RequestInvalid("A figure of the request is out of range: max_tokens, temperature or top_p.")
    stop = (asked.stop,) if isinstance(asked.stop, str) else asked.stop or ()
    sampling = Sampling(temperature=temperature, top_p=top_p, seed=asked.seed or 0)
    return GenerateRequest(_prompt(asked), most, sampling, stop, json_schema=_schema(asked.response_format))


class Told:
    """One answer in OpenAI's shapes."""

    def __init__(self, model: str) -> None:
        self._id, self._made, self._model = f"chatcmpl-{uuid.uuid4().hex}", int(time.time()), model

    def begin(self) -> dict[str, Any]:
        return self._chunk({"role": "assistant", "content": ""})

    def delta(self, delta: TextDelta) -> dict[str, Any]:
        name = "content" if delta.kind is DeltaKind.ANSWER else "reasoning_content"
        return self._chunk({name: delta.text})

    def end(self, end: Generated) -> dict[str, Any]:
        return self._chunk({}, _finish(end))

    def usage(self, end: Generated) -> dict[str, Any]:
        return {**self._chunk({}), "choices": [], "usage": _usage(end)}

    def whole(self, end: Generated) -> dict[str, Any]:
        message = {"role": "assistant", "content": end.text}
        if end.thought:
            message["reasoning_content"] = end.thought
        choice = {"index": 0, "message": message, "finish_reason": _finish(end), "logprobs": None}
        return {**self._head("chat.completion"), "choices": [choice], "usage": _usage(end)}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._made, "model": self._model}


def _prompt(asked: Asked) -> Prompt:
    last = len(asked.messages) - 1
    return Prompt(tuple(_message(turn, at == last) for at, turn in enumerate(asked.messages)))


def _message(turn: Turn, is_last: bool) -> ChatMessage:
    if turn.role in ("system", "developer"):
        return ChatMessage(Role.SYSTEM, (Segment(SegmentKind.SYSTEM, turn.text),))
    kind = SegmentKind.QUESTION if is_last else SegmentKind.HISTORY
    return ChatMessage(Role(turn.role), (Segment(kind, turn.text),))


def _schema(wanted: dict[str, Any] | None) -> str | None:
    match wanted:
        case None | {"type": "text"}:
            return None
        case {"type": "json_schema", "json_schema": {"schema": dict() as schema}}:
            return msgspec.json.encode(schema).decode()
        case {"type": "json_object"}:
            return msgspec.json.encode(wanted.get("schema") or {"type": "object"}).decode()
    raise RequestInvalid("This response_format is not served; use text, json_object or json_schema.")


def _finish(end: Generated) -> str:
    return "length" if end.reason is FinishReason.LENGTH else "stop"


def _usage(end: Generated) -> dict[str, Any]:
    timing = end.timing
    return {
        "prompt_tokens": timing.prompt_tokens,
        "completion_tokens": timing.generated_tokens,
        "total_tokens": timing.prompt_tokens + timing.generated_tokens,
        "prompt_tokens_details": {"cached_tokens": timing.restored_tokens},
    }
