"""A model's own check is put to the test once, and believed only where it tells answered from unanswered."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aipc_app.answer.calibration import BELIEVED_AUC, CASES, Calibration, Judges, shipped
from aipc_app.paths import Home
from aipc_app.settings.model import Strictness
from aipc_app.store import Store
from engine.client.fake import FakeEngine
from engine.types.generation import ScoreRequest

UNANSWERED = tuple(question for case in CASES for question in case.unanswered)
ANSWERED = tuple(question for case in CASES for question in case.answered)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    home = Home(tmp_path / "home")
    home.create()
    store = Store.open(home)
    yield store
    store.close()


def knowing(request: ScoreRequest) -> tuple[float, float]:
    """Says yes to what is answered, as surely as a question is long."""
    text = "".join(segment.text for message in request.prompt.messages for segment in message.segments)
    sure = 1 + len(text) % 7 / 7
    return (0.0, -sure) if any(question in text for question in ANSWERED) else (-sure, 0.0)


def judges(store: Store, engine: FakeEngine) -> Judges:
    return Judges(store, engine)


def bars(judged: Judges, strictness: Strictness = Strictness.BALANCED, identity: str = "a model"):  # type: ignore[no-untyped-def]
    return judged.bars(identity, strictness, threading.Event())


def test_a_model_that_tells_them_apart_gets_bars_between_and_is_asked_once(store: Store) -> None:
    engine = FakeEngine("", score=knowing)
    found = bars(judges(store, engine))
    assert 0.27 < found.doubt <= found.support < 0.74
    asked = len(engine.score_requests)
    assert asked == len(ANSWERED) + len(UNANSWERED)
    assert bars(judges(store, engine)) == found  # another start of the program
    assert len(engine.score_requests) == asked
    assert bars(judges(store, engine), identity="another model") == found
    assert len(engine.score_requests) == 2 * asked


def test_a_model_at_chance_is_not_believed(store: Store) -> None:
    rng = random.Random(1)
    engine = FakeEngine("", score=lambda _request: (0.0, rng.uniform(-1, 1)))
    assert bars(judges(store, engine)) is None
    known = judges(store, engine).known("a model")
    assert known is not None and known.auc < BELIEVED_AUC


def test_strict_bars_are_no_lower_and_let_fewer_pass() -> None:
    rng = random.Random(2)
    found = Calibration(
        tuple(rng.uniform(0.4, 1.0) for _ in range(40)), tuple(rng.uniform(0.0, 0.8) for _ in range(40))
    )
    balanced, strict = found.bars(Strictness.BALANCED), found.bars(Strictness.STRICT)
    assert strict.support > balanced.support
    assert sum(p >= strict.support for p in found.unanswered) <= 2
    assert sum(p >= balanced.support for p in found.unanswered) <= 8


def test_the_programs_own_models_need_no_test_and_small_ones_are_not_believed(store: Store) -> None:
    engine = FakeEngine("", score=knowing)
    own = {row.model: row.identity for row in shipped().values()}
    default, small = own["qwen2.5-coder-1.5b-instruct"], own["qwen2.5-coder-0.5b-instruct"]
    balanced = bars(judges(store, engine), identity=default)
    strict = bars(judges(store, engine), Strictness.STRICT, identity=default)
    assert balanced is not None and strict is not None and strict.support > balanced.support
    assert bars(judges(store, engine), identity=small) is None
    assert not engine.score_requests


def test_what_was_cut_short_is_not_kept(store: Store) -> None:
    cancel = threading.Event()
    cancel.set()
    judged = judges(store, FakeEngine("", score=knowing))
    assert judged.bars("a model", Strictness.BALANCED, cancel) is None
    assert judged.known("a model") is None
