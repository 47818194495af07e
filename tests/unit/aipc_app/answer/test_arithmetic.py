"""What a sentence calculates is calculated again, and the right figure is the reason."""

from __future__ import annotations

import pytest

from aipc_app.answer.arithmetic import check_arithmetic
from aipc_app.answer.attribute import attribute
from aipc_app.answer.claim import make_claim
from aipc_app.answer.units import cut_units
from aipc_app.domain.answers import SentenceState
from aipc_app.text.facts import find_facts
from tests.unit.aipc_app.answer.material import source


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ("600,000元-150,000元=450,000元。", "600,000元-150,000元=460,000元。", "450,000元"),
        ("80万元加20万元等于100万元。", "80万元加20万元等于90万元。", "1,000,000元"),
        ("本金60万元，扣除已还15万元，尚欠45万元。", "本金60万元，扣除已还15万元，尚欠55万元。", "450,000元"),
        ("发票60万元与到账54万元相差6万元。", "发票60万元与到账54万元相差8万元。", "60,000元"),
        ("本金30万元、月利率1%，6个月的利息为18,000元。", "本金30万元、月利率1%，6个月的利息为3,000元。", "18,000元"),
        ("300,000×1%×6=18,000", "300,000×1%×6=1,800", "18,000"),
        ("流动比率为1.43，未满足不低于1.50的要求。", "流动比率为1.43，满足不低于1.50的要求。", "1.43 < 1.50"),
        ("负债率为65%，不超过70%，符合要求。", "负债率为75%，不超过70%，符合要求。", "75% ≥ 70%"),
        ("The ratio of 1.32x meets the minimum of 1.25x.", "The ratio of 1.12x meets the minimum of 1.25x.", "<"),
        ("The ratio, 1.12x, is below 1.25x.", "The ratio, 1.32x, is below 1.25x.", "≥"),
    ],
)  # fmt: skip
def test_the_right_one_passes_and_the_wrong_one_is_told_the_right_figure(right: str, wrong: str, reason: str) -> None:
    assert check_arithmetic(right, find_facts(right)).wrong == ""
    assert reason in check_arithmetic(wrong, find_facts(wrong)).wrong


@pytest.mark.parametrize(
    "sentence",
    [
        "合同金额60万元，2021年3月5日支付54万元，2022年3月5日支付6万元。",
        "利率为1.5%，低于法定上限。",
        "第三条约定的比率应满足不低于1.20的要求。",
        "是否满足不低于1.20的要求，要看1.12这一数字。",
        "甲公司60万元，其中乙分公司20万元和丙分公司10万元。",
    ],
)
def test_what_is_no_calculation_is_left_alone(sentence: str) -> None:
    assert check_arithmetic(sentence, find_facts(sentence)).wrong == ""


def test_a_right_result_may_stand_in_no_document_a_wrong_one_is_unsupported_with_the_right_figure() -> None:
    units = cut_units((source("发票金额为60万元。到账金额为54万元。"),))
    right = attribute(make_claim("发票金额60万元与到账金额54万元相差6万元。"), units)
    wrong = attribute(make_claim("发票金额60万元与到账金额54万元相差7万元。"), units)
    assert right.state is SentenceState.SUPPORTED, right.reason
    assert wrong.state is SentenceState.UNSUPPORTED
    assert "60,000元" in wrong.reason


def test_an_operand_must_stand_in_the_material_however_right_the_sum_is() -> None:
    units = cut_units((source("发票金额为60万元。到账金额为54万元。"),))
    verdict = attribute(make_claim("发票金额60万元与到账金额53万元相差7万元。"), units)
    assert verdict.state is SentenceState.UNSUPPORTED
    assert "53万元" in verdict.reason


def test_a_floor_that_only_the_material_names_is_held_against_the_figure() -> None:
    units = cut_units(
        (
            source("借款人的流动比率不低于1.50。", name="合同.txt"),
            source("流动比率为1.43。", document_id=2, name="报表.txt"),
        )
    )
    assert attribute(make_claim("流动比率为1.43，满足了要求。"), units).state is SentenceState.UNSUPPORTED
    unmet = attribute(make_claim("流动比率为1.43，未满足要求。"), units)
    assert "1.43" not in unmet.reason


def test_a_total_of_another_list_is_doubted_not_denied() -> None:
    text = "先后支付了20万元、10万元，合计40万元。"
    assert check_arithmetic(text, find_facts(text)).doubtful
