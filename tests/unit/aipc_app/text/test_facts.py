"""What a text states is found, in every writing, and compared as a careful reader would."""

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.text.facts import (
    ArticleNumber,
    DateValue,
    Fact,
    FactKind,
    FactValue,
    Quantity,
    compatible,
    facts_equal,
    find_facts,
    supports,
)


def only(text: str) -> Fact:
    facts = find_facts(text)
    assert len(facts) == 1, facts
    return facts[0]


def found(text: str) -> list[tuple[FactKind, FactValue]]:
    return [(fact.kind, fact.value) for fact in find_facts(text)]


EQUAL_GROUPS = [
    [
        "50万元",
        "500,000元",
        "五十万元",
        "人民币伍拾万元整",
        "RMB 500,000",
        "¥500,000.00",
        "￥５００，０００",
        "500 thousand yuan",
        "five hundred thousand yuan",
        "50 万元",
        "伍拾萬圓整",
        "人民币50万",
        "CNY 500,000",
        "500000块钱",
        "RMB 500k",
    ],
    ["50万美元", "US$500,000", "$500,000", "USD 0.5 million", "500,000 dollars"],
    [
        "2021年3月5日",
        "2021-03-05",
        "二〇二一年三月五日",
        "March 5, 2021",
        "5 March 2021",
        "2021/3/5",
        "2021.3.5",
        "20210305",
        "5th of March, 2021",
        "Mar. 5, 2021",
        "２０２１年３月５日",
        "2021 年 3 月 5 日",
        "民国110年3月5日",
        "二零二一年三月五号",
        "2021年3\n月5日",
        "21年3月5日",
        "March 5th, 2021",
    ],
    ["2021年3月", "March 2021", "二〇二一年三月", "2021-03"],
    ["15天", "15日", "十五日", "fifteen days", "15 calendar days"],
    ["6个月", "半年", "六个月", "six months", "two quarters", "half a year"],
    ["3年", "三年", "36个月", "three years"],
    ["一年半", "18个月", "一年零六个月", "one and a half years"],
    ["10个工作日", "十个工作日", "ten business days", "10 working days"],
    ["15.4%", "百分之十五点四", "15.4 per cent", "１５．４％", "15.4 percent"],
    ["0.3%", "千分之三", "3‰"],
    ["年利率15.4%", "年化利率为15.4%", "15.4% per annum", "annual interest rate of 15.4%", "15.4%/年"],
    ["月利率2%", "月息2分", "月息二分", "2%/月", "2% per month"],
    ["日万分之五", "每日0.05%"],
    ["4倍", "四倍", "four times", "4x"],
    ["第六百八十条", "第680条", "Article 680", "第 680 条", "article 680"],
    ["第一百二十条之一", "第120条之一", "第120条之1"],
    ["第六百八十条第二款", "第680条第2款"],
    ["(2021)京0105民初1234号", "（2021）京0105民初1234号", "〔2021〕京0105民初1234号", "（2021）京0105民初字第1234号"],
    ["法释〔2020〕17号", "法释(2020)17号", "法释[2020]17号"],
    ["《中华人民共和国民法典》", "《民法典》", "《 民法典 》", "《民法典（2020年修订）》"],
    ["6222 0212 3456 7890 123", "6222021234567890123", "6222-0212-3456-7890-123"],
    ["138-1234-5678", "13812345678", "138 1234 5678"],
    ["京A·12345", "京A12345"],
    ["三分之一", "3分之1", "one third"],
    ["下午2时30分", "14:30", "2:30 pm", "14时30分"],
    ["50余万元", "五十余万元", "50多万元"],
    ["-5万元", "负五万元"],
]


@pytest.mark.parametrize("group", EQUAL_GROUPS, ids=lambda group: group[0])
def test_writings_of_the_same_fact_are_equal(group: list[str]) -> None:
    first = only(group[0])
    for other in group[1:]:
        assert facts_equal(first, only(other)), (first, only(other))


