"""Everything the engine may raise, sorted once where it enters.

EngineError
├── EngineDied            the child process ended; whatever was in flight is lost, a restart is possible
├── EngineBusy            another model is being loaded, or too many requests wait
├── ModelError            the file is missing, cut short, of an unknown kind, or its header lies
├── OutOfMemory           the model or its context did not fit; carries what was asked for
├── PromptTooLong         the prompt and the answer do not fit the context; carries both numbers
├── RequestInvalid        a request that can't be served as asked (bad grammar, no model loaded …)
├── RemoteError           the remote server refused, cut the stream or answered nonsense
└── ProtocolError         the two ends of the wire disagree: ours to mend

Messages are for a person: what happened and what to do. The cause is chained.
"""

from __future__ import annotations


class EngineError(Exception):
    """Base of all engine errors. `message` is one sentence for a person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class EngineDied(EngineError):
    """The engine's process ended while it was needed."""


class EngineBusy(EngineError):
    """The engine can't take this request now."""


class ModelError(EngineError):
    """The model file can't be used."""


class OutOfMemory(EngineError):
    """A load or a context did not fit into memory."""


class PromptTooLong(EngineError):
    """Prompt and answer exceed the context. `prompt_tokens` and `context_tokens` say by how much."""

    def __init__(self, message: str, prompt_tokens: int = 0, context_tokens: int = 0) -> None:
        super().__init__(message)
        self.prompt_tokens = prompt_tokens
        self.context_tokens = context_tokens


class RequestInvalid(EngineError):
    """The request itself is wrong."""


class RemoteError(EngineError):
    """A remote engine failed."""


class ProtocolError(EngineError):
    """The peer spoke another protocol version or sent an unknown message."""
