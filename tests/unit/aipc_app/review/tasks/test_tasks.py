"""A free task on the real store and search with the shipped fake engine: steps, proof, refusal, stopping, going on."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from aipc_app.domain.review import Finding, FindingReady, FindingStatus, Review, ReviewBegun, ReviewState
from aipc_app.errors import UserMistake
from aipc_app.paths import Home
from aipc_app.review.tasks.as_json import answer_of, step_of
from aipc_app.review.tasks.plan import ANSWER, steps_of
from aipc_app.review.tasks.run import MOST_STEPS
from engine.client.fake import FakeEngine
from engine.errors import EngineDied, EngineError
from engine.types.generation import GenerateRequest
from engine.types.prompt import Role
from tests.unit.aipc_app.review.bench import Bench

PAYMENTS = "列出2022年3月以后的付款并合计"
SUM = {"tool": "sum_table", "table": "T1", "column": "金额", "after": "2022-03-31", "before": "", "where": "",
       "operation": "sum"}  # fmt: skip


def answer(*sentences: str, found: bool = True) -> dict[str, Any]:
    return {"tool": "answer", "found": found, "sentences": list(sentences)}


class Script:
    """What the model says, step by step; afterwards it gives up."""

    def __init__(self, *calls: dict[str, Any] | str) -> None:
        self.calls = list(calls)
        self.asked: list[GenerateRequest] = []

    def __call__(self, request: GenerateRequest) -> str:
        self.asked.append(request)
        call = self.calls.pop(0) if self.calls else answer(found=False)
        return call if isinstance(call, str) else json.dumps({"why": "因为", **call}, ensure_ascii=False)


Make = Callable[..., tuple[Bench, Script]]


@pytest.fixture
def make(home: Home) -> Iterator[Make]:
    made: list[Bench] = []

    def build(*calls: dict[str, Any] | str, files: dict[str, str] | None = None) -> tuple[Bench, Script]:
        script = Script(*calls)
        made.append(Bench(home, FakeEngine(script), files))
        return made[-1], script

    yield build
    for bench in made:
        bench.store.close()
        bench.engine.close()


def result(review: Review) -> Finding:
    found = review.finding(ANSWER)
    assert found is not None
    return found


def tools(review: Review) -> list[str]:
    return [step.compute for step in steps_of(review.template)]


def test_a_sum_comes_from_code_and_is_proved_by_its_rows(make: Make) -> None:
    bench, _ = make(SUM, answer("2022年3月以后的付款合计20,000元。"))
    review = bench.do(bench.begin_task(PAYMENTS))
    assert review.state is ReviewState.DONE and tools(review) == ["search_case", "sum_table"]
    assert result(review).status is FindingStatus.SUPPORTED
    (row,) = result(review).citations
    page = bench.store.documents.page(row.document_id, row.page)
    assert page.text[row.start : row.end] == row.quote and "20,000.00" in row.quote and "2022-06-01" in row.quote


def test_a_worked_out_figure_shows_its_working_and_both_inputs(make: Make) -> None:
    bench, _ = make(
        {"tool": "calculate", "expression": "100,000-90,000"},
        answer("借款本金的起诉金额与实际收到的借款相差10,000元。"),
    )  # fmt: skip
    review = bench.do(bench.begin_task("比较起诉的借款本金和答辩人实际收到的借款，相差多少？"))
    assert result(review).status is FindingStatus.SUPPORTED, result(review)
    step = review.finding("step_2")
    assert step is not None and step.working == ("100,000-90,000 = 10,000",)
    assert {c.document for c in step.citations} >= {"答辩状.txt"}
    assert all(figure in " ".join(c.quote for c in step.citations) for figure in ("100,000", "90,000"))


def test_a_figure_that_was_not_read_is_not_calculated_with(make: Make) -> None:
    bench, script = make({"tool": "calculate", "expression": "77,777-90,000"}, answer("相差12,223元。"))
    review = bench.do(bench.begin_task("比较本金"))
    step = review.finding("step_2")
    assert step is not None and step.status is FindingStatus.NOT_FOUND and "77,777" in step.reason
    assert result(review).status is FindingStatus.NOT_FOUND and not result(review).sentences
    first, second, *_ = (request.grammar or "" for request in script.asked)
    assert "calculate ::=" in first and "calculate" not in second  # a tool that failed is not offered at once again


def test_what_was_worked_out_from_one_thing_is_no_figure_of_another(make: Make) -> None:
    """The words stand beside another figure of the sentence, the sum was made of something else."""
    survey = "问卷调查\n共有611名骑手回答了问卷。\n夏季气温偏高。\n树荫降低地表温度。\n仪器每日校准。\n数据保存五年。\n"
    files = {"调查.txt": survey + "测点表\n| 类别 | 测点数 |\n| 少树 | 23 |\n| 多树 | 34 |\n"}
    asked = "有多少名骑手没有回答问卷？"
    sums = {"tool": "calculate", "expression": "23+34"}
    bench, _ = make({"tool": "read_table", "table": "T1"}, sums, answer("611名骑手中有57名没有回答问卷。"), files=files)
    review = bench.do(bench.begin_task(asked))
    step = review.finding("step_3")
    assert step is not None and step.working == ("23+34 = 57",)
    assert result(review).status is FindingStatus.NOT_FOUND


def test_an_answer_that_is_not_borne_out_is_asked_for_once_more_with_the_reason(make: Make) -> None:
    bench, script = make(answer("相差10,000元。"), SUM, answer("2022年3月以后的付款合计20,000元。"))
    review = bench.do(bench.begin_task(PAYMENTS))
    assert result(review).status is FindingStatus.SUPPORTED and tools(review) == ["search_case", "sum_table"]
    first, second, _ = (request.prompt.messages[-1].segments[-1] for request in script.asked)
    assert "未被证实" not in first.text and "未被证实（“10,000元”" in second.text


def test_an_answer_is_asked_for_no_third_time(make: Make) -> None:
    bench, script = make(*[answer("相差10,000元。")] * 3)
    assert result(bench.do(bench.begin_task(PAYMENTS))).status is FindingStatus.NOT_FOUND and len(script.asked) == 2


@pytest.mark.parametrize(
    ("said", "supported"),
    [
        ("从2022年1月10日借款到2022年6月1日支付20,000元相隔142天。", True),
        ("从借款到支付相隔142天。", False),  # from which day to which?
        ("仓库验收完毕是2022年1月10日，支付20,000元是2022年6月1日，相隔142天。", False),
    ],
)
def test_a_sentence_that_counts_days_names_both_days_for_what_they_are(make: Make, said: str, supported: bool) -> None:
    days = {"tool": "days_between", "start": "2022-01-10", "end": "2022-06-01"}
    bench, _ = make(days, *[answer(said)] * 2)
    review = bench.do(bench.begin_task("从借款到支付相隔多少天？"))
    assert (result(review).status is FindingStatus.SUPPORTED) == supported


@pytest.mark.parametrize(("year", "supported"), [("2021年至2023年", True), ("2024年", False)])
def test_figures_of_other_years_are_no_figure_of_the_year_that_was_asked(
    make: Make, year: str, supported: bool
) -> None:
    accounts = "利润表\n| 项目 | 2021年 | 2022年 | 2023年 |\n| 收入 | 390 | 360 | 275 |\n| 净利润 | 332 | 306 | 234 |\n"
    sums = {**SUM, "column": "净利润", "after": ""}
    bench, _ = make(sums, *[answer(f"公司{year}净利润合计872万元。")] * 2, files={"报表.txt": accounts})
    review = bench.do(bench.begin_task(f"算出公司{year}净利润的合计数"))
    assert (result(review).status is FindingStatus.SUPPORTED) == supported


FEES = "代理词\n原告主张律师费20,000元，但其发票金额为15,000元。\n另付交通费3,000元。\n餐费1,000元。\n均有票据。\n"


@pytest.mark.parametrize(
    ("expression", "sentence", "supported"),
    [
        ("20000-15000", "原告主张的律师费比发票金额多5,000元。", True),  # the very sentence of both speaks of this
        ("20000-15000", "原告主张律师费20,000元，发票金额15,000元，多5,000元。", True),
        ("3000-1000", "原告主张的律师费比发票金额多2,000元。", False),  # of what and what?
    ],
)
def test_what_a_difference_is_of_can_be_told(make: Make, expression: str, sentence: str, supported: bool) -> None:
    calls = {"tool": "calculate", "expression": expression}
    bench, script = make(calls, *[answer(sentence)] * 2, files={"代理词.txt": FEES})
    review = bench.do(bench.begin_task("原告主张的律师费比发票金额多多少？"))
    assert (result(review).status is FindingStatus.SUPPORTED) == supported
    assert supported or "没有写明3,000是什么" in script.asked[-1].prompt.messages[-1].segments[-1].text


@pytest.mark.parametrize(
    ("task", "sentence", "supported"),
    [
        ("How were the stops of the north shaded?", "The stops were shaded by 40% of canopy in summer.", True),
        ("What was the humidity at the stops?", "The humidity at the stops in summer is 40%.", False),
        ("What was the average shade of the stops?", "The average shade of the stops in summer is 40%.", False),
    ],
)
def test_what_nothing_read_speaks_of_is_not_told(make: Make, task: str, sentence: str, supported: bool) -> None:
    paper = "Shade at bus stops\nThe stops of the north were shaded by 40% of canopy in summer.\nRiders noticed it.\n"
    bench, _ = make(*[answer(sentence)] * 2, files={"paper.txt": paper})
    assert (result(bench.do(bench.begin_task(task))).status is FindingStatus.SUPPORTED) == supported


@pytest.mark.parametrize(("did", "supported"), [("answered", True), ("did not answer", False)])
def test_each_clause_beside_the_result_is_proved_by_itself(make: Make, did: str, supported: bool) -> None:
    said = f"Of the 804 riders approached, 611 {did} the survey, a difference of 193."
    paper = "Shade\nOf 804 riders approached, 611 answered the survey.\nRiders noticed the shade.\n"
    bench, _ = make({"tool": "calculate", "expression": "804-611"}, *[answer(said)] * 2, files={"paper.txt": paper})
    review = bench.do(bench.begin_task("How many riders approached did not answer the survey?"))
    assert (result(review).status is FindingStatus.SUPPORTED) == supported


def test_figures_of_years_that_the_sentence_leaves_out_are_not_taken_for_its_own(make: Make) -> None:
    accounts = "利润表\n| 项目 | 2021年 | 2022年 | 2023年 |\n| 收入 | 390 | 360 | 275 |\n| 净利润 | 332 | 306 | 234 |\n"
    sums = {**SUM, "column": "净利润", "after": ""}
    less = {"tool": "calculate", "expression": "872-275"}
    said = "2023年净利润与收入275万元相差597万元。"
    bench, _ = make(sums, less, *[answer(said)] * 2, files={"报表.txt": accounts})
    review = bench.do(bench.begin_task("2023年净利润与收入相差多少？"))
    step = review.finding("step_3")
    assert step is not None and step.working == ("872-275 = 597",)
    assert result(review).status is FindingStatus.NOT_FOUND


def test_a_difference_that_nothing_worked_out_rests_on_no_figure_that_happens_to_be_there(make: Make) -> None:
    bench, _ = make(*[answer("起诉状和答辩状所说的已还款金额相差20,000元。")] * 2)
    review = bench.do(bench.begin_task("起诉状和答辩状所说的已还款金额相差多少？"))
    assert result(review).status is FindingStatus.NOT_FOUND


@pytest.mark.parametrize("expression", ["9+7", "9*7", "7*30"])
def test_constants_alone_are_no_calculation(make: Make, expression: str) -> None:
    bench, _ = make({"tool": "calculate", "expression": expression}, answer("一共16天。"))
    step = bench.do(bench.begin_task("借款一共多少天？")).finding("step_2")
    assert step is not None and step.status is FindingStatus.NOT_FOUND and "没有在读过的材料中出现" in step.reason


def test_a_figure_worked_out_from_a_step_rests_on_what_that_step_read(make: Make) -> None:
    bench, _ = make(
        {"tool": "calculate", "expression": "100,000-90,000"}, {"tool": "calculate", "expression": "s2*2"},
        answer("起诉的借款本金与实际收到的借款之差的两倍是20,000元。"),
    )  # fmt: skip
    review = bench.do(bench.begin_task("比较起诉的借款本金和实际收到的借款，差额的两倍是多少？"))
    step = review.finding("step_3")
    assert step is not None
    assert {"100,000", "90,000"} <= set(re.findall(r"\d+,\d+", " ".join(c.quote for c in step.citations)))


@pytest.mark.parametrize(
    "said",
    [
        "被告已还款55,000元。", "2022年3月以后的付款合计21,000元。", "王五已还款20,000元。",
        "有1,234人作证。", "2022年3月以后的付款合计20,000元，年利率9.7%。",
    ],
)  # fmt: skip
def test_an_invention_is_refused(make: Make, said: str) -> None:
    bench, _ = make(SUM, answer(said))
    review = bench.do(bench.begin_task(PAYMENTS))
    assert result(review).status is FindingStatus.NOT_FOUND
    assert result(review).reason == "材料中未找到相关内容。"
    assert answer_of(review)["refused"] is True and answer_of(review)["sentences"] == []


def test_what_the_material_does_not_tell_is_refused(make: Make) -> None:
    bench, _ = make({"tool": "search_case", "query": "运费"}, answer(found=False))
    review = bench.do(bench.begin_task("运费一共多少？"))
    assert result(review).status is FindingStatus.NOT_FOUND and review.state is ReviewState.DONE


def test_steps_come_one_by_one_and_are_stored_at_once(make: Make) -> None:
    bench, _ = make({"tool": "read_table", "table": "T1"}, SUM, answer("2022年3月以后的付款合计20,000元。"))
    seen: list[int] = []
    review = bench.begin_task(PAYMENTS)

    def look(event: object) -> None:
        if isinstance(event, FindingReady):
            seen.append(len(bench.store.reviews.get(review.id).findings))

    done = bench.tasks.run(review, bench.model, look, threading.Event())
    assert seen == [1, 2, 3, 4] and len(steps_of(done.template)) == 3
    told = step_of(done, "step_3")
    assert told["tool"] == "sum_table" and told["done"] and told["arguments"]["after"] == "2022-03-31"


def test_the_same_step_twice_is_not_done_again_and_steps_have_a_limit(make: Make) -> None:
    same = {"tool": "calculate", "expression": "100,000*2"}
    bench, script = make(*[same] * 20)
    review = bench.do(bench.begin_task("本金是多少？"))
    assert [f.status for f in review.findings][1:] == [
        FindingStatus.SUPPORTED, FindingStatus.SUPPORTED, *[FindingStatus.NOT_FOUND] * 3,
    ]  # fmt: skip
    assert len(script.asked) == 5  # after three steps without a result only an answer may be written
    last, before = script.asked[-1].grammar or "", script.asked[-2].grammar or ""
    assert "read-page ::=" in before and "calculate" not in before  # what was repeated is not offered again
    assert "read-page" not in last and "answer ::=" in last
    assert review.state is ReviewState.DONE and result(review).status is FindingStatus.NOT_FOUND


def test_different_steps_end_at_the_limit(make: Make) -> None:
    bench, script = make(*({"tool": "calculate", "expression": f"100,000*{n}"} for n in range(1, 13)))
    review = bench.do(bench.begin_task("借款本金是多少？"))
    assert len(steps_of(review.template)) == MOST_STEPS == len(script.asked)
    assert review.state is ReviewState.DONE


def test_a_call_that_was_cut_off_is_a_step_without_result(make: Make) -> None:
    bench, _ = make('{"why": "要', answer(found=False))
    review = bench.do(bench.begin_task("本金"))
    assert tools(review) == ["search_case", "unreadable"]
    assert [f.status for f in review.findings if f.item == "step_2"] == [FindingStatus.NOT_FOUND]


def test_stopping_keeps_the_steps_and_going_on_does_none_twice(make: Make) -> None:
    bench, script = make(SUM, answer("2022年3月以后的付款合计20,000元。"))
    cancel = threading.Event()
    begun = bench.begin_task(PAYMENTS)

    def stop(event: object) -> None:
        if isinstance(event, FindingReady) and event.finding.item == "step_2":
            cancel.set()

    stopped = bench.tasks.run(begun, bench.model, stop, cancel)
    assert stopped.state is ReviewState.STOPPED and len(script.asked) == 1
    done = bench.do(stopped)
    assert len(script.asked) == 2 and tools(done) == ["search_case", "sum_table"]
    assert result(done).status is FindingStatus.SUPPORTED and result(done).citations


def test_a_step_that_was_begun_and_not_done_is_begun_anew(make: Make) -> None:
    bench, script = make(SUM)
    begun = bench.begin_task(PAYMENTS)

    def die(event: object) -> None:
        if isinstance(event, ReviewBegun) and len(steps_of(event.review.template)) == 2:
            raise SystemExit  # a kill between the beginning of a step and its end

    with pytest.raises(SystemExit):
        bench.tasks.run(begun, bench.model, die, threading.Event())
    script.calls = [SUM, answer("2022年3月以后的付款合计20,000元。")]
    done = bench.do(bench.store.reviews.get(begun.id))
    assert tools(done) == ["search_case", "sum_table"] and result(done).status is FindingStatus.SUPPORTED


def test_an_engine_that_dies_is_asked_once_more(make: Make) -> None:
    bench, _ = make(SUM, answer("2022年3月以后的付款合计20,000元。"))
    bench.engine.fail_next(EngineDied("died"))
    assert result(bench.do(bench.begin_task(PAYMENTS))).status is FindingStatus.SUPPORTED


def test_another_failure_stops_the_task_and_keeps_its_steps(make: Make) -> None:
    bench, _ = make(SUM)
    review = bench.begin_task(PAYMENTS)
    bench.engine.fail_next(EngineError("out of memory"))
    with pytest.raises(EngineError):
        bench.do(review)
    kept = bench.store.reviews.get(review.id)
    assert kept.state is ReviewState.STOPPED and len(kept.findings) == 1


def test_an_empty_case_is_told(make: Make) -> None:
    bench, _ = make(files={})
    with pytest.raises(UserMistake):
        bench.do(bench.begin_task("本金"))


def test_documents_stand_in_user_turns_only_and_never_in_the_grammar(make: Make) -> None:
    bench, script = make(
        {"tool": "read_table", "table": "T1"}, {"tool": "read_page", "document": "D1", "page": 1, "part": 1},
        {"tool": "search_library", "query": "利息"}, SUM, answer(found=False),
    )  # fmt: skip
    bench.do(bench.begin_task(PAYMENTS))
    words = ("钱一", "孙二", "起诉状", "银行", "20,000.00", "交易时间", "民法典")
    told = "".join(s.text for m in script.asked[-1].prompt.messages if m.role is Role.USER for s in m.segments)
    assert all(word in told for word in words)
    for request in script.asked:
        system = [m for m in request.prompt.messages if m.role is Role.SYSTEM]
        assert len(system) == 1 and request.prompt.messages[0] is system[0]
        fixed = "".join(s.text for s in system[0].segments) + (request.grammar or "")
        assert not any(word in fixed for word in words)


def test_a_prompt_extends_the_one_before(make: Make) -> None:
    bench, script = make({"tool": "read_table", "table": "T1"}, SUM, answer(found=False))
    bench.do(bench.begin_task(PAYMENTS))
    for before, after in zip(script.asked, script.asked[1:], strict=False):
        assert after.prompt.messages[: len(before.prompt.messages)] == before.prompt.messages


def test_a_search_brings_rows_of_tables_by_their_label(make: Make) -> None:
    report = "单位：万元\n| 项目 | 2021年 | 2022年 |\n| 净利润 | 332 | 306 |\n| 毛利 | 783 | 801 |\n"
    bench, script = make(files={"报表.md": report})
    review = bench.do(bench.begin_task("净利润两年合计多少？"))
    (found,) = [f for f in review.findings if f.item == "step_1"]
    assert "[T1] 净利润 | 2021年 332 | 2022年 306" in found.value and "毛利 | 2021年" not in found.value
    assert script.asked


def test_what_a_search_brought_is_not_told_twice(make: Make) -> None:
    again = {"tool": "search_case", "query": "被告还款20,000元"}
    bench, _ = make(again, {**again, "query": "20,000元还款"}, answer(found=False))
    review = bench.do(bench.begin_task("还款"))
    told = [f.value.splitlines() for f in review.findings if f.item.startswith("step_")]
    lines = [line for one in told for line in one]
    assert lines and len(lines) == len(set(lines))