APART = [
    ("50万元", "50万美元"),
    ("50万元", "5万元"),
    ("50万元", "50余万元"),
    ("50万元", "-50万元"),
    ("15天", "15个月"),
    ("15天", "15个工作日"),
    ("30天", "1个月"),
    ("15.4%", "15.4"),
    ("15.4%", "15.4倍"),
    ("年利率2%", "月利率2%"),
    ("5%", "5个百分点"),
    ("2021年3月5日", "2021年3月6日"),
    ("2021年3月5日", "2020年3月5日"),
    ("第680条", "第681条"),
    ("第120条", "第120条之一"),
    ("第680条第1款", "第680条第2款"),
    ("(2021)京0105民初1234号", "(2021)京0105民初1235号"),
    ("《民法典》", "《刑法》"),
    ("13812345678", "13812345679"),
    ("京A12345", "京B12345"),
    ("14:30", "15:30"),
    ("三分之一", "三分之二"),
    ("500万", "50万"),
    ("尾号1234", "尾号1235"),
    ("3:7", "7:3"),
    ("第3页", "第3章"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_facts_that_differ_are_not_even_compatible(one: str, other: str) -> None:
    assert not facts_equal(only(one), only(other))
    assert not compatible(only(one), only(other))
    assert not supports(only(one), only(other))


SUPPORTED = [
    ("2021年3月5日", "3月5日"),
    ("2021年3月5日", "2021年3月"),
    ("2021年3月5日", "2021年"),
    ("年利率15.4%", "15.4%"),
    ("第680条第二款", "第680条"),
    ("6222021234561234", "尾号1234"),
    ("6222****1234", "尾号1234"),
    ("14:30:22", "14:30"),
    ("Section 4.2(b)", "Section 4.2"),
    ("每月20日", "20日"),
]


@pytest.mark.parametrize(("source", "claim"), SUPPORTED)
def test_a_source_supports_a_claim_that_says_less_and_not_the_reverse(source: str, claim: str) -> None:
    assert supports(only(source), only(claim))
    assert compatible(only(source), only(claim)) and compatible(only(claim), only(source))


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("3月5日", "2021年3月5日"),
        ("2021年3月", "2021年3月5日"),
        ("15.4%", "年利率15.4%"),
        ("第680条", "第680条第二款"),
        ("14:30", "14:30:22"),
    ],
)
def test_a_claim_may_not_say_more_than_its_source(source: str, claim: str) -> None:
    assert not supports(only(source), only(claim))
    assert compatible(only(source), only(claim))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("50万", "50万元"),
        ("50%", "二分之一"),
        ("三份", "3"),
        ("05/03/2021", "2021年3月5日"),
        ("05/03/2021", "2021年5月3日"),
    ],
)
def test_either_supports_the_other_where_neither_says_more(one: str, other: str) -> None:
    assert supports(only(one), only(other)) and supports(only(other), only(one))


def test_a_bare_figure_of_a_table_supports_the_amount_that_the_heading_gives_a_unit() -> None:
    assert supports(only("3,456.78"), only("3456.78万元"))
    assert supports(only("300"), only("RMB 300 million"))
    assert not supports(only("300"), only("30万元"))
    assert not supports(only("300元"), only("300万元"))
    assert not supports(only("300万元"), only("300"))


def test_ranges_are_two_facts_with_the_unit_of_the_second() -> None:
    assert found("3至5年") == [
        (FactKind.DURATION, Quantity(Decimal(36), "month")),
        (FactKind.DURATION, Quantity(Decimal(60), "month")),
    ]
    assert found("50-60万元") == found("50万元、60万元")
    assert found("10%-15%") == found("10%、15%")
    assert found("2021年3月5日至15日") == found("2021年3月5日、2021年3月15日")
    assert found("第680、681条") == found("第680条、第681条")
    assert found("10万元-20万元") == found("10万元、20万元")


@pytest.mark.parametrize(
    "text",
    [
        "张三与李四",
        "第三人",
        "一方当事人",
        "万一",
        "1. 借款人\n2、担保人\n(3) 其他\n- 4) 终",
        "见[1][2]",
        "十分重要",
        "三星公司",
        "GPT-4",
        "千万不要",
        "A4",
        "**F53**",
    ],
)
def test_words_and_layout_are_no_facts(text: str) -> None:
    assert find_facts(text) == ()


