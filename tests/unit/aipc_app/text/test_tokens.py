"""A question meets a document in whatever script and writing either is."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.text import tokens
from aipc_app.text.tokens import query_tokens, search_tokens


@pytest.fixture(autouse=True, scope="module")
def _dictionary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("dictionary")
    tokens.segmenter.cache_clear()
    tokens.configure(folder)
    tokens.warm_up()
    assert [file.name for file in folder.iterdir()] == ["jieba.cache"]
    yield


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("借款五十万元", "借款金額為500,000元"),
        ("第680条", "第六百八十条 禁止高利放贷"),
        ("二〇二一年三月五日", "签于2021-03-05"),
        ("2021年3月", "签于2021年3月5日"),
        ("15.4%", "百分之十五点四"),
        ("15天", "十五日内"),
        ("民間借貸", "民间借贷"),
        ("interest rates", "The Interest Rate was agreed"),
        ("(2021)京0105民初1234号", "（２０２１）京0105民初1234號"),
        ("HT-2021-001", "合同编号：HT-2021-001"),
        ("5w", "还款50,000元"),
        ("Article 680", "第六百八十条"),
    ],
)
def test_the_figures_and_words_of_a_question_meet_those_of_a_document(question: str, document: str) -> None:
    assert set(query_tokens(question)) & set(search_tokens(document))


@pytest.mark.parametrize("name", ["覃塬圳", "乜某", "于得水", "仉督", "苗地", "宁有为"])
def test_an_unknown_name_is_met_although_its_surroundings_differ(name: str) -> None:
    """By a token of more than one character: single ones are in every second passage."""
    question = {token for token in query_tokens(f"{name}是谁的担保人？") if len(token) > 1 and token in name}
    for document in (f"由{name}提供连带责任保证", f"保证人：{name}。", f"{name}于当日签字", f"向{name}转账"):
        assert question & set(search_tokens(document)), document


def test_figures_of_different_things_stay_apart() -> None:
    assert not set(search_tokens("50万元")) & set(search_tokens("5万元"))
    assert not set(search_tokens("第680条")) & set(search_tokens("680元"))
    assert not set(search_tokens("15天")) & set(search_tokens("15个工作日"))


def test_a_question_loses_its_question_words() -> None:
    assert query_tokens("借款金额是多少？") == ["借款", "金额"]
    assert query_tokens("What was the interest rate of the loan?") == ["interest", "rate", "loan"]


def test_a_question_of_nothing_but_question_words_keeps_them() -> None:
    assert query_tokens("是什么？") == search_tokens("是什么？")
    assert query_tokens("？") == []


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_every_token_survives_a_full_text_tokeniser(text: str) -> None:
    assert all(token and token.isalnum() and token == token.lower() for token in search_tokens(text))


@given(st.text(alphabet="借款合同五十万元年月日2021第条利率abc loan 《》\n，。", max_size=40))
def test_a_passage_is_found_by_its_own_words(text: str) -> None:
    assert set(query_tokens(text)) <= set(search_tokens(text))


def test_many_threads_get_the_same_tokens() -> None:
    text = "甲方向乙方借款五十万元 lending agreements"
    expected, results = search_tokens(text), []
    threads = [threading.Thread(target=lambda: results.append(search_tokens(text))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8


def test_a_read_only_cache_folder_is_no_obstacle(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tokens.segmenter.cache_clear()
    tokens.configure(tmp_path / "is not there")
    with caplog.at_level(logging.DEBUG):
        assert search_tokens("借款") == ["借款"]
    assert not caplog.records
