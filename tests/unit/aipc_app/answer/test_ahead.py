"""Reading ahead on a real store with the shipped fake engine: what is read, when, and what stops it."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from aipc_app.answer.ahead import ReadingAhead
from aipc_app.answer.memory import Memory
from aipc_app.answer.pressure import CoreSeconds, Pressure
from aipc_app.domain.documents import DocumentStatus, Page, PageState
from aipc_app.domain.jobs import Changes
from aipc_app.domain.remembering import Pause, owner_of
from aipc_app.errors import AipcError, Cancelled
from aipc_app.operations.changes import ChangeBus
from aipc_app.paths import Home
from aipc_app.settings.model import Remembering, Settings
from aipc_app.store import Store
from engine.client.base import Generation
from engine.client.fake import FakeEngine
from engine.errors import EngineDied, RequestInvalid
from engine.types.generation import GenerationEvent, Priority, Remembered
from engine.types.model import EngineReady, LoadedModel, LoadRequest
from engine.types.remembering import RememberRequest
from tests.unit.aipc_app.answer.material import CONTRACT, RECEIPT

MODEL = "fake.gguf"
BOUND_S = 60.0  # for a hung thread, not a bar


@dataclass
class Mains:
    """What the lane is told of this PC."""

    battery: bool = False
    others: float = 0.0
    _at: float = field(default=0.0)

    def pressure(self) -> Pressure:
        return Pressure(self._read, lambda: self.battery, self._clock)

    def _clock(self) -> float:
        self._at += 10.0
        return self._at

    def _read(self) -> CoreSeconds:
        return CoreSeconds(self._at, self._at * self.others, {})


class Rig:
    """A lane, what it stands on, and a way to wait for what it announces."""

    def __init__(self, home: Home, store: Store, engine: FakeEngine) -> None:
        self.store, self.engine, self.home = store, engine, home
        self.settings = Settings()
        self.mains = Mains()
        self.bus = ChangeBus()
        self.memory = Memory(store, engine, lambda: self.settings, home.kv)
        self.ahead = ReadingAhead(
            store, engine, self.memory, lambda: self.settings, self.bus.publish, self.mains.pressure()
        )
        self._told = threading.Condition()
        self.bus.subscribe(self._hear)
        self.bus.subscribe(self.ahead.changed)

    def add(self, case: int, name: str, text: str) -> int:
        document = self.store.documents.add(name=name, sha256=hashlib.sha256(name.encode()).hexdigest(), size=1)
        self.store.documents.link(case, document.id)
        page = Page(number=1, text=text, state=PageState.TEXT)
        self.store.documents.save_read(
            document.id, pages=(page,), passages=(), status=DocumentStatus.INDEXED, reason=None, has_layout=False
        )
        self.bus.publish(Changes(documents=frozenset({case})))
        return document.id

    def case(self, name: str, *texts: str) -> int:
        case = self.store.cases.create(name).id
        for number, text in enumerate(texts):
            self.add(case, f"{name}{number}.txt", text)
        return case

    def shares(self, case: int) -> list[float]:
        return [one.share for one in self.store.remembered.of_case(case)]

    def until(self, condition: Callable[[], bool]) -> None:
        with self._told:
            assert self._told.wait_for(condition, BOUND_S), "it never came to that"

    def until_free(self, condition: Callable[[], bool]) -> None:
        """For what nobody announces."""
        deadline = time.monotonic() + BOUND_S
        while not condition():
            assert time.monotonic() < deadline, "it never came to that"
            threading.Event().wait(0.01)

    def _hear(self, _changes: Changes) -> None:
        with self._told:
            self._told.notify_all()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    home = Home(tmp_path / "home")
    store, engine = Store.open(home), FakeEngine("甲方。")
    made = Rig(home, store, engine)
    yield made
    made.ahead.stop()
    engine.close()
    store.close()


def test_indexed_documents_are_read_in_the_prompts_order(rig: Rig) -> None:
    case = rig.case("甲", CONTRACT, RECEIPT)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(case) == [1.0, 1.0])
    (request,) = rig.engine.remember_requests
    assert request.owner == f"case:{case}" and request.priority is Priority.BACKGROUND
    ids = [document.id for document in rig.store.documents.of_case(case)]
    sources = [s.source for s in request.prompt.messages[0].segments]
    assert sources == ["", *(f"document:{id_}" for id_ in ids)]


def test_the_case_that_was_opened_last_comes_first(rig: Rig) -> None:
    first, second = rig.case("甲", CONTRACT), rig.case("乙", RECEIPT)
    rig.store.cases.touch(first)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(second) == [1.0])
    assert [r.owner for r in rig.engine.remember_requests] == [f"case:{first}", f"case:{second}"]


def test_a_document_added_at_the_end_leaves_what_was_remembered(rig: Rig) -> None:
    case = rig.case("甲", CONTRACT)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(case) == [1.0])
    rig.add(case, "后来.txt", RECEIPT)
    rig.until(lambda: rig.shares(case) == [1.0, 1.0])
    before, after = (r.prompt.messages[0].segments for r in rig.engine.remember_requests)
    assert after[: len(before)] == before and len(after) == len(before) + 1


def test_what_is_remembered_already_is_not_read_again(rig: Rig) -> None:
    """As after a restart: the store knows it, nothing is asked of the model."""
    case = rig.case("甲", CONTRACT)
    rig.ahead.order(case, lambda _event: None, threading.Event())
    read = len(rig.engine.remember_requests)
    rig.store.remembered.clear()
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(case) == [1.0])
    assert len(rig.engine.remember_requests) == read


def test_what_another_case_has_read_is_kept_for_this_one_too(rig: Rig) -> None:
    """The same document in both: nothing is computed again, and deleting the one case leaves it to the other."""
    case = rig.case("甲", CONTRACT)
    rig.ahead.order(case, lambda _event: None, threading.Event())
    other = rig.store.cases.create("乙").id
    (document,) = rig.store.documents.of_case(case)
    rig.store.documents.link(other, document.id)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(other) == [1.0])
    rig.until_free(lambda: f"case:{other}" in {o.owner for o in rig.engine.store_status().owners})
    rig.memory.owe_case(case)
    rig.store.cases.delete(case)
    rig.memory.pay()
    survey = rig.memory.survey(other, _model(rig))
    assert survey is not None and survey.missing_tokens == 0


def test_no_model_no_reading_and_none_is_loaded(rig: Rig) -> None:
    rig.engine.unload()
    case = rig.case("甲", CONTRACT)
    rig.ahead.start(reads=True)
    rig.bus.publish(Changes(cases=True))
    rig.engine.load(LoadRequest(MODEL))
    rig.until(lambda: rig.shares(case) == [1.0])
    assert len(rig.engine.remember_requests) == 1


def test_documents_that_are_still_being_read_are_waited_for(rig: Rig) -> None:
    case = rig.case("甲", CONTRACT)
    late = rig.store.documents.add(name="慢.txt", sha256="f" * 64, size=1)
    rig.store.documents.link(case, late.id)
    other = rig.case("乙", RECEIPT)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(other) == [1.0])
    assert rig.shares(case) == []
    rig.store.documents.set_status(late.id, DocumentStatus.FAILED, reason="no")
    rig.bus.publish(Changes(documents=frozenset({case})))
    rig.until(lambda: rig.shares(case) == [1.0])


def test_a_question_stops_it_at_once_and_it_goes_on_afterwards(rig: Rig) -> None:
    rig.engine.hold_after(2)  # the system text and the first document are read, the second is waited for
    case = rig.case("甲", CONTRACT, RECEIPT)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.ahead.reading(case, MODEL).running)
    with rig.ahead.question((case,)):
        rig.until(lambda: rig.ahead.reading(case, MODEL).pause is Pause.QUESTION)
        assert not rig.ahead.reading(case, MODEL).running
        assert rig.shares(case) == [1.0, 0.0]  # what was read by then is kept
        rig.engine.release()
        assert len(rig.engine.remember_requests) == 1
    rig.until(lambda: rig.shares(case) == [1.0, 1.0])
    assert len(rig.engine.remember_requests) == 2


@pytest.mark.parametrize(("hindrance", "pause"), [("battery", Pause.BATTERY), ("others", Pause.BUSY)])
def test_battery_and_other_programs_keep_it_waiting(rig: Rig, hindrance: str, pause: Pause) -> None:
    setattr(rig.mains, hindrance, 0.9)
    case = rig.case("甲", CONTRACT)
    rig.memory.note([case])
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.ahead.reading(case, MODEL).pause is pause)
    assert rig.engine.remember_requests == []
    setattr(rig.mains, hindrance, 0.0)
    rig.bus.publish(Changes(settings=True))
    rig.until(lambda: rig.shares(case) == [1.0])


def test_on_battery_it_reads_where_the_user_said_so_or_ordered_it(rig: Rig) -> None:
    rig.mains.battery = True
    case, other = rig.case("甲", CONTRACT), rig.case("乙", RECEIPT)
    rig.ahead.start(reads=True)
    reading = rig.ahead.order(case, lambda _event: None, threading.Event())
    assert list(reading.shares.values()) == [1.0] and rig.shares(other) in ([], [0.0])
    rig.settings = msgspec.structs.replace(rig.settings, remembering=Remembering(on_battery=True))
    rig.bus.publish(Changes(settings=True))
    rig.until(lambda: rig.shares(other) == [1.0])


def test_switched_off_it_reads_nothing(rig: Rig) -> None:
    rig.settings = msgspec.structs.replace(rig.settings, remembering=Remembering(read_ahead=False))
    case = rig.case("甲", CONTRACT)
    rig.ahead.start(reads=True)
    with rig.ahead.question((case,)):
        pass
    rig.until(lambda: rig.shares(case) == [0.0])  # looked at after the question, not read
    assert rig.engine.remember_requests == []


def test_a_case_too_long_for_the_model_is_left_alone(rig: Rig) -> None:
    long, short = rig.case("长", "甲乙丙丁" * 5000), rig.case("短", CONTRACT)
    rig.store.cases.touch(long)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(short) == [1.0])
    assert rig.shares(long) == []
    with pytest.raises(AipcError, match="not read as a whole"):
        rig.ahead.order(long, lambda _event: None, threading.Event())


def test_an_error_is_told_once_and_not_tried_again(rig: Rig) -> None:
    rig.engine.fail_next(RequestInvalid("This model can't be remembered."))
    bad, good = rig.case("甲", CONTRACT), rig.case("乙", RECEIPT)
    rig.store.cases.touch(bad)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.ahead.reading(bad, MODEL).problem != "")
    assert rig.ahead.reading(bad, MODEL).problem == "This model can't be remembered."
    rig.bus.publish(Changes(cases=True))
    rig.until(lambda: rig.shares(good) == [1.0])
    assert [r.owner for r in rig.engine.remember_requests] == [f"case:{bad}", f"case:{good}"]


class NotKept(Generation):
    """As of a model whose cache can't be taken apart."""

    def __iter__(self) -> Iterator[GenerationEvent]:
        yield Remembered(100, 0, 0, 0, complete=False)

    def cancel(self) -> None:
        pass


