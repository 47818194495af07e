"""What is made of a review for others: a document plan with footnotes, and the contract's JSON."""

from __future__ import annotations

from msgspec.structs import replace

from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.domain.exporting import Paragraph, Table, Typography, runs_of
from aipc_app.domain.review import (
    Cell,
    Column,
    Decision,
    DraftPart,
    Finding,
    FindingStatus,
    Item,
    ItemType,
    Review,
    ReviewedDocument,
    ReviewState,
    Section,
    Template,
    Words,
)
from aipc_app.review.as_json import as_json
from aipc_app.review.export_plan import plan_of


def words(zh: str) -> Words:
    return Words(zh=zh, en=zh)


def cited(marker: int, start: int, quote: str) -> Citation:
    return Citation(
        marker=marker, document="合同.pdf", document_id=7, page=2, start=start, end=start + len(quote), quote=quote
    )


COLUMNS = (Column(id="who", label=words("付款人")), Column(id="sum", label=words("金额")))
ITEMS = (
    Item(id="amount", label=words("借款金额"), type=ItemType.MONEY, question=words("多少？")),
    Item(id="place", label=words("管辖"), question=words("哪里？")),
    Item(id="table", label=words("转账"), type=ItemType.TABLE, question=words("表"), columns=COLUMNS),
    Item(id="interest", label=words("利息"), type=ItemType.MONEY, compute="court_fee", inputs={"amount": "amount"}),
)
TEMPLATE = Template(
    id="own", title=words("报告"), about=words("报告"), notice=words("供法官审核决定的草稿"), hash="ab",
    typography=Typography.OFFICIAL, sections=(Section(title=words("一、事实"), items=ITEMS),),
    draft=(DraftPart(title=words("查明"), text=words("借款金额：{amount}\n管辖：{place}\n{interest}")),),
)  # fmt: skip
AMOUNT = Finding(
    item="amount", status=FindingStatus.SUPPORTED, value="500,000元", citations=(cited(1, 10, "500,000元"),),
    sentences=(Sentence(text="500,000元", state=SentenceState.SUPPORTED, citations=(1,)),),
)  # fmt: skip
PLACE = Finding(item="place", status=FindingStatus.NOT_FOUND, reason="材料中未找到")
TABLE = Finding(
    item="table", status=FindingStatus.SUPPORTED, value="钱一 | 100", citations=(cited(1, 40, "钱一 100"),),
    rows=((Cell(text="钱一", citations=(1,)), Cell(text="100", citations=(1,))),),
)  # fmt: skip
INTEREST = Finding(
    item="interest", status=FindingStatus.SUPPORTED, value="8,800元", citations=(cited(1, 10, "500,000元"),),
    sentences=(Sentence(text="8,800元", state=SentenceState.SUPPORTED, citations=(1,)),), working=("500,000 分段累计",),
)  # fmt: skip
REVIEW = Review(
    id=3, case_id=2, template=TEMPLATE, language="zh", model="toy", state=ReviewState.DONE,
    documents=(ReviewedDocument(id=7, name="合同.pdf", sha256="cd"),), findings=(AMOUNT, PLACE, TABLE, INTEREST),
)  # fmt: skip


def text_of(review: Review, **more: bool) -> str:
    plan = plan_of(review, "甲诉乙", **more)
    runs = (run.text for section in plan.sections for block in section.blocks for run in runs_of(block))
    return "\n".join(runs)


def deciding(item: str, decision: Decision, edited: str = "") -> Review:
    findings = tuple(
        replace(one, decision=decision, edited=edited) if one.item == item else one for one in REVIEW.findings
    )
    return replace(REVIEW, findings=findings)


def test_the_notice_is_for_every_page_and_what_is_missing_stands_first() -> None:
    plan = plan_of(REVIEW, "甲诉乙")
    assert plan.notice == "供法官审核决定的草稿" and plan.typography is Typography.OFFICIAL
    first = plan.sections[0]
    assert all(isinstance(block, Paragraph) and block.remark for block in first.blocks)
    assert [run.text for block in first.blocks for run in runs_of(block)][1:] == ["· 管辖"]


def test_each_value_has_a_footnote_to_document_and_page() -> None:
    plan = plan_of(REVIEW, "甲诉乙")
    runs = [run for section in plan.sections for block in section.blocks for run in runs_of(block)]
    amount = next(run for run in runs if run.text == "500,000元")
    assert [(note.document, note.page, note.quote) for note in amount.notes] == [("合同.pdf", 2, "")]
    (note,) = next(run for run in runs if run.text == "钱一").notes
    assert (note.document, note.page) == ("合同.pdf", 2)
    assert not next(run for run in runs if run.text == "100").notes  # the row's place is noted once


def test_tables_keep_their_columns_and_sums_their_working() -> None:
    plan = plan_of(REVIEW, "甲诉乙")
    tables = [block for section in plan.sections for block in section.blocks if isinstance(block, Table)]
    assert ("付款人", "金额") in [table.header for table in tables]
    assert all(len(row) == len(table.header) for table in tables for row in table.rows)
    assert "500,000 分段累计" in text_of(REVIEW)


def test_a_figure_is_a_number_for_spreadsheets() -> None:
    plan = plan_of(REVIEW, "甲诉乙")
    tables = [block for section in plan.sections for block in section.blocks if isinstance(block, Table)]
    assert 500_000.0 in [cell.number for table in tables for row in table.rows for cell in row]


def test_what_is_rejected_is_in_no_export_and_what_is_edited_is_as_the_user_wrote_it() -> None:
    assert "500,000元" not in text_of(deciding("amount", Decision.REJECTED)).replace("500,000 分段累计", "")
    edited = text_of(deciding("amount", Decision.EDITED, "450,000元"))
    assert "450,000元" in edited and "\n500,000元" not in edited


def test_accepted_only_leaves_everything_else_out() -> None:
    text = text_of(deciding("amount", Decision.ACCEPTED), accepted_only=True)
    assert "500,000元" in text and "8,800元" not in text and "钱一" not in text


def test_json_has_the_contracts_fields_and_markers_that_count_through() -> None:
    told = as_json(REVIEW)
    findings = told["findings"]
    assert isinstance(findings, list) and [f["item"] for f in findings] == ["amount", "place", "table", "interest"]
    assert {"item", "value", "status", "citations"} <= set(findings[0])
    (section,) = told["sections"]  # type: ignore[misc]
    assert [sentence["text"] for sentence in section["sentences"]] == ["借款金额：500,000元", "8,800元"]
    assert [sentence["citations"] for sentence in section["sentences"]] == [[1], [1]]  # one place, one marker
    assert len(told["citations"]) == 1 and told["missing"] == ["管辖"]  # type: ignore[arg-type]
    assert told["documents"] == ({"id": 7, "name": "合同.pdf", "sha256": "cd"},) and told["template_hash"] == "ab"
