"""What breaks is said in a sentence, and the next question is answered as if nothing had been."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import psutil
import pytest

from aipc_app.domain.answers import AnswerDelta, Question
from aipc_app.operations.asking import ask
from aipc_app.operations.cases import ensure_case
from aipc_app.operations.documents import add_and_wait
from aipc_app.operations.services import Services
from engine.errors import EngineDied
from tests.end2end.conftest import AIPC, Aipc, files, services_with
from tests.end2end.test_command_line import contract


def child(kind: str) -> psutil.Process:
    """The running child of this process of that kind."""
    for process in psutil.Process().children(recursive=True):
        if kind in process.cmdline():
            return process
    raise AssertionError(f"no {kind} runs")


def case_with(services: Services, paths: list[Path]) -> int:
    case = ensure_case(services, name="甲").run()
    add_and_wait(services, case_id=case.id, paths=paths).run()
    return case.id


def test_a_killed_engine_ends_the_answer_and_the_next_question_is_answered(tmp_path: Path, small_model: Path) -> None:
    with services_with(tmp_path / "home", small_model) as services:
        case = case_with(services, [Path(contract(tmp_path))])
        question = Question(text="月利率是多少？", cases=(case,))

        def kill(event: object) -> None:
            if isinstance(event, AnswerDelta):
                child("engine").send_signal(signal.SIGKILL)

        with pytest.raises(EngineDied):
            ask(services, question=Question(text="把合同各条的内容详细说一遍。", cases=(case,))).run(kill)
        answer = ask(services, question=question).run()
        assert any("1.5%" in citation.quote for citation in answer.citations)


def test_stop_keeps_what_was_said(tmp_path: Path, small_model: Path) -> None:
    with services_with(tmp_path / "home", small_model) as services:
        case = case_with(services, files("lending")[:1])
        cancel = threading.Event()

        def stop(event: object) -> None:
            if isinstance(event, AnswerDelta):
                cancel.set()

        question = Question(text="详细说明原告的每一项诉讼请求和理由。", cases=(case,))
        answer = ask(services, question=question).run(stop, cancel)
        assert answer.stopped
        assert services.store.conversations.turns(answer.conversation)[0].answer == answer


def test_two_programs_on_one_home_and_the_lock_goes_with_a_crash(aipc: Aipc, tmp_path: Path) -> None:
    script = (
        "import sys, os\nfrom aipc_app import paths\nfrom aipc_app.app import opened\n"
        f"with opened(paths.home({str(aipc.home)!r})):\n    print('open', flush=True)\n    sys.stdin.read()\n"
    )
    holder = subprocess.Popen([AIPC[0], "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdin is not None
    try:
        assert holder.stdout.readline().strip() == "open"
        refused = aipc.run("cases")
        assert refused.returncode == 1
        assert str(holder.pid) in refused.stderr
    finally:
        holder.kill()
        holder.wait()
        holder.stdin.close()
        holder.stdout.close()
    assert aipc.run("cases").returncode == 0


def test_a_home_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = Aipc(tmp_path / "file" / "home").run("cases")
    assert refused.returncode == 1
    assert "can't be written" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
def test_a_read_only_home_is_one_sentence(aipc: Aipc, tmp_path: Path) -> None:
    assert aipc.run("cases").returncode == 0
    inner = f'mount --bind {aipc.home} {aipc.home} && mount -o remount,ro,bind {aipc.home} && exec "$@"'
    prefix = ("unshare", "-rm", "sh", "-c", inner, "sh")
    if subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("mount namespaces are not allowed here")
    refused = Aipc(aipc.home, prefix).run("cases")
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_a_model_cut_short_is_one_sentence(aipc: Aipc, small_model: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.gguf"
    with small_model.open("rb") as whole:
        short.write_bytes(whole.read(20_000_000))
    aipc.json("add", "--case", "甲", contract(tmp_path))
    aipc.json("models", "use", str(short))
    refused = aipc.run("ask", "--case", "甲", "月利率是多少？")
    assert refused.returncode == 1
    assert "cut short" in refused.stderr
    assert "Traceback" not in refused.stderr
    aipc.json("models", "use", str(small_model))
    assert aipc.json("ask", "--case", "甲", "月利率是多少？")[0]["citations"]


def test_a_killed_program_leaves_no_child_behind(aipc: Aipc, small_model: Path, tmp_path: Path) -> None:
    aipc.json("models", "use", str(small_model))
    aipc.json("add", "--case", "甲", contract(tmp_path))
    program = subprocess.Popen(
        [*AIPC, "--home", str(aipc.home), "ask", "--case", "甲", "把合同各条的内容详细说一遍。"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert program.stdout is not None
    assert program.stdout.read(1)  # the answer streams: engine and encoder run
    children = psutil.Process(program.pid).children(recursive=True)
    assert children
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    program.stdout.close()
    _gone, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []
