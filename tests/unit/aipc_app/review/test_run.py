"""A review on the real store and search with the shipped fake engine: proof, sums, stopping, going on, doing again."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator

import pytest

from aipc_app.answer.gather import readable_documents
from aipc_app.domain.review import (
    Decision,
    Finding,
    FindingReady,
    FindingStatus,
    Item,
    ItemType,
    Review,
    ReviewState,
    Section,
    Template,
    Words,
)
from aipc_app.paths import Home
from aipc_app.review.compare import compare
from aipc_app.review.draft import draft_of
from aipc_app.review.questions import of_each_document, of_the_case
from aipc_app.review.templates import shipped_templates
from engine.client.fake import FakeEngine
from engine.errors import EngineError
from tests.unit.aipc_app.review.bench import ANSWER, Bench

YES = (0.0, -3.0)


def said(text: str) -> str:
    return json.dumps({"answer": text}, ensure_ascii=False)


def words(text: str) -> Words:
    return Words(zh=text, en=text)


def template(*items: Item) -> Template:
    section = Section(title=words("一"), items=items)
    mine = words("我的")
    return Template(id="own", title=mine, about=mine, notice=words("草稿"), sections=(section,), hash="1")


def ask(id_: str, question: str, type_: ItemType = ItemType.TEXT) -> Item:
    return Item(id=id_, label=words(question.rstrip("？")), question=words(question), type=type_)


PRINCIPAL = ask("principal", "原告请求归还多少本金？")
RATE = ask("rate", "借款年利率是多少？", ItemType.RATIO)
PLACE = ask("place", "合同由哪里管辖？")


@pytest.fixture
def engine() -> Iterator[FakeEngine]:
    made = FakeEngine(
        {
            "多少本金": said("被告归还借款本金100,000元。"),
            "年利率": said("年利率12%"),
            "管辖": said("合同由上海仲裁委员会管辖。"),
        },
        score=lambda _request: YES,
    )
    yield made
    made.close()


@pytest.fixture
def make(home: Home, engine: FakeEngine) -> Iterator[Callable[..., Bench]]:
    benches: list[Bench] = []

    def build(files: dict[str, str] | None = None) -> Bench:
        benches.append(Bench(home, engine, files))
        return benches[-1]

    yield build
    for bench in benches:
        bench.store.close()


def status(review: Review, item: str) -> FindingStatus:
    finding = review.finding(item)
    assert finding is not None
    return finding.status


def test_what_the_model_says_is_proved_and_quoted_and_an_invention_is_not_supported(make: Callable[..., Bench]) -> None:
    bench = make()
    review = bench.run(bench.begin(template(PRINCIPAL, RATE, PLACE)))
    assert review.state is ReviewState.DONE
    principal = review.finding("principal")
    assert principal is not None and principal.status is FindingStatus.SUPPORTED
    for citation in principal.citations:
        page = bench.store.documents.page(citation.document_id, citation.page)
        assert page.text[citation.start : citation.end] == citation.quote
    assert "100,000元" in principal.citations[0].quote
    assert status(review, "rate") is FindingStatus.SUPPORTED
    assert status(review, "place") is FindingStatus.UNSUPPORTED


def test_items_over_the_same_documents_are_asked_together_with_json_schemas(
    make: Callable[..., Bench], engine: FakeEngine
) -> None:
    bench = make()
    bench.run(bench.begin(template(PRINCIPAL, RATE, PLACE)))
    (request,) = engine.many_requests
    assert len(request.prompts) == 3
    assert all(schema and json.loads(schema)["required"] == ["answer"] for schema in request.json_schemas)
    assert len({prompt.messages[0] for prompt in request.prompts}) == 1  # one prefix


def test_nothing_said_is_not_found(home: Home) -> None:
    bench = Bench(home, FakeEngine(said("")))
    review = bench.run(bench.begin(template(PLACE)))
    assert status(review, "place") is FindingStatus.NOT_FOUND
    bench.store.close()


def test_what_cannot_be_read_is_asked_once_more_and_then_failed(home: Home) -> None:
    engine = FakeEngine({"管辖": "no json", "多少本金": said("被告归还借款本金100,000元。")}, score=lambda _r: YES)
    bench = Bench(home, engine)
    review = bench.run(bench.begin(template(PRINCIPAL, PLACE)))
    assert [len(request.prompts) for request in engine.many_requests] == [2, 1]
    assert status(review, "place") is FindingStatus.FAILED and status(review, "principal") is FindingStatus.SUPPORTED
    again = bench.run(review)  # a failed one is tried again, a good one is not
    assert [len(request.prompts) for request in engine.many_requests] == [2, 1, 1, 1]
    assert again.finding("principal") == review.finding("principal")
    bench.store.close()


def test_a_failing_engine_is_asked_once_more(make: Callable[..., Bench], engine: FakeEngine) -> None:
    bench = make()
    engine.fail_next(EngineError("out of memory"))
    review = bench.run(bench.begin(template(PRINCIPAL)))
    assert status(review, "principal") is FindingStatus.SUPPORTED


def test_stopping_keeps_what_is_done_and_going_on_does_nothing_twice(
    make: Callable[..., Bench], engine: FakeEngine
) -> None:
    bench = make()
    cancel = threading.Event()
    judge = next(t for t in shipped_templates() if t.id == "judge")
    begun = bench.begin(judge)

    def emit(event: object) -> None:
        if isinstance(event, FindingReady) and event.done == 5:
            cancel.set()

    stopped = bench.runner.run(begun, bench.model, emit, cancel)
    assert stopped.state is ReviewState.STOPPED and len(stopped.findings) == 5
    bench.events.clear()
    done = bench.run(stopped)
    assert done.state is ReviewState.DONE and len(done.findings) == len(judge.items)
    redone = [event.finding.item for event in bench.events if isinstance(event, FindingReady)]
    computed = {item.id for item in judge.items if item.compute}
    assert not {finding.item for finding in stopped.findings} & set(redone) - computed


def test_a_new_document_has_only_those_items_done_again_that_it_touches(make: Callable[..., Bench]) -> None:
    bench = make()
    judge = next(t for t in shipped_templates() if t.id == "judge")
    first = bench.run(bench.begin(judge))
    finding = first.finding("claims")
    assert finding is not None
    bench.store.reviews.save_finding(first.id, Finding(**{**_fields(finding), "decision": Decision.ACCEPTED}))
    bench.add("补充答辩状.txt", ANSWER.replace("20,000", "30,000"))
    second = bench.runner.take_over(bench.begin(judge), bench.store.reviews.get(first.id), bench.model.name)
    kept = {finding.item for finding in second.findings}
    assert "claims" in kept and "contract_rate" in kept
    assert not kept & {"defences", "defence_paid", "timeline"}
    claims = second.finding("claims")
    assert claims is not None and claims.decision is Decision.ACCEPTED
    done = bench.run(second)
    differences = {one.item: one.same for one in compare(first, done)}
    assert differences["claims"] and not differences["defences"]


def _fields(finding: Finding) -> dict[str, object]:
    return {name: getattr(finding, name) for name in finding.__struct_fields__}


def test_the_judges_sums_are_those_worked_by_hand(make: Callable[..., Bench]) -> None:
    bench = make()
    judge = next(t for t in shipped_templates() if t.id == "judge")
    review = bench.run(bench.begin(judge))
    value = {finding.item: finding.value for finding in review.findings}
    assert (value["delivered"], value["paid_back"]) == ("90,000元", "20,000元")
    assert value["applied_rate"] == "年利率12%"  # below four times 3.80%
    # 90,000 at 12% for 365 days
    assert value["interest_in_term"] == "10,800元"
    # 142 days: 4,201.64; 20,000 leaves 15,798.36 off the principal: 74,201.64; 273 days to 2023-03-01: 6,659.86
    assert value["account"] == "截至2023年3月1日（不含当日）：本金74,201.64元，未付利息6,659.86元"
    assert value["guarantee_end"] == "2023年7月9日"
    assert value["court_fee"] == "2,300元（减半收取1,150元）"
    assert value["principal_disputed"].startswith("不一致")
    account = review.finding("account")
    assert account is not None and any("抵利息4,201.64元" in line for line in account.working)


def test_the_draft_says_what_is_missing_and_holds_only_what_stands(make: Callable[..., Bench]) -> None:
    bench = make()
    judge = next(t for t in shipped_templates() if t.id == "judge")
    review = bench.run(bench.begin(judge))
    draft = draft_of(review)
    assert "争议焦点" in draft.missing
    claims = next(section for section in draft.sections if section.title == "原告诉称")
    assert "一、判令被告归还借款本金100,000元；" in [sentence.text for sentence in claims.sentences]
    finding = review.finding("claims")
    assert finding is not None
    bench.store.reviews.save_finding(review.id, Finding(**{**_fields(finding), "decision": Decision.REJECTED}))
    again = draft_of(bench.store.reviews.get(review.id))
    titles = {section.title: section for section in again.sections}
    assert all("判令被告归还" not in sentence.text for sentence in titles["原告诉称"].sentences)
    markers = {marker for section in again.sections for one in section.sentences for marker in one.citations}
    assert markers == {citation.marker for citation in again.citations}


def test_articles_and_past_cases_are_quoted_from_the_library(make: Callable[..., Bench]) -> None:
    bench = make()
    judge = next(t for t in shipped_templates() if t.id == "judge")
    review = bench.run(bench.begin(judge))
    articles, cases = review.finding("articles"), review.finding("past_cases")
    assert articles is not None and any("第六百七十条" in s.text for s in articles.sentences)
    assert cases is not None and cases.rows[0][1].text.startswith("被告周某归还")
    assert cases.citations[0].document == "判决书_甲.txt"


def test_without_documents_of_a_kind_the_item_is_asked_of_the_whole_case(home: Home) -> None:
    engine = FakeEngine({"本金": said("被告归还借款本金100,000元。")}, score=lambda _request: YES)
    bench = Bench(home, engine, {"材料.txt": "原告请求归还借款本金100,000元。被告不同意。"})
    judge = next(t for t in shipped_templates() if t.id == "judge")
    review = bench.run(bench.begin(judge))
    assert status(review, "claimed_principal") is FindingStatus.SUPPORTED
    assert status(review, "delivered") is FindingStatus.NOT_FOUND
    bench.store.close()


def test_one_question_is_asked_of_every_document_and_later_of_the_new_one_alone(home: Home) -> None:
    engine = FakeEngine({"本金": said("被告归还借款本金100,000元。")}, score=lambda _request: YES)
    bench = Bench(home, engine)
    documents = readable_documents(bench.store, (bench.case,))
    review = bench.run(bench.begin(of_each_document("归还的本金是多少？", documents)))
    by_label = {item.label.zh: status(review, item.id) for item in review.template.items}
    assert by_label["起诉状.txt"] is FindingStatus.SUPPORTED
    assert by_label["银行交易明细.txt"] is not FindingStatus.SUPPORTED  # it is not proved by another document
    asked = len(engine.many_requests)
    bench.add("补充说明.txt", "被告归还借款本金100,000元。")
    wider = of_each_document("归还的本金是多少？", readable_documents(bench.store, (bench.case,)))
    assert wider.id == review.template.id and wider.hash != review.template.hash
    again = bench.run(bench.runner.take_over(bench.begin(wider), review, bench.model.name))
    assert len(again.findings) == len(documents) + 1 and len(engine.many_requests) == asked + 1
    bench.store.close()


def test_a_list_of_questions_is_worked_through(make: Callable[..., Bench]) -> None:
    bench = make()
    review = bench.run(bench.begin(of_the_case(["归还多少本金？", "合同由哪里管辖？"])))
    assert status(review, "question_1") is FindingStatus.SUPPORTED
    assert status(review, "question_2") is not FindingStatus.SUPPORTED


def test_what_the_documents_do_not_speak_of_is_not_asked(make: Callable[..., Bench], engine: FakeEngine) -> None:
    bench = make({"买卖合同.txt": "甲方出卖钢材，货款100,000元。"})
    item = Item(
        id="loan", label=words("借款本金"), question=words("原告请求归还多少本金？"), only_with=("借款", "loan")
    )
    review = bench.run(bench.begin(template(item)))
    assert status(review, "loan") is FindingStatus.NOT_FOUND and not engine.many_requests
