"""What can be asked of a loaded model, and what comes back."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from engine.types.prompt import Prompt


class Priority(StrEnum):
    """A user's request overtakes background work within one piece of prefill."""

    USER = "user"
    BACKGROUND = "background"


class Sampling(Struct, frozen=True):
    """How the next token is chosen. temperature 0 is greedy and the default."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    repeat_penalty: float = 1.0
    seed: int = 0


class GenerateRequest(Struct, frozen=True):
    """One answer to generate.

    `grammar` is GBNF; `json_schema` a JSON schema as text; at most one of the two. `owner` ("case:3") is who what is
    read or written of the prompt's KV blocks is kept for.
    """

    prompt: Prompt
    max_tokens: int = 512
    sampling: Sampling = Sampling()
    stop: tuple[str, ...] = ()
    grammar: str | None = None
    json_schema: str | None = None
    priority: Priority = Priority.USER
    owner: str = ""


class ScoreRequest(Struct, frozen=True):
    """Ask how likely each continuation is after the prompt; nothing is generated."""

    prompt: Prompt
    continuations: tuple[str, ...]
    priority: Priority = Priority.USER
    owner: str = ""


class Timing(Struct, frozen=True):
    """Seconds and tokens of one request. restored + prefilled = prompt tokens."""

    prompt_tokens: int = 0
    restored_tokens: int = 0
    prefilled_tokens: int = 0
    generated_tokens: int = 0
    queue_s: float = 0.0
    prefill_s: float = 0.0
    first_token_s: float = 0.0
    decode_s: float = 0.0

    @property
    def decode_tokens_per_s(self) -> float:
        """Tokens per second after the first one; 0 when nothing was decoded."""
        return self.generated_tokens / self.decode_s if self.decode_s > 0 else 0.0


class Scores(Struct, frozen=True):
    """Sum of natural log-probabilities of each continuation's tokens, in the order asked."""

    logprobs: tuple[float, ...]
    timing: Timing


class DeltaKind(StrEnum):
    ANSWER = "answer"
    THOUGHT = "thought"  # inside <think> … </think>; never part of the answer


class FinishReason(StrEnum):
    STOP = "stop"
    LENGTH = "length"
    CANCELLED = "cancelled"


class PrefillProgress(Struct, frozen=True, tag=True):
    """Prompt tokens in place so far; `seconds_left` is an estimate from this prefill's own speed."""

    done_tokens: int
    total_tokens: int
    restored_tokens: int
    seconds_left: float


class TextDelta(Struct, frozen=True, tag=True):
    """More of the answer (or of the thought); always whole characters."""

    text: str
    kind: DeltaKind = DeltaKind.ANSWER


class Generated(Struct, frozen=True, tag=True):
    """The end of a generation: everything that was said, and the figures."""

    text: str
    thought: str
    reason: FinishReason
    timing: Timing


class Remembered(Struct, frozen=True, tag=True):
    """The end of a `remember` request. `complete`: the whole prefix was read and given to the store.

    restored + prefilled = prompt tokens of the prefix when complete.
    """

    prompt_tokens: int
    restored_tokens: int
    prefilled_tokens: int
    stored_tokens: int
    complete: bool


GenerationEvent = PrefillProgress | TextDelta | Generated | Remembered
