"""What can be asked of a loaded model, and what comes back."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from engine.errors import RequestInvalid
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
    read or written of the prompt's KV blocks is kept for. `speculate`: draft what the answer may quote from the prompt
    and check several tokens at once; greedy answers without a grammar only, any other is decoded plainly.
    """

    prompt: Prompt
    max_tokens: int = 512
    sampling: Sampling = Sampling()
    stop: tuple[str, ...] = ()
    grammar: str | None = None
    json_schema: str | None = None
    priority: Priority = Priority.USER
    owner: str = ""
    speculate: bool = False


class ManyRequest(Struct, frozen=True):
    """Several answers to generate together; what their prompts share from their beginning is read once.

    `grammars` and `json_schemas` have one entry for each prompt, or none at all.
    """

    prompts: tuple[Prompt, ...]
    max_tokens: int = 512
    sampling: Sampling = Sampling()
    stop: tuple[str, ...] = ()
    grammars: tuple[str | None, ...] = ()
    json_schemas: tuple[str | None, ...] = ()
    priority: Priority = Priority.USER
    owner: str = ""

    def alone(self, branch: int) -> GenerateRequest:
        """One of the prompts as a request of its own."""
        return GenerateRequest(
            prompt=self.prompts[branch], max_tokens=self.max_tokens, sampling=self.sampling, stop=self.stop,
            grammar=self.grammars[branch] if self.grammars else None,
            json_schema=self.json_schemas[branch] if self.json_schemas else None,
            priority=self.priority, owner=self.owner,
        )  # fmt: skip

    def check(self) -> None:
        """Raises RequestInvalid when this can't be asked."""
        if not self.prompts:
            raise RequestInvalid("There is nothing to answer: no prompt was given.")
        if {len(self.grammars), len(self.json_schemas)} - {0, len(self.prompts)}:
            raise RequestInvalid("There must be a grammar or a JSON schema for each prompt, or none at all.")


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
    drafted_tokens: int = 0  # guessed from the prompt and checked,
    accepted_tokens: int = 0  # and of these, those that were right

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


class BranchFailed(Struct, frozen=True, tag=True):
    """The end of a branch that failed alone; `kind` names a class of engine.errors."""

    message: str
    kind: str


class BranchEvent(Struct, frozen=True):
    """Something happened to one of several answers. Each branch ends with its Generated or BranchFailed."""

    branch: int
    event: PrefillProgress | TextDelta | Generated | BranchFailed

    @property
    def ends(self) -> bool:
        """Whether this branch has ended with it."""
        return isinstance(self.event, Generated | BranchFailed)
