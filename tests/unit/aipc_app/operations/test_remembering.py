"""Forgetting while it is being read; a question that waits for its documents; what the store tells per case."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app.app import opened
from aipc_app.domain.answers import Answered, Mode, Question, Reading
from aipc_app.domain.documents import DocumentStatus, Page, PageState
from aipc_app.errors import Cancelled
from aipc_app.operations.cases import create_case, delete_case
from aipc_app.operations.documents import remove_document
from aipc_app.operations.remembering import (
    ask_when_read,
    case_reading,
    forecast,
    forget_case,
    forget_deleted,
    memory_status,
    pin_case,
    remember_case,
    settle_remembered,
)
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from engine.client.fake import FakeEngine
from engine.types.model import LoadRequest
from engine.types.remembering import RememberRequest
from tests.unit.aipc_app.answer.material import CONTRACT, RECEIPT

BOUND_S = 60.0


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "fake.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("AIPC_MODELS", str(tmp_path / "models"))
    home = Home(tmp_path / "home")
    home.create()
    home.settings.write_text('[models]\nchat = "fake.gguf"\n', encoding="utf-8")
    with opened(home, FakeEngine("月利率为1.5%。", loaded=False)) as made:
        made.encoder.close()  # search goes by keyword; that is not the point here
        yield made


def engine_of(services: Services) -> FakeEngine:
    assert isinstance(services.engine, FakeEngine)
    return services.engine


def case_with(services: Services, name: str, *texts: str) -> int:
    case, store = create_case(services, name=name).run().id, services.store
    for text in texts:
        digest = hashlib.sha256(f"{name}{text}".encode()).hexdigest()
        document = store.documents.add(name=f"{digest[:6]}.txt", sha256=digest, size=1)
        store.documents.link(case, document.id)
        store.documents.save_read(
            document.id, pages=(Page(number=1, text=text, state=PageState.TEXT),), passages=(),
            status=DocumentStatus.INDEXED, reason=None, has_layout=False,
        )  # fmt: skip
    return case


def owners(services: Services) -> set[str]:
    return {share.owner for share in services.engine.store_status().owners}


def test_a_case_is_read_pinned_and_told_with_its_documents(services: Services) -> None:
    case = case_with(services, "甲", CONTRACT, RECEIPT)
    events: list[object] = []
    reading = remember_case(services, case_id=case).run(events.append)
    assert list(reading.shares.values()) == [1.0, 1.0]
    assert any(isinstance(event, Reading) for event in events)
    pin_case(services, case_id=case).run()
    (share,) = memory_status(services).run().cases
    assert (share.case, share.case_ids, share.pinned) == ("甲", (case,), True)
    assert [one.remembered for one in share.documents] == [1.0, 1.0]


def test_cases_asked_together_are_told_together_and_forgotten_with_either(services: Services) -> None:
    first, second = case_with(services, "甲", CONTRACT), case_with(services, "乙", RECEIPT)
    remember_case(services, case_id=first).run()
    together = Question(text="月利率是多少？", cases=(first, second), library=False, mode=Mode.WHOLE)
    ask_when_read(services, question=together).run()
    assert f"case:{first}+case:{second}" in owners(services)
    assert {share.case for share in memory_status(services).run().cases} == {"甲", "甲 + 乙"}
    delete_case(services, case_id=second).run()
    forget_deleted(services).run()
    assert f"case:{first}+case:{second}" not in owners(services) and f"case:{first}" in owners(services)
    assert case_reading(services, case_id=first).run().shares != {}


def test_forgetting_what_is_being_read_leaves_nothing(services: Services) -> None:
    """The reading is held in the middle; forgetting ends it, and what it had read is gone."""
    case = case_with(services, "甲", CONTRACT, RECEIPT)
    engine = engine_of(services)
    engine.hold_after(2)
    held, cancel = threading.Event(), threading.Event()

    def read() -> None:
        with pytest.raises(Cancelled):
            remember_case(services, case_id=case).run(lambda _event: held.set(), cancel)

    thread = threading.Thread(target=read)
    thread.start()
    assert held.wait(BOUND_S)
    forget = threading.Thread(target=lambda: [cancel.set(), forget_case(services, case_id=case).run()])
    forget.start()
    for one in (forget, thread):
        one.join(BOUND_S)
    assert not thread.is_alive() and owners(services) == set()
    assert case_reading(services, case_id=case).run().shares == {}


def test_a_document_that_goes_takes_its_memory_along_and_no_other(services: Services) -> None:
    case = case_with(services, "甲", CONTRACT, RECEIPT)
    remember_case(services, case_id=case).run()
    contract, receipt = (d.id for d in services.store.documents.of_case(case))
    remove_document(services, case_id=case, document_id=receipt).run()
    assert services.store.remembered.owed() in ({f"document:{receipt}"}, frozenset())  # or the lane was quicker
    forget_deleted(services).run()
    assert services.store.remembered.owed() == frozenset()
    assert f"document:{receipt}" not in owners(services)
    settle_remembered(services, cases=(case,)).run()
    assert case_reading(services, case_id=case).run().shares == {contract: 1.0}


def test_a_question_that_waits_is_answered_from_memory(services: Services) -> None:
    case = case_with(services, "甲", CONTRACT)
    question = Question(text="月利率是多少？", cases=(case,), library=False, mode=Mode.WHOLE)
    cold = forecast(services, question=question).run()
    assert cold.whole and cold.seconds > 0 and cold.known_tokens < cold.tokens
    events: list[object] = []
    answer = ask_when_read(services, question=question).run(events.append)
    assert isinstance(events[-1], Answered) and answer.timing.restored_tokens > answer.timing.prefilled_tokens
    warm = forecast(services, question=question).run()
    assert warm.seconds < cold.seconds and warm.known_tokens > cold.known_tokens
    reading = Question(text="月利率是多少？", cases=(case,), library=False, mode=Mode.RETRIEVAL)
    assert not forecast(services, question=reading).run().whole


def test_what_another_model_has_read_is_not_told_as_remembered(services: Services) -> None:
    case = case_with(services, "甲", CONTRACT)
    remember_case(services, case_id=case).run()
    (share,) = services.store.remembered.of_case(case)
    assert share.model.endswith("fake.gguf")
    services.engine.load(LoadRequest("other.gguf"))
    assert case_reading(services, case_id=case).run().shares == {}


def test_labels_that_no_case_has_are_left_out(services: Services) -> None:
    case = case_with(services, "甲", CONTRACT)
    remember_case(services, case_id=case).run()
    prompt = engine_of(services).remember_requests[-1].prompt
    list(services.engine.remember(RememberRequest(prompt, "case:999")))
    list(services.engine.remember(RememberRequest(prompt, "library")))
    assert {share.case for share in memory_status(services).run().cases} == {"甲", "Law library"}
