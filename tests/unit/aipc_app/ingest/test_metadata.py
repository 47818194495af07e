"""What documents say of themselves, each thing with its place."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aipc_app.domain.documents import Page, PageState
from aipc_app.domain.fields import DocumentField, DocumentKind, FieldName
from aipc_app.ingest.metadata import recognise

JUDGMENT = (
    "某市某区人民法院\n民 事 判 决 书\n（2021）某0105民初1234号\n原告：陈国梁，男，1971年生。\n"
    "被告（反诉原告）：某贸易有限公司，住所地某市。\n原告诉称，借款未还。\n本院认为，应当归还。判决如下：\n"
    "一、归还借款。\n审判长　李四\n二〇二一年三月五日\n书记员　王五"
)


def fields(name: str, *texts: str) -> tuple[DocumentField, ...]:
    pages = [Page(number=number, text=text, state=PageState.TEXT) for number, text in enumerate(texts, 1)]
    found = recognise(name, pages)
    for field in found:
        if field.page is not None:
            assert field.start is not None and field.end is not None
            assert 0 <= field.start < field.end <= len(texts[field.page - 1])
    return found


def values(found: tuple[DocumentField, ...], name: FieldName) -> list[str]:
    return [field.value for field in found if field.name is name]


def test_a_judgment_tells_court_number_parties_and_day() -> None:
    found = fields("a.txt", JUDGMENT)
    assert values(found, FieldName.KIND) == ["judgment"]
    assert values(found, FieldName.TITLE) == ["某市某区人民法院民事判决书"]
    assert values(found, FieldName.CASE_NUMBER) == ["（2021）某0105民初1234号"]
    assert values(found, FieldName.PARTY) == ["原告：陈国梁", "被告：某贸易有限公司"]
    assert values(found, FieldName.DATE) == ["2021-03-05"]
    (date,) = [field for field in found if field.name is FieldName.DATE]
    assert JUDGMENT[date.start : date.end] == "二〇二一年三月五日"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("民事起诉状\n原告：甲某\n诉讼请求：", DocumentKind.COMPLAINT),
        ("民 事 答 辩 状\n答辩人：乙某", DocumentKind.ANSWER),
        ("借款合同\n甲方：张三\n乙方：李四\n第一条 借款。", DocumentKind.CONTRACT),
        ("MUTUAL NON-DISCLOSURE AGREEMENT\nThis Agreement is made", DocumentKind.CONTRACT),
        ("原告证据目录\n序号 | 名称", DocumentKind.EVIDENCE_LIST),
        ("询问笔录（第二次）\n问：姓名？\n答：张三。", DocumentKind.TRANSCRIPT),
        ("关于货款的情况说明\n我公司于去年付款。", DocumentKind.STATEMENT),
        ("民间借贷条例\n第一条 甲。\n第二条 乙。\n第三条 丙。\n第四条 丁。", DocumentKind.STATUTE),
        ("Shade at stops\nAbstract\nWe measured shade.\n1 Introduction\nText.\nReferences\n[1]", DocumentKind.PAPER),
        ("From: a@example.org\nTo: b@example.org\nSubject: loan\n\nHello", DocumentKind.MAIL),
        ("本院认为，应当归还。\n判决如下：一、归还。", DocumentKind.JUDGMENT),
        ("2021年度工作汇报\n今年完成了工作。", DocumentKind.OTHER),
        ("他说判决书会在下周送达，我们再看。", DocumentKind.OTHER),
    ],
)
def test_kinds(text: str, kind: DocumentKind) -> None:
    assert values(fields("文件.txt", text), FieldName.KIND) == [kind.value]


def test_a_file_without_readable_pages_is_told_by_its_name() -> None:
    found = recognise("卷宗/借款合同.pdf", [Page(number=1, text="", state=PageState.EMPTY)])
    assert values(found, FieldName.KIND) == ["contract"] and values(found, FieldName.TITLE) == ["借款合同"]
    assert all(field.page is None for field in found)


def test_the_effective_date_is_not_any_date() -> None:
    text = (
        "民间借贷条例\n（2020年5月28日通过）\n第一条 甲。\n第二条 乙。\n第三条 丙。\n"
        "第四条 本条例自2021年1月1日起施行。2015年1月1日的规定同时废止。"
    )
    assert values(fields("a.txt", text), FieldName.EFFECTIVE_DATE) == ["2021-01-01"]
    english = "LOAN AGREEMENT\nThis Agreement is made on 5 March 2021 (the “Effective Date”) between A and B."
    assert values(fields("a.txt", english), FieldName.EFFECTIVE_DATE) == ["2021-03-05"]
    assert values(fields("a.txt", "借款合同\n自2021年1月1日起计息。"), FieldName.EFFECTIVE_DATE) == []


def test_parties_in_bold_are_parties_too() -> None:
    found = fields("a.md", "# 民事起诉状\n\n**原告**：陈国梁，男。\n\n**被告**：赵立新，男。")
    assert values(found, FieldName.PARTY) == ["原告：陈国梁", "被告：赵立新"]


def test_parties_of_english_papers() -> None:
    found = fields("a.txt", "LOAN AGREEMENT\nPlaintiff: Jane Roe\nAcme Lending LLC, a Utah company (“Lender”)")
    assert values(found, FieldName.PARTY) == ["Plaintiff: Jane Roe", "Lender: Acme Lending LLC"]


def test_the_date_of_a_signature_may_stand_on_the_last_page() -> None:
    found = fields("a.txt", "委托协议\n甲方：张三\n", "内容。", "甲方（签字）\n2022年7月1日")
    (date,) = [field for field in found if field.name is FieldName.DATE]
    assert (date.value, date.page) == ("2022-07-01", 3)


@given(st.text(alphabet="原告：张三，（“\") Aa\n年月日2021第条法判决书 ", max_size=400))
def test_any_text_is_looked_at_and_every_place_is_in_its_page(text: str) -> None:
    found = fields("x.txt", text)
    assert [field.name for field in found].count(FieldName.KIND) == 1


@pytest.mark.parametrize("unit", ["A ", "原告", "(“", "2021年", "Abc, ", "自2", "\n", "第一条"])
def test_odd_pages_take_no_time(unit: str) -> None:
    started = time.process_time()
    fields("x.txt", unit * (200_000 // len(unit)))
    assert time.process_time() - started < 20


@pytest.mark.data
def test_statutes_of_the_law_library_are_known(shared_data: Path) -> None:
    files = sorted((shared_data / "laws" / "cn").rglob("*.md"))[::25]
    kinds = [values(fields(file.name, file.read_text(encoding="utf-8")), FieldName.KIND)[0] for file in files]
    assert kinds.count("statute") >= 0.85 * len(kinds)
