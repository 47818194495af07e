"""Conversations: what was asked and shown, kept as it was."""

from __future__ import annotations

import json

import pytest

from aipc_app.domain.answers import Answer, AnswerTiming, Citation, Mode, Sentence, SentenceState, Turn
from aipc_app.domain.documents import LIBRARY_ID, Evidence, Passage, Stage
from aipc_app.errors import UserMistake
from aipc_app.store import Store


def turn(question: str = "借了多少？", text: str = "借款五十万元。[1]") -> Turn:
    passage = Passage(id=3, document_id=1, document="合同.pdf", page=2, start=4, end=6, text="五十")
    citation = Citation(
        marker=1,
        document="合同.pdf",
        document_id=1,
        page=2,
        start=4,
        end=6,
        quote="五十",
        boxes=((1.0, 2.0, 3.0, 4.5),),
    )
    answer = Answer(
        question=question, text=text, language="zh", mode=Mode.RETRIEVAL, refused=False,
        sentences=(Sentence(text=text, state=SentenceState.SUPPORTED, citations=(1,)),), citations=(citation,),
        nearest=(Evidence(passage=passage, score=0.25, ranks={Stage.KEYWORD: 1, Stage.EXACT: 4}),),
        timing=AnswerTiming(ttft_s=0.5), model="m", conversation=1,
    )  # fmt: skip
    return Turn(sent_passages="〔1〕五十", question=question, answer=answer)


def test_turns_come_back_exactly_as_they_were_stored(store: Store) -> None:
    case = store.cases.create("一")
    conversation = store.conversations.create([case.id], True, "借了多少？")
    turns = [turn(), turn("利息呢？", "没有说。")]
    for one in turns:
        store.conversations.add_turn(conversation.id, one)
    assert store.conversations.turns(conversation.id) == tuple(turns)
    assert store.conversations.get(conversation.id).turns == 2


def test_what_a_newer_program_added_to_a_turn_is_passed_over(store: Store) -> None:
    conversation = store.conversations.create([], True, "问")
    store.conversations.add_turn(conversation.id, turn())
    with store._database.write() as connection:
        (raw,) = connection.execute("SELECT turn FROM turns").fetchone()
        newer = json.loads(raw)
        newer["mood"] = newer["answer"]["mood"] = newer["answer"]["citations"][0]["mood"] = {"x": 1}
        connection.execute("UPDATE turns SET turn = ?", (json.dumps(newer).encode(),))
    assert store.conversations.turns(conversation.id) == (turn(),)


def test_a_case_lists_its_conversations_newest_first_and_the_library_its_own(store: Store) -> None:
    one, two = store.cases.create("一"), store.cases.create("二")
    a = store.conversations.create([one.id], True, "a")
    b = store.conversations.create([two.id, one.id], False, "b")
    law = store.conversations.create([], True, "law")
    store.conversations.add_turn(a.id, turn())
    assert b.cases == (two.id, one.id) and not b.library
    assert [found.id for found in store.conversations.list(one.id)] == [a.id, b.id]
    assert [found.id for found in store.conversations.list(two.id)] == [b.id]
    assert [found.id for found in store.conversations.list(LIBRARY_ID)] == [law.id]
    assert len(store.conversations.list(None)) == 3


def test_conversations_are_found_by_title_question_or_answer(store: Store) -> None:
    a = store.conversations.create([], True, "利息 100%")
    b = store.conversations.create([], True, "x")
    store.conversations.add_turn(b.id, turn("ALPHA beta", "五十万"))
    for text, expected in (("100%", a), ("alpha", b), ("五十", b)):
        assert [found.id for found in store.conversations.search(text)] == [expected.id]
    assert store.conversations.search("_") == store.conversations.search("1%0") == ()


def test_renaming_and_deleting(store: Store) -> None:
    conversation = store.conversations.create([], True, "问")
    store.conversations.add_turn(conversation.id, turn())
    assert store.conversations.rename(conversation.id, "答\n案").title == "答 案"
    store.conversations.delete(conversation.id)
    for attempt in (store.conversations.get, store.conversations.delete):
        with pytest.raises(UserMistake, match="no conversation"):
            attempt(conversation.id)
    with pytest.raises(UserMistake):
        store.conversations.add_turn(conversation.id, turn())
    assert store.conversations.turns(conversation.id) == ()
