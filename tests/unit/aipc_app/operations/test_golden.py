"""Golden questions over a real store and the shipped fake engine: kept, run, held against the run before."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app.app import opened
from aipc_app.domain.golden import Change
from aipc_app.errors import Cancelled, UserMistake
from aipc_app.operations.cases import create_case
from aipc_app.operations.golden import GoldenProgress, golden_table, keep_golden, remove_golden, run_golden
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from engine.client.fake import FakeEngine, _by_question
from tests.unit.aipc_app.answer.material import CONTRACT
from tests.unit.aipc_app.answer.shelf import put_text

RATE, TERM, COURT = "月利率是多少？", "借款期限到哪天止？", "合同由哪里管辖？"
ANSWERS = {RATE: "月利率为1.5%。", TERM: "借款期限至2022年3月4日止。", COURT: "由上海仲裁委员会仲裁。"}


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "fake.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("AIPC_MODELS", str(tmp_path / "models"))
    home = Home(tmp_path / "home")
    home.create()
    home.settings.write_text('[models]\nchat = "fake.gguf"\n', encoding="utf-8")
    with opened(home, FakeEngine(ANSWERS, loaded=False)) as made:
        made.encoder.close()
        yield made


@pytest.fixture
def case(services: Services) -> int:
    case = create_case(services, name="甲").run().id
    put_text(services.store, case, "合同.txt", CONTRACT)
    for question, expected in ((RATE, "1.5%"), (TERM, "二〇二二年三月四日"), (COURT, "")):
        keep_golden(services, case_id=case, question=question, expected=expected).run()
    return case


def changes(services: Services, case: int) -> list[Change]:
    return [row.change for row in golden_table(services, case_id=case).run().rows]


def test_a_run_holds_each_answer_against_what_is_expected_and_leaves_no_conversation(
    services: Services, case: int
) -> None:
    progress: list[GoldenProgress] = []
    table = run_golden(services, case_id=case).run(progress.append)
    assert [row.now.passed for row in table.rows if row.now] == [True, True, True], table
    assert [one.done for one in progress] == [0, 1, 2]
    assert table.now is not None and table.now.model == "fake"
    assert changes(services, case) == [Change.NEW] * 3
    assert services.store.conversations.list(case) == ()


def test_the_second_run_tells_what_changed(services: Services, case: int) -> None:
    run_golden(services, case_id=case).run()
    assert isinstance(services.engine, FakeEngine)
    said = {RATE: "月利率为1.8%。", TERM: "借款期限自2021年3月5日起至2022年3月4日止。", COURT: ANSWERS[COURT]}
    services.engine._answer = _by_question(said)
    table = run_golden(services, case_id=case).run()
    assert [row.change for row in table.rows] == [Change.WORSE, Change.OTHER, Change.SAME]
    assert table.rows[0].now is not None and table.rows[0].now.missing == "1.5%"
    assert table.passed == 2


def test_a_run_that_is_stopped_keeps_what_was_asked(services: Services, case: int) -> None:
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        run_golden(services, case_id=case).run(lambda one: cancel.set() if one.done == 1 else None, cancel)
    rows = golden_table(services, case_id=case).run().rows
    assert [row.now is not None for row in rows] == [True, False, False]


def test_the_same_question_is_kept_once_and_goes_with_its_case(services: Services, case: int) -> None:
    kept = keep_golden(services, case_id=case, question=RATE, expected="1.5%\n按季付息").run()
    rows = golden_table(services, case_id=case).run().rows
    assert len(rows) == 3
    assert rows[0].question == kept
    remove_golden(services, question_id=kept.id).run()
    assert len(golden_table(services, case_id=case).run().rows) == 2
    services.store.cases.delete(case)
    assert golden_table(services, case_id=case).run().rows == ()


def test_nothing_is_kept_of_an_empty_question_and_nothing_run_without_one(services: Services, case: int) -> None:
    with pytest.raises(UserMistake, match="empty"):
        keep_golden(services, case_id=case, question=" ? ", expected="").run()
    other = create_case(services, name="乙").run().id
    with pytest.raises(UserMistake, match="add one first"):
        run_golden(services, case_id=other).run()
