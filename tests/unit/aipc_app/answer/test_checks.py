"""True figures and shared words are no proof when they are said of something else."""

from __future__ import annotations

import pytest

from aipc_app.answer.align import align
from aipc_app.answer.attribute import attribute
from aipc_app.answer.claim import make_claim
from aipc_app.answer.units import Units, cut_units
from aipc_app.domain.answers import SentenceState
from tests.unit.aipc_app.answer.material import source

LIST = (
    "证据清单\n提交人：林秀兰　　提交日期：2024年5月20日\n"
    "序号 | 名称 | 证明\n1 | 委托代理合同 | 委托海平律师事务所代理本案\n2 | 银行明细 | 付款300,000元\n"
)
STATEMENT = "起诉状\n原告林秀兰于2020年6月1日出借人民币300,000元。\n被告至今未还。\n"
SLIP = (
    "转账凭证\n日期 | 金额 | 附言\n2020-06-03 | 280,000.00 | 借款\n2020-12-01 | 20,000.00 | 利息\n"
    "2021-01-05 | 50,000.00 | 还款\n"
)


def material() -> Units:
    return cut_units(
        (
            source(LIST, document_id=1, name="证据清单.docx"),
            source(STATEMENT, document_id=2, name="起诉状.docx"),
            source(SLIP, document_id=3, name="转账凭证.html"),
        )
    )


def state(sentence: str, question: str = "") -> SentenceState:
    return attribute(make_claim(sentence, question), material()).state


@pytest.mark.parametrize(
    ("false", "true"),
    [
        ("与海平律师事务所的委托代理合同是2024年5月20日签订的。", "证据清单的提交日期是2024年5月20日。"),
        ("附言为“利息”的转账是2021年1月5日，金额50,000元。", "附言为“利息”的转账是2020年12月1日，金额20,000元。"),
        ("起诉状和转账凭证上的借款金额一致，均为300,000元。", "起诉状上的出借金额为300,000元。"),
    ],
)
def test_a_figure_said_of_something_else_is_not_supported_and_the_true_sentence_is(false: str, true: str) -> None:
    assert state(false) is SentenceState.UNSUPPORTED
    assert state(true) is SentenceState.SUPPORTED


def test_documents_that_differ_may_be_said_to_differ() -> None:
    sentence = "起诉状和转账凭证上的借款金额不一致，分别为300,000元和280,000元。"
    assert state(sentence) is SentenceState.SUPPORTED


def test_the_same_verb_in_another_word_is_the_same_matter() -> None:
    units = cut_units((source("要点是：已还19万元，原告已同意展期。", name="答辩状.docx"),))
    claim = make_claim("被告主张一共还了190,000元。")
    assert align(claim, units).missing == ()


@pytest.mark.parametrize(
    ("sentence", "supported"),
    [
        ("The lender is Lin Xiulan.", True),
        ("The lender is Xiulan Lin.", True),
        ("The lender is Xu Lingxin.", False),
        ("The loan was made in Jiangzhou.", False),
    ],
)
def test_a_chinese_name_in_latin_letters_must_stand_in_the_material(sentence: str, supported: bool) -> None:
    units = material()
    near = {index: 0.9 if "林秀兰" in unit.text else 0.8 for index, unit in enumerate(units.items)}
    verdict = attribute(make_claim(sentence), units, near)
    assert (verdict.state is SentenceState.SUPPORTED) is supported
    assert bool(verdict.reason) is not supported


TABLE = "财务报表\n项目 | 2021年 | 2022年 | 2023年\n偿债保障比率 | 1.62 | 1.38 | 1.12\n周转天数 | 92 | 106 | 132\n"


@pytest.mark.parametrize(
    ("sentence", "state"),
    [
        ("2023年的偿债保障比率为1.62。", SentenceState.UNSUPPORTED),
        ("2023年的偿债保障比率为1.12。", SentenceState.SUPPORTED),
        ("2021年的偿债保障比率为1.62。", SentenceState.SUPPORTED),
        ("2023年的周转天数为132天，政策上限为120天。", SentenceState.SUPPORTED),
        ("财务报表列示的净利润为312万元。", SentenceState.UNSUPPORTED),
        ("财务报表列示的净利润为3,120,000元。", SentenceState.UNSUPPORTED),
        ("申请书写明的净利润为312万元。", SentenceState.SUPPORTED),
        ("02_财务报表_2021至2023年.docx 中2023年的偿债保障比率为1.12。", SentenceState.SUPPORTED),
    ],
)
def test_a_figure_belongs_to_its_column_and_to_the_document_that_is_named(sentence: str, state: SentenceState) -> None:
    units = cut_units(
        (
            source(TABLE, document_id=1, name="02_财务报表_2021至2023年.docx"),
            source("净利润为312万元。", document_id=2, name="01_授信申请书.docx"),
            source("应收账款周转天数不超过120天。", document_id=3, name="04_授信政策.md"),
        )
    )
    verdict = attribute(make_claim(sentence), units)
    assert verdict.state is state, verdict.reason


def test_a_condition_is_no_denial() -> None:
    units = cut_units((source("This term sheet lapses if it is not accepted by 31 May 2024.", name="term_sheet.md"),))
    sentence = "The term sheet must be accepted by 31 May 2024."
    assert attribute(make_claim(sentence), units).state is SentenceState.SUPPORTED


def test_a_short_reply_to_a_question_that_goes_on_is_proved_by_its_figure() -> None:
    units = cut_units((source("第三条 借款期限自2021年3月5日起至2022年3月4日止。", name="合同.txt"),))
    assert attribute(make_claim("到2022年3月4日结束。", "到哪天结束？"), units).state is SentenceState.SUPPORTED
