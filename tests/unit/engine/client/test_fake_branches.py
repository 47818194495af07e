"""Several answers of the fake engine."""

from __future__ import annotations

import pytest

from engine.client.fake import FakeEngine
from engine.errors import EngineDied, EngineError, RequestInvalid
from engine.types.generation import BranchEvent, BranchFailed, FinishReason, Generated, ManyRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind


def many(*questions: str) -> ManyRequest:
    return ManyRequest(
        tuple(
            Prompt((ChatMessage(Role.USER, (
                Segment(SegmentKind.DOCUMENTS, "A file. "), Segment(SegmentKind.QUESTION, question),
            )),))
            for question in questions
        )
    )  # fmt: skip


def ends(events: list[BranchEvent]) -> dict[int, object]:
    return {event.branch: event.event for event in events if event.ends}


def test_each_branch_gets_its_own_answer_side_by_side() -> None:
    engine = FakeEngine({"Who": "Zhang lends it.", "How": "It is 500,000 yuan."})
    events = list(engine.generate_many(many("Who?", "How much?")))
    texts = {branch: end.text for branch, end in ends(events).items() if isinstance(end, Generated)}
    assert texts == {0: "Zhang lends it.", 1: "It is 500,000 yuan."}
    assert [event.branch for event in events[:4]] == [0, 1, 0, 1]
    assert engine.many_requests == [many("Who?", "How much?")]


def test_one_can_be_cancelled_and_the_others_go_on() -> None:
    engine = FakeEngine("One two three.")
    branches = engine.generate_many(many("a", "b"))
    branches.cancel_branch(1)
    found = ends(list(branches))
    assert [found[i].reason for i in (0, 1)] == [FinishReason.STOP, FinishReason.CANCELLED]  # type: ignore[attr-defined]


def test_a_failure_ends_one_and_a_death_all() -> None:
    engine = FakeEngine("One two three.")
    engine.fail_next(EngineError("No."))
    found = ends(list(engine.generate_many(many("a", "b"))))
    assert found[0] == BranchFailed("No.", "EngineError")
    assert isinstance(found[1], Generated)
    events = iter(engine.generate_many(many("a", "b")))
    next(events)
    engine.die()
    with pytest.raises(EngineDied):
        list(events)


def test_nothing_to_ask_is_refused_at_once() -> None:
    with pytest.raises(RequestInvalid):
        FakeEngine("x").generate_many(ManyRequest(()))
