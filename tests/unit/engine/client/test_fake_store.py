"""The fake engine remembers by the rules of the real one."""

from __future__ import annotations

import pytest

from engine.client.fake import FakeEngine
from engine.errors import EngineDied, RequestInvalid
from engine.types.generation import Generated, GenerateRequest, PrefillProgress, Remembered
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from engine.types.remembering import RememberRequest


def prompt(question: str, *documents: int) -> Prompt:
    read = [Segment(SegmentKind.DOCUMENTS, f"合同{n}", f"document:{n}") for n in documents]
    segments = (*read, Segment(SegmentKind.PASSAGES, "passage"), Segment(SegmentKind.QUESTION, question))
    system = ChatMessage(Role.SYSTEM, (Segment(SegmentKind.SYSTEM, "system"),))
    return Prompt((system, ChatMessage(Role.USER, segments)))


def remember(engine: FakeEngine, *documents: int, owner: str = "case:1") -> Remembered:
    *progress, last = engine.remember(RememberRequest(prompt("", *documents), owner))
    assert isinstance(last, Remembered) and all(isinstance(event, PrefillProgress) for event in progress)
    return last


def test_what_was_read_ahead_is_known_and_restored() -> None:
    engine = FakeEngine("yes")
    assert engine.known(prompt("?", 1)).known_tokens == 0
    done = remember(engine, 1)
    assert done.complete and done.prefilled_tokens == done.stored_tokens == done.prompt_tokens == 4
    known = engine.known(prompt("?", 1))
    assert [segment.known_tokens for segment in known.segments] == [1, 3, 0, 0] and known.known_tokens == 4
    last = list(engine.generate(GenerateRequest(prompt("?", 1))))[-1]
    assert isinstance(last, Generated) and last.timing.restored_tokens == 4
    assert remember(engine, 1).prefilled_tokens == 0


def test_a_document_at_the_end_keeps_what_was_read_before_it() -> None:
    engine = FakeEngine("yes")
    remember(engine, 1)
    assert remember(engine, 1, 2).restored_tokens == 4
    assert remember(engine, 2, 1).restored_tokens == 1


def test_forgetting_follows_owners_and_sources() -> None:
    engine = FakeEngine("yes")
    remember(engine, 1, 2, owner="case:1")
    remember(engine, 1, owner="case:2")
    engine.pin("case:1", True)
    status = engine.store_status()
    assert {share.owner for share in status.owners} == {"case:1", "case:2", "document:1", "document:2"}
    assert next(share for share in status.owners if share.owner == "case:1").pinned
    assert engine.forget(["case:1"]) == status.disk_bytes - engine.store_status().disk_bytes > 0
    assert engine.known(prompt("?", 1, 2)).known_tokens == 4
    engine.forget(["document:1"])
    assert engine.known(prompt("?", 1)).known_tokens == 1
    assert engine.forget_all() > 0 and engine.store_status().blocks == 0


def test_reading_ahead_can_be_held_cancelled_and_dies_with_the_engine() -> None:
    engine = FakeEngine("yes")
    reading = engine.remember(RememberRequest(prompt("", 1, 2), "case:1"))
    events = iter(reading)
    next(events)
    reading.cancel()
    last = list(events)[-1]
    assert isinstance(last, Remembered) and not last.complete
    reading = engine.remember(RememberRequest(prompt("", 1, 2), "case:1"))
    events = iter(reading)
    next(events)
    engine.die()
    with pytest.raises(EngineDied):
        list(events)


def test_without_a_model_nothing_is_read_but_the_store_can_be_seen() -> None:
    engine = FakeEngine(loaded=False)
    for call in (lambda: engine.known(prompt("?")), lambda: engine.remember(RememberRequest(prompt("?"), "x"))):
        with pytest.raises(RequestInvalid):
            call()
    assert engine.store_status().blocks == 0 and engine.forget(["case:1"]) == 0
    engine.flush()
