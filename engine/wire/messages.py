"""What the desktop and the engine's process say to each other. One union each way; `id` pairs reply and request."""

from __future__ import annotations

from msgspec import Struct

from engine import errors
from engine.errors import EngineError, PromptTooLong
from engine.types.generation import (
    BranchEvent,
    GenerateRequest,
    GenerationEvent,
    ManyRequest,
    ScoreRequest,
    Scores,
)  # fmt: skip
from engine.types.model import Inspection, LoadedModel, LoadRequest
from engine.types.prompt import Prompt
from engine.types.remembering import Known, RememberRequest, StoreSettings, StoreStatus
from engine.wire.child import Hello


class Inspect(Struct, frozen=True, tag=True):
    """Answered by Inspected."""

    id: int


class Load(Struct, frozen=True, tag=True):
    """Answered by any number of LoadProgress, then Loaded or Failed."""

    id: int
    request: LoadRequest


class CancelLoad(Struct, frozen=True, tag=True):
    """Give up the load in progress, whichever it is."""


class Unload(Struct, frozen=True, tag=True):
    """Answered by Unloaded."""

    id: int


class Generate(Struct, frozen=True, tag=True):
    """Answered by Events, the last of which holds Generated, or by Failed."""

    id: int
    request: GenerateRequest


class GenerateMany(Struct, frozen=True, tag=True):
    """Answered by Branch messages until each branch has ended, or by Failed for all that have not."""

    id: int
    request: ManyRequest


class CancelBranch(Struct, frozen=True, tag=True):
    """Stop one branch of request `id`; its end still comes."""

    id: int
    branch: int


class Score(Struct, frozen=True, tag=True):
    """Answered by Scored or Failed."""

    id: int
    request: ScoreRequest


class CountTokens(Struct, frozen=True, tag=True):
    """Answered by Counted or Failed, also while something is generated."""

    id: int
    texts: tuple[str, ...]


class Cancel(Struct, frozen=True, tag=True):
    """Stop request `id`; its last reply still comes."""

    id: int


class Configure(Struct, frozen=True, tag=True):
    """The first message to a child, if the desktop wants a store: where it lies. Not answered."""

    store: StoreSettings


class Remember(Struct, frozen=True, tag=True):
    """Answered by Events, the last of which holds Remembered, or by Failed."""

    id: int
    request: RememberRequest


class AskKnown(Struct, frozen=True, tag=True):
    """Answered by KnownOf or Failed, also while something is generated."""

    id: int
    prompt: Prompt


class AskStore(Struct, frozen=True, tag=True):
    """Answered by StoreIs."""

    id: int


class Pin(Struct, frozen=True, tag=True):
    """Answered by Done."""

    id: int
    owner: str
    pinned: bool


class Forget(Struct, frozen=True, tag=True):
    """Answered by Forgotten, when the bytes are gone. None: everything."""

    id: int
    owners: tuple[str, ...] | None


class Flush(Struct, frozen=True, tag=True):
    """Answered by Done, when nothing waits to be written."""

    id: int


EngineRequest = (
    Configure | Inspect | Load | CancelLoad | Unload | Generate | Score | CountTokens | Cancel
    | Remember | AskKnown | AskStore | Pin | Forget | Flush | GenerateMany | CancelBranch
)  # fmt: skip


class Inspected(Struct, frozen=True, tag=True):
    id: int
    inspection: Inspection


class LoadProgress(Struct, frozen=True, tag=True):
    """`fraction` of the load, 0 to 1."""

    id: int
    fraction: float


class Loaded(Struct, frozen=True, tag=True):
    id: int
    model: LoadedModel


class Unloaded(Struct, frozen=True, tag=True):
    id: int


class Event(Struct, frozen=True, tag=True):
    id: int
    event: GenerationEvent


class Branch(Struct, frozen=True, tag=True):
    id: int
    event: BranchEvent


class Scored(Struct, frozen=True, tag=True):
    id: int
    scores: Scores


class Counted(Struct, frozen=True, tag=True):
    id: int
    counts: tuple[int, ...]


class KnownOf(Struct, frozen=True, tag=True):
    id: int
    known: Known


class StoreIs(Struct, frozen=True, tag=True):
    id: int
    status: StoreStatus


class Forgotten(Struct, frozen=True, tag=True):
    """`bytes` were freed on disk."""

    id: int
    bytes: int


class Done(Struct, frozen=True, tag=True):
    id: int


class Failed(Struct, frozen=True, tag=True):
    """Request `id` failed; `kind` names a class of engine.errors, the rest are its arguments."""

    id: int
    kind: str
    message: str
    prompt_tokens: int = 0
    context_tokens: int = 0


EngineReply = (
    Hello | Inspected | LoadProgress | Loaded | Unloaded | Event | Scored | Counted | Failed
    | KnownOf | StoreIs | Forgotten | Done | Branch
)  # fmt: skip

_KINDS: dict[str, type[EngineError]] = {
    cls.__name__: cls
    for cls in (
        EngineError, errors.EngineDied, errors.EngineBusy, errors.ModelError, errors.OutOfMemory, PromptTooLong,
        errors.RequestInvalid, errors.RemoteError, errors.ProtocolError,
    )
}  # fmt: skip


def failed(id_: int, error: EngineError) -> Failed:
    """The reply for an error; a class the other side doesn't know goes as the nearest one it does."""
    kind = next(cls.__name__ for cls in type(error).__mro__ if cls.__name__ in _KINDS)
    if isinstance(error, PromptTooLong):
        return Failed(id_, kind, error.message, error.prompt_tokens, error.context_tokens)
    return Failed(id_, kind, error.message)


def error_of(reply: Failed) -> EngineError:
    """The error that the other side failed with."""
    cls = _KINDS.get(reply.kind, EngineError)
    if cls is PromptTooLong:
        return PromptTooLong(reply.message, reply.prompt_tokens, reply.context_tokens)
    return cls(reply.message)
