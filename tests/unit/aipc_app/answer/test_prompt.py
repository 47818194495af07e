"""The prompt's beginning is the same for every question on the same documents."""

from __future__ import annotations

from msgspec.structs import replace

from aipc_app.answer.material import in_document_order
from aipc_app.answer.prompt import build, passages_text, question_text, replace_question
from aipc_app.answer.wording import CHINESE, ENGLISH, says_not_found, wording
from aipc_app.domain.answers import Answer, Mode, Turn
from engine.types.prompt import Prompt, Role, SegmentKind
from tests.unit.aipc_app.answer.material import CONTRACT, RECEIPT, source

DOCUMENTS = (source(CONTRACT), source(RECEIPT, document_id=2, name="凭证.txt"))


def segments(prompt: Prompt) -> list[tuple[SegmentKind, str]]:
    return [(s.kind, s.text) for message in prompt.messages for s in message.segments]


def test_two_questions_share_everything_before_the_question() -> None:
    one = build(documents=DOCUMENTS, history=(), passages="", question=question_text("借了多少?", CHINESE))
    two = build(documents=DOCUMENTS, history=(), passages="", question=question_text("还了多少?", CHINESE))
    other = build(documents=DOCUMENTS, history=(), passages="", question=question_text("How much?", ENGLISH))
    assert segments(one)[:-1] == segments(two)[:-1]
    assert segments(one)[-1] == (SegmentKind.QUESTION, "问题：借了多少?")
    assert segments(one)[-2] == (SegmentKind.SYSTEM, f"{CHINESE.instruction}\n")
    assert one.messages[0] == other.messages[0]


def test_another_question_in_its_place_is_not_told_how_to_answer() -> None:
    found = passages_text((source("第六百七十九条 …", library=True),), CHINESE)
    asked = build(documents=DOCUMENTS, history=(), passages=found, question=question_text("借了多少?", CHINESE))
    checked = replace_question(asked, "能不能回答？")
    assert segments(checked)[-2:] == [(SegmentKind.PASSAGES, found), (SegmentKind.QUESTION, "能不能回答？")]
    assert checked.messages[0] == asked.messages[0]


def test_a_sent_question_is_cut_the_same_way_when_it_is_history() -> None:
    sent = question_text("借了多少?", CHINESE)
    answer = Answer(question="q", text="A1", language="zh", mode=Mode.WHOLE, refused=False)
    turn = Turn(question="q", answer=answer, sent_passages="", sent_question=sent, said="A1")
    first = build(documents=DOCUMENTS, history=(), passages="", question=sent)
    second = build(documents=DOCUMENTS, history=(turn,), passages="", question=question_text("还了多少?", CHINESE))
    assert [text for _, text in segments(second)][: len(segments(first))] == [text for _, text in segments(first)]


def test_passages_for_a_question_come_after_the_documents() -> None:
    found = passages_text((source("第六百七十九条 …", library=True),), CHINESE)
    kinds = [k for k, _ in segments(build(documents=DOCUMENTS, history=(), passages=found, question="问"))]
    assert kinds == [
        SegmentKind.SYSTEM,
        SegmentKind.DOCUMENTS,
        SegmentKind.DOCUMENTS,
        SegmentKind.PASSAGES,
        SegmentKind.QUESTION,
    ]


def test_history_repeats_each_turn_as_it_was_sent() -> None:
    first = build(documents=DOCUMENTS, history=(), passages="P1", question="Q1")
    answer = Answer(question="q", text="A1", language="zh", mode=Mode.WHOLE, refused=False)
    turn = Turn(question="q", answer=answer, sent_passages="P1", sent_question="Q1", said="A1")
    second = build(documents=DOCUMENTS, history=(turn,), passages="P2", question="Q2")
    sent = [text for _, text in segments(first)]
    assert [text for _, text in segments(second)][: len(sent)] == sent
    assert [m.role for m in second.messages] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]


def test_past_cases_and_articles_are_headed_as_not_this_cases_facts() -> None:
    text = passages_text((source("本案事实"), source("别案事实", library=True, name="判决书.txt")), CHINESE)
    assert text.index("本案事实") < text.index("不是本案的事实") < text.index("别案事实")


def test_what_comes_along_is_marked_as_such() -> None:
    found = source("加收罚息。", library=True)
    along = replace(source("利率。", library=True), along=True, label="第九条")
    first, second = passages_text((found, along), CHINESE).split("\n")[1:3]
    assert CHINESE.along not in first and f"第九条（{CHINESE.along}）】利率。" in second


def test_sources_follow_the_cases_own_document_order() -> None:
    ordered = in_document_order(DOCUMENTS, [2, 1])
    assert [s.document_id for s in ordered] == [2, 1]


def test_a_refusal_in_the_models_own_words_is_recognised() -> None:
    assert says_not_found("材料中未找到相关内容。")
    assert says_not_found("The material does not  specify the governing law.")
    assert not says_not_found("双方未办理抵押登记。")
    assert wording("en").refusal == "Not found in the material."
