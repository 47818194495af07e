"""Engine errors cross the wire as what they are."""

from __future__ import annotations

import msgspec
import pytest

from engine import errors
from engine.errors import EngineError, PromptTooLong
from engine.wire.messages import EngineReply, EngineRequest, Failed, error_of, failed


def subclasses(cls: type[EngineError]) -> set[type[EngineError]]:
    return {cls}.union(*(subclasses(sub) for sub in cls.__subclasses__() if sub.__module__ == errors.__name__))


@pytest.mark.parametrize("cls", sorted(subclasses(EngineError), key=lambda cls: cls.__name__))
def test_every_error_arrives_as_its_own_class(cls: type[EngineError]) -> None:
    reply = msgspec.msgpack.decode(msgspec.msgpack.encode(failed(7, cls("what happened"))), type=EngineReply)
    assert isinstance(reply, Failed) and reply.id == 7
    error = error_of(reply)
    assert type(error) is cls and error.message == "what happened"


def test_a_prompt_too_long_keeps_its_numbers() -> None:
    error = error_of(failed(1, PromptTooLong("too long", 9_000, 8_192)))
    assert isinstance(error, PromptTooLong)
    assert (error.prompt_tokens, error.context_tokens) == (9_000, 8_192)


def test_an_error_the_other_side_does_not_know_arrives_as_its_nearest_base() -> None:
    class Special(errors.ModelError): ...

    assert type(error_of(failed(1, Special("x")))) is errors.ModelError
    assert type(error_of(Failed(1, "FromTheFuture", "x"))) is EngineError


def test_both_unions_can_be_told_apart() -> None:
    for union in (EngineRequest, EngineReply):
        msgspec.msgpack.Decoder(union)  # raises TypeError when two tags are the same