def test_the_unit_number_of_a_flat_is_no_money() -> None:
    assert all(fact.kind is not FactKind.AMOUNT for fact in find_facts("3号楼2单元501室"))


def test_a_currency_belongs_to_one_figure() -> None:
    assert found("50万美元 3万元")[1] == (FactKind.AMOUNT, Quantity(Decimal(30000), "CNY"))
    assert found("HK$5 人民币：6元") == [
        (FactKind.AMOUNT, Quantity(Decimal(5), "HKD")),
        (FactKind.AMOUNT, Quantity(Decimal(6), "CNY")),
    ]


def test_a_sentence_of_a_judgment_gives_its_facts_in_order() -> None:
    text = (
        "被告于２０２０年９月１日、10月8日分两笔还款50,000元和80，000元，"
        "依照《中华人民共和国民法典》第六百七十五条第一款，年利率15.4%。"
    )
    facts = find_facts(text)
    assert [fact.kind for fact in facts] == [
        FactKind.DATE,
        FactKind.DATE,
        FactKind.COUNT,
        FactKind.AMOUNT,
        FactKind.AMOUNT,
        FactKind.TITLE,
        FactKind.ARTICLE,
        FactKind.RATE,
    ]
    assert facts[0].value == DateValue(2020, 9, 1)
    assert facts[4].value == Quantity(Decimal(80000), "CNY")
    assert facts[6].value == ArticleNumber("675", 1)
    assert facts[0].text == "２０２０年９月１日"


def test_yuan_jiao_and_fen_make_one_amount() -> None:
    assert only("伍佰元伍角陆分").value == Quantity(Decimal("500.56"), "CNY")
    assert only("500元5角").value == Quantity(Decimal("500.5"), "CNY")


WRITING = st.text(
    alphabet=st.sampled_from(
        "0123456789一二三十百千万亿年月日元%.,，-—~至第条款《》()（）[]$¥分之点半个天倍 \nabeMarch*京ACX萬"
    ),
    max_size=80,
)


@given(WRITING)
def test_facts_lie_in_order_apart_and_where_they_say(text: str) -> None:
    end = 0
    for fact in find_facts(text):
        assert end <= fact.start < fact.end <= len(text)
        assert text[fact.start : fact.end] == fact.text
        end = fact.end


@given(st.integers(min_value=1, max_value=10**13), st.sampled_from(["元", "美元", "天", "%", "倍"]))
def test_thousands_separators_and_widths_never_change_a_fact(value: int, unit: str) -> None:
    plain = only(f"为{value}{unit}。")
    wide = f"{value:,}".replace(",", ",").translate(str.maketrans("0123456789", "０１２３４５６７８９"))
    for written in (f"{value:,}{unit}", f"{wide}{unit}", f"{value}.00{unit}"):
        assert facts_equal(plain, only(f"为{written}。"))


def test_a_row_of_digits_with_a_unit_is_a_quantity() -> None:
    assert only("19230801元").kind is only("￥19230801").kind is FactKind.AMOUNT
    assert only("20210305").kind is FactKind.DATE
    assert only("12345678901元").kind is FactKind.AMOUNT
    assert only("12345678901").kind is FactKind.IDENTIFIER


@given(WRITING)
def test_a_fact_supports_itself(text: str) -> None:
    for fact in find_facts(text):
        assert supports(fact, fact)


@given(WRITING, WRITING)
def test_compatibility_has_no_direction(one: str, other: str) -> None:
    for first in find_facts(one):
        for second in find_facts(other):
            assert compatible(first, second) == compatible(second, first)


@pytest.mark.parametrize(
    "unit", ["1", "一", "万", "1,111", "(2021)京", "第一条、", "one ", "5月", "A1-", "《", "*", "1:", "半"]
)
def test_long_runs_take_linear_time(unit: str) -> None:
    """Ten times the text may take ten times as long, with room for noise, not a hundred times."""

    def seconds(count: int) -> float:
        text = unit * (count // len(unit))
        started = time.process_time()
        find_facts(text)
        return time.process_time() - started

    seconds(1000)
    assert seconds(40_000) < 35 * max(seconds(4_000), 0.002)