def test_a_model_that_cannot_be_remembered_says_why(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    rig.engine.store.problem = "What this model reads can't be kept."
    monkeypatch.setattr(rig.engine, "remember", lambda _request: NotKept())
    case = rig.case("甲", CONTRACT)
    reading = rig.ahead.order(case, lambda _event: None, threading.Event())
    assert reading.problem == "What this model reads can't be kept." and reading.shares != {case: 1.0}
    rig.ahead.start(reads=True)  # it isn't tried for ever
    other = rig.case("乙", RECEIPT)
    rig.until(lambda: rig.ahead.reading(other, MODEL).problem != "")


def test_other_cases_memory_is_not_thrown_out_for_one_that_is_not_on_top(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = rig.engine.store_status
    monkeypatch.setattr(
        rig.engine, "store_status", lambda: msgspec.structs.replace(status(), ram_quota=1, disk_quota=1)
    )
    top, below = rig.case("甲", CONTRACT), rig.case("乙", RECEIPT)
    rig.store.cases.touch(top)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(top) == [1.0] and rig.ahead.reading(below, MODEL).pause is Pause.FULL)
    assert rig.shares(below) == [0.0]


def test_a_crumb_that_the_engine_leaves_at_the_end_counts_as_read(rig: Rig) -> None:
    """It makes no piece of a few tokens; a whole document of a few tokens is such a crumb too."""
    case = rig.case("甲", CONTRACT, "完。")
    unread = rig.memory.survey(case, _model(rig))
    assert unread is not None and rig.shares(case) == [0.0, 0.0]
    *before, last = unread.prompt.messages[0].segments
    rig.engine.store.keep(before, f"case:{case}")
    survey = rig.memory.survey(case, _model(rig))
    assert survey is not None and survey.known.segments[2].known_tokens == 0 and last.text.endswith("完。\n")
    assert survey.missing_tokens == 0 and rig.shares(case) == [1.0, 1.0]


def test_cancelling_an_order_keeps_what_was_read(rig: Rig) -> None:
    rig.engine.hold_after(2)
    case = rig.case("甲", CONTRACT, RECEIPT)
    cancel, seen = threading.Event(), []

    def emit(event: object) -> None:
        seen.append(event)
        if len(seen) == 3:
            cancel.set()
            rig.engine.release()

    with pytest.raises(Cancelled):
        rig.ahead.order(case, emit, cancel)
    assert rig.shares(case) == [1.0, 0.0]


def test_forgetting_a_case_keeps_it_forgotten_until_it_is_ordered(rig: Rig) -> None:
    case = rig.case("甲", CONTRACT)
    rig.ahead.start(reads=True)
    rig.until(lambda: rig.shares(case) == [1.0])
    with rig.ahead.at_rest():  # as the user's action does
        assert rig.memory.forget_case(case) > 0
    rig.ahead.forgotten()
    other = rig.case("乙", RECEIPT)
    rig.until(lambda: rig.shares(other) == [1.0])
    assert rig.shares(case) == [] and len(rig.engine.remember_requests) == 2
    rig.ahead.order(case, lambda _event: None, threading.Event())
    assert rig.shares(case) == [1.0]


def test_what_was_read_of_a_deleted_case_is_forgotten_at_the_next_start_if_not_before(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Together with another case it was asked too: that goes along, the other case's own memory stays."""
    case, other = rig.case("甲", CONTRACT), rig.case("乙", RECEIPT)
    for one in (case, other):
        rig.ahead.order(one, lambda _event: None, threading.Event())
    survey = rig.memory.survey(case, _model(rig))
    assert survey is not None
    list(rig.engine.remember(RememberRequest(survey.prompt, owner_of((case, other)))))

    def die(_owners: object) -> int:
        raise EngineDied("gone")

    with monkeypatch.context() as patch:
        patch.setattr(rig.engine, "forget", die)
        rig.memory.owe_case(case)
        rig.store.cases.delete(case)
        with pytest.raises(EngineDied):
            rig.memory.pay()
    assert rig.store.remembered.owed() != frozenset()
    freed = rig.engine.store_status().disk_bytes
    rig.ahead.start(reads=False)
    rig.until_free(lambda: rig.store.remembered.owed() == frozenset())
    left = rig.engine.store_status()
    assert left.disk_bytes < freed
    assert {o.owner for o in left.owners} == {f"case:{other}", *_labels(rig, other)}


def test_a_document_that_is_gone_for_good_is_forgotten_and_one_that_stays_elsewhere_is_not(rig: Rig) -> None:
    case, other = rig.case("甲", CONTRACT, RECEIPT), rig.store.cases.create("乙").id
    first, second = (d.id for d in rig.store.documents.of_case(case))
    rig.store.documents.link(other, first)
    for document_id in (first, second):
        rig.memory.owe_document(case, document_id)
    assert rig.store.remembered.owed() == {f"document:{second}"}


def test_without_anything_kept_nothing_is_started_to_forget_it(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    store, engine = Store.open(home), FakeEngine(loaded=False)
    engine.close()  # asked anything, it would raise
    store.remembered.owe(["case:7"])
    Memory(store, engine, Settings, home.kv).pay()
    assert store.remembered.owed() == frozenset()
    store.remembered.owe(["case:7"])
    home.kv.mkdir()
    (home.kv / "a-block").write_bytes(b"text that could be read back")
    with pytest.raises(EngineDied):
        Memory(store, engine, Settings, home.kv).pay()
    assert store.remembered.owed() == {"case:7"}
    store.close()


def _labels(rig: Rig, case: int) -> set[str]:
    return {f"document:{d.id}" for d in rig.store.documents.of_case(case)}


def _model(rig: Rig) -> LoadedModel:
    assert isinstance(rig.engine.state, EngineReady)
    return rig.engine.state.model
