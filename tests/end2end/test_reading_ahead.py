"""A question under reading ahead, with the real engine: how much later its first token comes."""

from __future__ import annotations

import json
import statistics
import threading
from pathlib import Path

import msgspec
import pytest

from aipc_app import paths
from aipc_app.app import opened
from aipc_app.domain.answers import Mode, Question
from aipc_app.domain.jobs import Changes
from aipc_app.operations.asking import ask
from aipc_app.operations.cases import ensure_case
from aipc_app.operations.documents import add_and_wait
from aipc_app.operations.models import ensure_loaded, use_model
from aipc_app.operations.remembering import remember_case
from aipc_app.operations.services import Services
from aipc_app.settings.model import Remembering
from tests.conftest import DEFAULT_MODEL, SMALL_MODEL, model_path

CONTRACT = "借款合同\n第一条 借款金额为人民币伍拾万元整。\n第二条 月利率为1.5%，按季付息。\n"
LONG = "询问笔录\n" + "".join(  # about 5,000 tokens
    f"问：第{n}次付款是什么时候？\n答：2021年3月{n}日，付了{n},000元整。\n" for n in range(140)
)
QUESTIONS = ("月利率是多少？", "借款金额是多少？", "利息怎么付？")
LATER_BY_AT_MOST_S = 2.0
BOUND_S = 120.0


def first_token_s(services: Services, case: int, text: str) -> float:
    question = Question(text=text, cases=(case,), library=False, mode=Mode.WHOLE, max_tokens=16)
    return ask(services, question=question).run().timing.ttft_s


def add(services: Services, name: str, folder: Path, text: str) -> int:
    path = folder / f"{name}.txt"
    path.write_text(text, encoding="utf-8")
    case = ensure_case(services, name=name).run().id
    add_and_wait(services, case_id=case, paths=[path]).run()
    return case


def read_ahead(services: Services, on: bool) -> None:
    remembering = Remembering(read_ahead=on)
    services.settings.replace(msgspec.structs.replace(services.settings(), remembering=remembering))
    services.changes.publish(Changes(settings=True))


def wait_until_it_reads(services: Services, case: int, model: str) -> None:
    """Well into the long document, as a user would come upon it."""
    reading = threading.Event()

    def look(_changes: Changes) -> None:
        if services.ahead.reading(case, model).running:
            reading.set()

    stop = services.changes.subscribe(look)
    try:
        assert reading.wait(BOUND_S), "nothing is read ahead"
    finally:
        stop()


@pytest.mark.long
@pytest.mark.model
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("file", [SMALL_MODEL, DEFAULT_MODEL])
def test_the_first_token_comes_at_most_two_seconds_later(
    tmp_path: Path, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three questions on a remembered case, each on an idle engine and each while another case is read ahead."""
    with opened(paths.home(str(tmp_path / "home")), reads_ahead=True) as services:
        monkeypatch.setattr(services.ahead._pressure, "busy", lambda: False)  # other work on this PC is not the point
        read_ahead(services, False)
        use_model(services, name=str(model_path(file))).run()
        asked, other = add(services, "甲", tmp_path, CONTRACT), add(services, "乙", tmp_path, LONG)
        model = ensure_loaded(services).run()
        remember_case(services, case_id=asked).run()
        first_token_s(services, asked, QUESTIONS[0])
        idle, under = [], []
        for question in QUESTIONS:
            read_ahead(services, False)
            idle.append(first_token_s(services, asked, question))
            services.engine.forget([f"case:{other}"])
            services.ahead.forgotten()
            read_ahead(services, True)
            wait_until_it_reads(services, other, model.path)
            under.append(first_token_s(services, asked, question))
        later = [b - a for a, b in zip(idle, under, strict=True)]
        with capsys.disabled():
            print(json.dumps({"model": file, "idle_s": idle, "under_reading_s": under, "later_s": later}))
        assert statistics.median(later) <= LATER_BY_AT_MOST_S
