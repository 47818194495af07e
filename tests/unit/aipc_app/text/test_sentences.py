"""Sentences end where a reader would say so, on pages and in a growing answer."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.text.sentences import SentenceStream, split_sentences


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def streamed(pieces: list[str]) -> list[str]:
    stream = SentenceStream()
    given_out = [sentence for piece in pieces for sentence in stream.feed(piece)]
    return [sentence.text for sentence in [*given_out, *stream.finish()]]


@pytest.mark.parametrize(
    "expected",
    [
        ["原告诉称借款未还。", "被告辩称：“已还清。”", "本院认为，不成立！", "是否属实？"],
        ["甲方应还款；", "乙方应交付（见附件。）", "完"],
        ["他说：「不知道！」", "然后……走了！……", "第二天又来。"],
        ["年利率为15.4%。", "合同第4.2条另有约定。"],
    ],
)
def test_chinese_sentences_end_at_their_marks_with_what_closes_behind(expected: list[str]) -> None:
    assert sentences("".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        ["The plaintiff v. Mr. Smith paid $5.5 million.", "See No. 5 at p. 3.", "Is it so?", "Yes!"],
        ["J. K. Rowling agreed (see Art. 4.2).", "He owns ABC Inc.", "The end."],
        ["It rose by approx. 5% e.g. in the U.S. market.", 'She said "no."', "Nobody answered."],
        ["Version 2.0.1 is out.", "See https://example.org/a.b?c=d for it."],
    ],
)
def test_english_full_stops_inside_a_sentence_do_not_end_it(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_list_numbers_stay_with_their_items() -> None:
    assert sentences("1. 被告还款。\n2. First item. Second one.\n（三）其他\n- 第一\n一、结论") == [
        "1. 被告还款。",
        "2. First item.",
        "Second one.",
        "（三）其他",
        "- 第一",
        "一、结论",
    ]


def test_a_printed_line_that_was_full_goes_on_in_the_next() -> None:
    page = (
        "民事判决书\n"
        "原告张三与被告李四民间借贷纠纷一案，本院于2021年3月\n"
        "5日立案后，依法适用普通程序，公开开庭进行了审理。原\n"
        "告到庭参加诉讼。\n"
        "诉讼请求\n"
        "原告：张三\n"
        "被告：李四"
    )
    assert [one.replace("\n", "") for one in sentences(page)] == [
        "民事判决书",
        "原告张三与被告李四民间借贷纠纷一案，本院于2021年3月5日立案后，依法适用普通程序，公开开庭进行了审理。",
        "原告到庭参加诉讼。",
        "诉讼请求",
        "原告：张三",
        "被告：李四",
    ]


def test_english_lines_that_were_wrapped_go_on() -> None:
    page = (
        "INTRODUCTION\n"
        "The Receiving Party shall hold and maintain the Confidential\n"
        "Information in strictest confidence for the sole and exclusive\n"
        "benefit of the Disclosing Party. The Receiving Party shall\n"
        "carefully restrict access.\n"
        "Signature"
    )
    assert [" ".join(one.split()) for one in sentences(page)] == [
        "INTRODUCTION",
        "The Receiving Party shall hold and maintain the Confidential Information in strictest confidence for the sole"
        " and exclusive benefit of the Disclosing Party.",
        "The Receiving Party shall carefully restrict access.",
        "Signature",
    ]


def test_a_line_that_comes_as_two_does_not_hide_that_the_others_are_full() -> None:
    page = (
        "People who wait for a bus in summer wait in whatever shade the stop happens to have. We\n"
        "measured air temperature and globe temperature at 48 bus stops in Port Alder, a coastal\n"
        "city of about 310,000 inhabitants, and related both to the share of trees near a stop, in "
        "all hours between noon and evening, and the harbour station gave the daily maximum of the\n"
        "Meteorological Service for the whole of the summer in question, as it does for all years.\n"
        "Heat is one of the costs of public transport that no fare table shows at all. A rider who\n"
        "Waits is hot."
    )
    assert len(sentences(page)) == 4


@pytest.mark.parametrize("row", ["| 借款 | 50万元。已还 | 是 |", "项目\t金额。\t备注", "Total | 5. Net | 3"])
def test_a_table_row_is_one_sentence(row: str) -> None:
    assert sentences(f"标题\n{row}\n正文。") == ["标题", row, "正文。"]


def test_nothing_gives_nothing() -> None:
    assert split_sentences("") == () == split_sentences(" \n\u3000\n")
    assert SentenceStream().finish() == ()


MARKS = "借款5A a1.。！？!?;；…\n\t |“”)）\"'-#*一、 Mr.No.e.g.：:是"
WRITING = st.text(alphabet=MARKS, max_size=80)


@given(WRITING)
def test_sentences_cover_all_that_is_no_space_and_never_overlap(text: str) -> None:
    end = 0
    for span in split_sentences(text):
        assert end <= span.start < span.end
        assert not text[end : span.start].strip()
        assert text[span.start : span.end].strip() == text[span.start : span.end]
        end = span.end
    assert not text[end:].strip()


@given(WRITING, st.lists(st.integers(min_value=0, max_value=80), max_size=20))
def test_a_stream_gives_the_same_sentences_in_whatever_pieces_it_comes(text: str, cuts: list[int]) -> None:
    bounds = sorted({0, len(text), *(cut for cut in cuts if cut <= len(text))})
    pieces = [text[start:end] for start, end in pairwise(bounds)]
    assert streamed(pieces) == streamed([text]) == streamed(list(text))


@given(WRITING)
def test_a_streams_sentences_say_where_they_stand(text: str) -> None:
    stream = SentenceStream()
    for sentence in (*stream.feed(text), *stream.finish()):
        assert text[sentence.start : sentence.end] == sentence.text


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("利率为15.", []),
        ("利率为15.4%。", []),
        ("利率为15.4%。被", ["利率为15.4%。"]),
        ("他说：“是。", []),
        ("他说：“是。”被", ["他说：“是。”"]),
        ("1.", []),
        ("1. 被告", []),
        ("It is Mr. ", []),
        ("It is so. ", []),
        ("It is so. He", ["It is so."]),
        ("**结论**\n", ["**结论**"]),
        ("| 借款 | 50万元。已", []),
        ("| 借款 | 50万元。已还 |\n", ["| 借款 | 50万元。已还 |"]),
    ],
)
def test_a_sentence_is_given_only_when_its_end_is_certain(text: str, certain: list[str]) -> None:
    assert [sentence.text for sentence in SentenceStream().feed(text)] == certain


@pytest.mark.parametrize("unit", ["a", "借", ". ", ".a", "。", "a\n", "\n", "“", "a。b|\t\n", "1. ", "Mr. "])
def test_long_texts_take_linear_time(unit: str) -> None:
    def seconds(count: int) -> float:
        text = unit * (count // len(unit))
        started = time.process_time()
        split_sentences(text)
        return time.process_time() - started

    assert seconds(100_000) < 35 * max(seconds(10_000), 0.002)


def test_a_long_answer_without_an_end_streams_in_linear_time() -> None:
    def seconds(count: int) -> float:
        stream = SentenceStream()
        started = time.process_time()
        for _ in range(count):
            stream.feed("1.5")
        return time.process_time() - started

    assert seconds(10_000) < 35 * max(seconds(1_000), 0.002)
