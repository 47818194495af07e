"""An answer from question to stored turn, on the real store and search with the shipped fake engine."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from aipc_app.answer.calibration import VERSION
from aipc_app.answer.service import AnswerService
from aipc_app.answer.wording import CHINESE
from aipc_app.domain.answers import (
    Answer,
    AnswerCleared,
    AnswerDelta,
    AnswerEvent,
    EvidenceFound,
    Mode,
    Question,
    SentenceReady,
    SentenceState,
)
from aipc_app.domain.documents import LIBRARY_ID, Along, DocumentStatus, Page, PageState
from aipc_app.errors import UserMistake
from aipc_app.ingest.passages import drafts_of, index_passage
from aipc_app.paths import Home
from aipc_app.search.service import SearchService
from aipc_app.settings.model import Settings
from aipc_app.store import Store
from aipc_app.text import tokens
from aipc_app.workers.encoder import Encoder
from engine.client.fake import FakeEngine
from engine.types.generation import ScoreRequest
from tests.unit.aipc_app.answer.material import CONTRACT

LAW = "# 民法典\n\n第六百七十条　借款的利息不得预先在本金中扣除。\n\n第六百八十条　禁止高利放贷。\n"
NAMING = (
    "# 借贷法\n\n第一条　总则。\n\n第二条　逾期还款的，依照本法第九条处理。\n\n"
    + "".join(f"第{number}条　与此无关的内容。\n\n" for number in "三四五六七八")
    + "第九条　加收百分之三的罚息。\n"
)
YES, NO = (0.0, -3.0), (-3.0, 0.0)


class Bench:
    """A store with one contract, an engine, and what was emitted."""

    def __init__(self, home: Home, store: Store, engine: FakeEngine) -> None:
        self.store, self.engine, self.events = store, engine, list[AnswerEvent]()
        encoder = Encoder([], home.logs)
        encoder.close()  # search goes by keyword; that is not the point here
        self.service = AnswerService(store, SearchService(store, encoder), engine, encoder, lambda: Settings())
        store.judges.save("fake", VERSION, (0.9, 0.8), (0.2, 0.1))  # put to the test before, and believed
        self.case = store.cases.create("甲").id
        self.add(self.case, "合同.txt", CONTRACT)

    def add(self, case: int, name: str, text: str) -> int:
        document = self.store.documents.add(name=name, sha256=hashlib.sha256(name.encode()).hexdigest(), size=len(text))
        page = Page(number=1, text=text, state=PageState.TEXT)
        self.store.documents.save_read(
            document.id, pages=(page,), passages=tuple(index_passage(one.draft) for one in drafts_of((page,))),
            status=DocumentStatus.INDEXED, reason=None, has_layout=False,
        )  # fmt: skip
        self.store.documents.link(case, document.id)
        return document.id

    def ask(self, text: str, cancel: threading.Event | None = None, **more: object) -> Answer:
        question = Question(text=text, cases=(self.case,), **more)  # type: ignore[arg-type]
        return self.service.ask(question, self.events.append, cancel or threading.Event())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    tokens.configure(made.caches)
    return made


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(
        {"月利率": "月利率为1.5%。", "管辖": "由上海仲裁委员会仲裁。", "预先": "借款的利息不得预先在本金中扣除。"},
        score=lambda _request: YES,
    )


@pytest.fixture
def bench(home: Home, engine: FakeEngine) -> Iterator[Bench]:
    store = Store.open(home)
    yield Bench(home, store, engine)
    engine.close()
    store.close()


def states(answer: Answer) -> list[SentenceState]:
    return [sentence.state for sentence in answer.sentences]


def test_evidence_comes_before_the_first_token_and_the_quote_is_the_page(bench: Bench) -> None:
    answer = bench.ask("月利率是多少？")
    kinds = [type(event) for event in bench.events]
    assert kinds.index(EvidenceFound) < kinds.index(AnswerDelta)
    (citation,) = answer.citations
    page = bench.store.documents.page(citation.document_id, citation.page)
    assert page.text[citation.start : citation.end] == citation.quote
    assert "1.5%" in citation.quote
    assert answer.mode is Mode.WHOLE


def test_an_invention_is_refused_in_the_fixed_words_with_what_was_nearest(bench: Bench) -> None:
    answer = bench.ask("合同由哪里管辖？", library=False)
    assert answer.refused
    assert answer.text == "材料中未找到相关内容。"
    assert answer.sentences == answer.citations == ()
    assert answer.nearest
    stored = bench.store.conversations.turns(answer.conversation)[0]
    assert stored.answer == answer
    assert "上海" not in stored.said  # the next prompt does not repeat the invention


def test_the_models_no_lowers_what_words_and_figures_had_earned(bench: Bench, engine: FakeEngine) -> None:
    engine._score = lambda _request: NO
    assert bench.ask("月利率是多少？", library=False).refused


def test_stopping_in_mid_check_leaves_nothing_unchecked_as_proved(bench: Bench, engine: FakeEngine) -> None:
    cancel = threading.Event()

    def stop(_request: ScoreRequest) -> tuple[float, float]:
        cancel.set()
        return NO

    engine._answer = lambda _request: "月利率为1.5%。按季付息。"
    engine._score = stop
    answer = bench.ask("月利率是多少？怎么付？", cancel, library=False)
    assert answer.stopped
    assert SentenceState.SUPPORTED not in states(answer)


def test_the_library_is_asked_when_the_case_does_not_tell(bench: Bench, engine: FakeEngine) -> None:
    bench.add(LIBRARY_ID, "民法典节选.md", LAW)
    answer = bench.ask("利息可以预先扣除吗？")
    assert not answer.refused
    assert {citation.document for citation in answer.citations} == {"民法典节选.md"}
    without = bench.ask("利息可以预先扣除吗？", library=False)
    assert without.refused


def test_an_article_that_a_found_one_names_is_read_with_it_marked_and_may_be_quoted(
    bench: Bench, engine: FakeEngine
) -> None:
    bench.add(LIBRARY_ID, "借贷法.md", NAMING)
    engine._answer = lambda _request: "加收百分之三的罚息。"
    question = Question(text="逾期还款怎么处理？", cases=(), library=True)
    answer = bench.service.ask(question, bench.events.append, threading.Event())
    (shown,) = (event for event in bench.events if isinstance(event, EvidenceFound))
    places = [(item.passage.article, item.along) for item in shown.evidence]
    assert places == [("第二条", None), ("第九条", Along.CITED)]
    sent = "".join(part.text for message in engine.requests[0].prompt.messages for part in message.segments)
    assert sent.index("第二条　逾期") < sent.index(CHINESE.along) < sent.index("第九条　加收")
    (citation,) = answer.citations
    assert "加收百分之三的罚息" in citation.quote


def test_what_comes_along_is_not_among_the_nearest_of_a_refusal(bench: Bench, engine: FakeEngine) -> None:
    bench.add(LIBRARY_ID, "借贷法.md", NAMING)
    engine._answer = lambda _request: "由上海仲裁委员会仲裁。"
    question = Question(text="逾期还款由哪里管辖？", cases=(), library=True)
    answer = bench.service.ask(question, bench.events.append, threading.Event())
    assert answer.refused
    assert [item.passage.article for item in answer.nearest] == ["第二条"]


def test_what_the_case_did_not_bear_out_is_taken_back_before_the_library_speaks(bench: Bench) -> None:
    bench.add(LIBRARY_ID, "民法典节选.md", LAW)
    bench.ask("借款由哪里管辖？")
    cleared = next(i for i, event in enumerate(bench.events) if isinstance(event, AnswerCleared))
    before, after = bench.events[:cleared], bench.events[cleared:]
    assert any(isinstance(event, SentenceReady) for event in before)
    assert any(isinstance(event, AnswerDelta) for event in after)


def test_a_long_conversation_drops_its_oldest_turns_and_goes_on(bench: Bench, engine: FakeEngine) -> None:
    first = bench.ask("月利率是多少？", library=False)
    turn = bench.store.conversations.turns(first.conversation)[0]
    for _ in range(6):
        bench.store.conversations.add_turn(first.conversation, msgspec.structs.replace(turn, sent_passages="字" * 1500))
    bench.ask("月利率是多少？", conversation=first.conversation, library=False)
    sent = engine.requests[-1].prompt.messages
    assert 3 <= len(sent) < 2 + 2 * 7


def test_a_conversation_stays_with_its_case(bench: Bench) -> None:
    first = bench.ask("月利率是多少？")
    other = bench.store.cases.create("乙").id
    with pytest.raises(UserMistake, match="another case"):
        bench.service.ask(
            Question(text="?", cases=(other,), conversation=first.conversation), bench.events.append, threading.Event()
        )


def test_documents_left_out_are_not_in_the_prompt(bench: Bench, engine: FakeEngine) -> None:
    second = bench.add(bench.case, "凭证.txt", "转账470,000元。")
    bench.ask("月利率是多少？", documents=frozenset({second}), library=False)
    (system, _user) = engine.requests[-1].prompt.messages
    text = "".join(segment.text for segment in system.segments)
    assert "转账470,000元" in text
    assert "借款合同" not in text
