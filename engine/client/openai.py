"""The shapes of OpenAI's chat completions, as servers speak them (https://platform.openai.com/docs/api-reference/chat).

What servers send is read leniently: unknown fields are left out, missing ones have defaults.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Message(Struct, frozen=True):
    role: str
    content: str


class StreamOptions(Struct, frozen=True):
    include_usage: bool = True


class ChatRequest(Struct, frozen=True, omit_defaults=True):
    """What a client asks; fields with their default aren't sent."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    seed: int | None = None
    repetition_penalty: float | None = None  # vLLM, SGLang
    repeat_penalty: float | None = None  # llama.cpp
    stop: tuple[str, ...] = ()
    stream: bool = False
    stream_options: StreamOptions | None = None
    response_format: dict[str, Any] | None = None
    logprobs: bool = False
    top_logprobs: int | None = None


class CachedTokens(Struct, frozen=True):
    cached_tokens: int | None = None


class Usage(Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: CachedTokens | None = None

    @property
    def cached(self) -> int:
        """Tokens of the prompt that the server had remembered, where it tells."""
        return (self.prompt_tokens_details and self.prompt_tokens_details.cached_tokens) or 0


class Delta(Struct, frozen=True):
    """`reasoning…` is where servers put thoughts that they take out of the answer themselves."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None

    @property
    def thought(self) -> str:
        return self.reasoning_content or self.reasoning or ""


class ChunkChoice(Struct, frozen=True):
    delta: Delta = Delta()
    finish_reason: str | None = None


class Chunk(Struct, frozen=True):
    """One event of a stream."""

    choices: tuple[ChunkChoice, ...] = ()
    usage: Usage | None = None
    error: Any = None


class TopLogprob(Struct, frozen=True):
    token: str
    logprob: float


class TokenLogprobs(Struct, frozen=True):
    token: str = ""
    top_logprobs: tuple[TopLogprob, ...] = ()


class Logprobs(Struct, frozen=True):
    content: tuple[TokenLogprobs, ...] | None = None


class Choice(Struct, frozen=True):
    message: Delta = Delta()
    finish_reason: str | None = None
    logprobs: Logprobs | None = None

    @property
    def first(self) -> tuple[TopLogprob, ...]:
        """The likeliest first tokens, where the server tells."""
        content = self.logprobs.content if self.logprobs else None
        return content[0].top_logprobs if content else ()


class Completion(Struct, frozen=True):
    """An answer at once."""

    choices: tuple[Choice, ...] = ()
    usage: Usage | None = None


class ModelCard(Struct, frozen=True):
    """`max_model_len`: vLLM and SGLang; `meta`: llama-server."""

    id: str
    max_model_len: int | None = None
    meta: Any = None


class ModelList(Struct, frozen=True):
    data: tuple[ModelCard, ...] = ()
