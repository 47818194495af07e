"""Programs on this computer get answers; web pages, strangers and what is too large don't."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import psutil
import pytest

from engine.client.fake import FakeEngine
from engine.client.remote import RemoteEngine
from engine.client.serving import Door
from engine.errors import EngineDied, PromptTooLong
from engine.types.generation import Generated, GenerateRequest
from engine.types.model import EngineReady, LoadedModel, LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from engine.types.remote import RemoteServer

HELLO = {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "借款金额？"}]}


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine("<think>算</think>五十万元。")


@pytest.fixture
def door(engine: FakeEngine) -> Iterator[Door]:
    opened = open_door(engine)
    yield opened
    engine.release()
    opened.close()


def open_door(engine: FakeEngine) -> Door:
    def ready() -> LoadedModel:
        assert isinstance(engine.state, EngineReady)
        return engine.state.model

    return Door(engine, ready, nullcontext, port=0)


@contextmanager
def asked(door: Door, body: Any = HELLO, path: str = "/v1/chat/completions", **headers: str) -> Iterator[Any]:
    connection = http.client.HTTPConnection("127.0.0.1", door.port, timeout=20)
    sent = {"Authorization": f"Bearer {door.token}"} | {k.replace("_", "-"): v for k, v in headers.items()}
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    try:
        connection.request("GET" if body is None else "POST", path, data, sent)
        yield connection.getresponse()
    finally:
        connection.close()


def told(door: Door, body: Any = HELLO, path: str = "/v1/chat/completions", **headers: str) -> tuple[int, Any]:
    with asked(door, body, path, **headers) as reply:
        return reply.status, json.loads(reply.read())


def test_an_answer_at_once(door: Door, engine: FakeEngine) -> None:
    status, answer = told(door, {**HELLO, "max_tokens": 33, "stop": "。", "n": 1, "unknown": True})
    assert status == 200
    (choice,) = answer["choices"]
    assert choice["message"] == {"role": "assistant", "content": "五十万元", "reasoning_content": "算"}
    assert choice["finish_reason"] == "stop" and answer["usage"]["prompt_tokens"] > 0
    (request,) = engine.requests
    assert (request.max_tokens, request.stop, request.sampling.temperature) == (33, ("。",), 0.0)
    assert [str(message.role) for message in request.prompt.messages] == ["system", "user"]
    until(lambda: door.served == 1)  # counted once the last byte is out


def test_an_answer_as_a_stream(door: Door) -> None:
    with asked(door, {**HELLO, "stream": True, "stream_options": {"include_usage": True}}) as reply:
        assert reply.status == 200 and reply.headers["Content-Type"] == "text/event-stream"
        lines = [line[6:] for line in reply.read().decode().splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
    assert "".join(delta.get("content", "") for delta in deltas) == "五十万元。"
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == "算"
    assert chunks[-1]["usage"]["completion_tokens"] > 0


def test_our_own_client_of_servers_can_use_it(door: Door) -> None:
    server = RemoteServer(address=door.address, allowed=(door.address,))
    client = RemoteEngine(lambda: server, lambda _origin: door.token)
    try:
        assert client.load(LoadRequest(door.address)).plan.context_tokens == 16_384
        prompt = Prompt((ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, "借款金额？"),)),))
        *_, end = client.generate(GenerateRequest(prompt))
        assert isinstance(end, Generated) and (end.text, end.thought) == ("五十万元。", "算")
    finally:
        client.close()


def test_models_are_listed(door: Door) -> None:
    status, listed = told(door, None, "/v1/models")
    assert status == 200 and listed["data"][0]["id"] == "fake"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 403),  # a name that was made to mean 127.0.0.1
        ({"Host": "127.0.0.1"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_strangers_stay_out(door: Door, engine: FakeEngine, headers: dict[str, str], status: int) -> None:
    assert told(door, **headers)[0] == status
    assert engine.requests == []


def test_nobody_else_on_the_network_reaches_it(door: Door) -> None:
    """By the kernel's own table: connecting to this PC's other addresses would prove nothing where it has none."""
    assert door.address.startswith("http://127.0.0.1:")
    listening = [c.laddr for c in psutil.Process().net_connections("tcp") if c.status == psutil.CONN_LISTEN]
    assert [at.ip for at in listening if at.port == door.port] == ["127.0.0.1"]


@pytest.mark.parametrize(
    "body",
    [b"{", [], {"messages": []}, {"messages": [{"role": "tool", "content": "x"}]}, {**HELLO, "n": 2},
     {**HELLO, "tools": [{}]}, {**HELLO, "max_tokens": -1}, {**HELLO, "temperature": 9},
     {**HELLO, "response_format": {"type": "xml"}}, {"messages": [{"role": "assistant", "content": "x"}]}],
)  # fmt: skip
def test_what_cannot_be_served_is_told(door: Door, engine: FakeEngine, body: Any) -> None:
    status, answer = told(door, body)
    assert status == 400 and answer["error"]["message"]
    assert engine.requests == []


def test_too_large_unknown_and_endless_requests_are_refused(door: Door) -> None:
    assert told(door, HELLO, Content_Length=str(9 << 20))[0] == 413
    assert told(door, HELLO, "/v1/embeddings")[0] == 404
    with asked(door, HELLO, Transfer_Encoding="chunked") as reply:
        assert reply.status == 411


def test_what_the_engine_refuses_has_a_status(door: Door, engine: FakeEngine) -> None:
    engine.fail_next(PromptTooLong("Too long."))
    status, answer = told(door)
    assert (status, answer["error"]["code"]) == (400, "context_length_exceeded")
    engine.fail_next(EngineDied("It ended."))
    assert told(door)[0] == 500
    assert told(door)[0] == 200


def until(condition: Callable[[], object]) -> None:
    waited = threading.Event()
    for _ in range(2000):
        if condition():
            return
        waited.wait(0.01)
    raise AssertionError("it did not come")


def test_one_is_answered_at_a_time(door: Door, engine: FakeEngine) -> None:
    engine.hold_after(1)
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda: statuses.append(told(door)[0])) for _ in range(12)]
    for thread in threads:
        thread.start()
    until(lambda: len(statuses) == 4)  # one is being answered, seven wait
    assert statuses == [429] * 4 and len(engine.requests) == 1
    engine.release()
    for thread in threads:
        thread.join(20)
    assert sorted(statuses) == [200] * 8 + [429] * 4


def test_who_goes_away_is_not_answered_to_the_end(engine: FakeEngine) -> None:
    engine = FakeEngine("说 " * 100_000)
    door = open_door(engine)
    try:
        with asked(door, {**HELLO, "stream": True, "max_tokens": 30_000}) as reply:
            reply.read(2000)
        until(lambda: not engine._running)
        assert told(door, {**HELLO, "max_tokens": 2})[0] == 200
    finally:
        door.close()


def test_a_closed_door_is_closed(engine: FakeEngine) -> None:
    door = open_door(engine)
    door.close()
    with pytest.raises(OSError):
        told(door)
