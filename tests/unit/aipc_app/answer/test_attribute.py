"""A sentence is proved by what its spans say, after numbers, dates and widths are made comparable."""

from __future__ import annotations

import msgspec
import pytest

from aipc_app.answer.attribute import Verdict, attribute
from aipc_app.answer.claim import make_claim
from aipc_app.answer.units import Units, cut_units
from aipc_app.domain.answers import SentenceState
from tests.unit.aipc_app.answer.material import CONTRACT, chinese, english, source


def quotes(verdict: Verdict, units: Units) -> str:
    return "".join(units.sources[s.source].page_text[s.start : s.end] for s in verdict.spans)


@pytest.mark.parametrize(
    ("sentence", "quoted"),
    [
        ("合同约定的借款金额为50万元。", "伍拾万元整"),
        ("借款金额是 500,000 元。", "伍拾万元整"),
        ("借款期限自2021年3月5日起至2022年3月4日止。", "二〇二一年三月五日"),
        ("月利率为百分之一点五，按季付息。", "月利率1.5%"),
        ("双方没有办理抵押登记。", "未办理抵押登记"),
        ("2021年3月5日转给吴海波470,000元。", "470,000.00"),
    ],
)
def test_true_sentence_is_supported_and_quotes_its_source(sentence: str, quoted: str) -> None:
    units = chinese()
    verdict = attribute(make_claim(sentence), units)
    assert verdict.state is SentenceState.SUPPORTED, verdict.reason
    assert quoted in quotes(verdict, units)


@pytest.mark.parametrize(
    "sentence",
    [
        "合同约定的借款金额为60万元。",
        "借款期限自2021年3月6日起。",
        "月利率为2%。",
        "借款金额为50万美元。",
        "违约金为每日千分之三。",
    ],
)
def test_a_fact_that_stands_nowhere_makes_a_sentence_unsupported_and_is_named(sentence: str) -> None:
    verdict = attribute(make_claim(sentence), chinese())
    assert verdict.state is SentenceState.UNSUPPORTED
    assert verdict.spans == ()
    assert "材料中没有" in verdict.reason


@pytest.mark.parametrize(
    "sentence", ["本合同适用新加坡法律。", "争议提交上海仲裁委员会仲裁。", "吴海波毕业于某某大学。"]
)
def test_an_invention_without_figures_is_never_supported(sentence: str) -> None:
    assert attribute(make_claim(sentence), chinese()).state is not SentenceState.SUPPORTED


def test_facts_of_two_documents_get_a_citation_each() -> None:
    units = chinese()
    verdict = attribute(make_claim("合同写的借款金额为50万元，转账凭证的金额为47万元。"), units)
    assert verdict.state is SentenceState.SUPPORTED
    assert {units.sources[span.source].document for span in verdict.spans} == {"合同.txt", "凭证.txt"}


def test_english_sentence_is_supported_and_a_stranger_is_not() -> None:
    units = english()
    good = attribute(make_claim("The debt service coverage ratio must be at least 1.25."), units)
    bad = attribute(make_claim("The audit was completed by Deloitte Touche."), units)
    assert good.state is SentenceState.SUPPORTED
    assert bad.state is SentenceState.UNSUPPORTED
    assert "Deloitte Touche" in bad.reason


def test_similarities_stand_in_for_words_across_languages() -> None:
    units = chinese()
    claim = make_claim("The loan amount is RMB 500,000.")
    near = next(i for i, unit in enumerate(units.items) if "伍拾万元整" in unit.text)
    scores = dict.fromkeys(range(len(units.items)), 0.78) | {near: 0.88}
    assert attribute(claim, units, scores).state is SentenceState.SUPPORTED
    far = dict.fromkeys(range(len(units.items)), 0.78)
    assert attribute(claim, units, far).state is SentenceState.UNSUPPORTED


def test_every_span_is_the_page_text_it_points_at() -> None:
    units = chinese()
    verdict = attribute(make_claim("借款金额为50万元，2021年3月5日转账。"), units)
    for span in verdict.spans:
        window = units.items[span.first : span.last + 1]
        page = units.sources[span.source].page_text
        assert page[span.start : span.end].startswith(window[0].text)
        assert page[span.start : span.end].endswith(window[-1].text)


@pytest.mark.parametrize("sentence", ["双方已办理抵押登记。", "双方办理抵押登记。"])
def test_a_sentence_that_turns_a_no_into_a_yes_is_in_doubt(sentence: str) -> None:
    verdict = attribute(make_claim(sentence), chinese())
    assert verdict.state is not SentenceState.SUPPORTED
    assert "相反" in verdict.reason


def test_a_no_that_is_a_no_in_the_quote_is_supported() -> None:
    assert attribute(make_claim("双方未办理抵押登记。"), chinese()).state is SentenceState.SUPPORTED


def test_another_matters_document_proves_nothing_about_this_case() -> None:
    text = "经审理查明，被告何某于2020年1月2日还款30,000元。\n"
    aside = msgspec.structs.replace(source(text, name="判决书.txt", library=True), aside=True)
    verdict = attribute(make_claim("被告于2020年1月2日还款30,000元。"), cut_units((source(CONTRACT), aside)))
    assert verdict.state is SentenceState.IN_DOUBT
    assert "其他案件" in verdict.reason
