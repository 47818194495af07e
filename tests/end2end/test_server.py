"""Answers by a real server on loopback: llama-cpp-python's own, written by others to the same protocol."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.client.remote import RemoteEngine
from engine.types.generation import FinishReason, Generated, GenerateRequest, ManyRequest, ScoreRequest, TextDelta
from engine.types.model import LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from engine.types.remote import RemoteServer
from tests.end2end.conftest import Aipc
from tests.end2end.test_command_line import contract, quotes_are_the_pages

pytestmark = pytest.mark.long  # a second copy of the model in memory, and it answers several times
TOKEN = "sk-end2end"
WITHOUT_KEYRING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
# Our build of llama.cpp has its backends in files of their own, which have to be loaded first.
SERVER = (
    "import runpy; from engine.native.library import open_library; open_library(); "
    "runpy.run_module('llama_cpp.server', run_name='__main__')"
)
STARTS_WITHIN_S = 120.0


@dataclass(frozen=True)
class LlamaServer:
    """Its address, and what it wrote."""

    address: str
    log: Path

    @property
    def asked(self) -> int:
        """How often it was asked for an answer."""
        return self.log.read_text(errors="replace").count("POST /v1/chat/completions")


@pytest.fixture(scope="module")
def llama_server(small_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaServer]:
    """A llama-cpp-python server with the small model."""
    pytest.importorskip("fastapi", reason="the server extra of llama-cpp-python is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "server.log"
    command = (
        sys.executable, "-c", SERVER, "--model", str(small_model), "--host", "127.0.0.1", "--port",
        str(port), "--api_key", TOKEN, "--n_ctx", "4096", "--n_threads", "2", "--logits_all", "true",
        "--use_mlock", "false",
    )  # fmt: skip
    with log.open("wb") as sink, subprocess.Popen(command, stdout=sink, stderr=sink) as process:
        try:
            deadline = time.monotonic() + STARTS_WITHIN_S
            while not _answers(port):
                assert process.poll() is None and time.monotonic() < deadline, log.read_text(errors="replace")[-2000:]
                time.sleep(0.2)
            yield LlamaServer(f"http://127.0.0.1:{port}", log)
        finally:
            process.terminate()
            process.wait(30)


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/v1/models", headers={"Authorization": f"Bearer {TOKEN}"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def asked(question: str) -> Prompt:
    return Prompt((ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, question),)),))


def test_a_question_is_answered_by_the_server_and_proved_here(
    aipc: Aipc, llama_server: LlamaServer, tmp_path: Path
) -> None:
    environment, address = {**WITHOUT_KEYRING, "AIPC_SERVER_TOKEN": TOKEN}, llama_server.address
    aipc.json("add", "--case", "甲", contract(tmp_path))
    refused = aipc.run("server", "use", address, environment=environment)
    assert refused.returncode == 1 and "not on the list" in refused.stderr
    aipc.json("server", "allow", address)
    wrong = aipc.run("server", "use", address, environment={**environment, "AIPC_SERVER_TOKEN": "wrong"})
    assert wrong.returncode == 1 and "refuses the token" in wrong.stderr
    used = aipc.run("server", "use", address, "--context", "4096", environment=environment)
    assert used.returncode == 0, used.stderr
    tried = llama_server.asked
    done = aipc.run("ask", "--case", "甲", "月利率是多少？", "--json", environment=environment)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert any("1.5%" in citation["quote"] for citation in answer["citations"])
    assert answer["timing"]["prompt_tokens"] > 100 and answer["timing"]["restored_tokens"] == 0
    quotes_are_the_pages(aipc, answer)
    assert TOKEN not in (aipc.home / "settings.toml").read_text(encoding="utf-8")
    assert not (aipc.home / "logs" / "network.log").exists()  # loopback is no network
    answered = llama_server.asked
    assert answered > tried
    (status,) = aipc.json("server", "off")
    assert status["address"] is None
    aipc.run("ask", "--case", "甲", "月利率是多少？", environment=environment)  # by a model here, where there is one
    assert llama_server.asked == answered


def test_what_the_server_can_do_is_found_out_and_works(llama_server: LlamaServer) -> None:
    address = llama_server.address
    server = RemoteServer(address=address, allowed=(address,), context_tokens=4096)
    engine = RemoteEngine(lambda: server, lambda _origin: TOKEN)
    try:
        model = engine.load(LoadRequest(address))
        assert (model.plan.context_tokens, model.host) == (4096, "127.0.0.1")
        assert model.abilities.scores and model.abilities.grammars
        yes, no = engine.score(ScoreRequest(asked("Is fire hot? Answer only Yes or No."), ("Yes", "No"))).logprobs
        assert yes > no
        schema = '{"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}'
        *_, end = engine.generate(GenerateRequest(asked("1 + 2 as JSON"), 30, json_schema=schema))
        assert isinstance(end, Generated) and end.text.lstrip().startswith('{"sum"')
        many = ManyRequest((asked("Say one."), asked("Say two.")), max_tokens=4)
        assert {event.branch for event in engine.generate_many(many) if event.ends} == {0, 1}
        generation = engine.generate(GenerateRequest(asked("Count from 1 to 500."), 2000))
        for event in generation:
            if isinstance(event, TextDelta):
                generation.cancel()
        assert isinstance(event, Generated) and event.reason is FinishReason.CANCELLED and event.text
    finally:
        engine.close()
