"""One of two engines answers; what is kept on this disk stays with the one that is here."""

from __future__ import annotations

from engine.client.choice import ChosenEngine
from engine.client.fake import FakeEngine
from engine.types.generation import Generated, GenerateRequest
from engine.types.model import EngineReady, EngineState, EngineStopped, LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind

ASKED = GenerateRequest(Prompt((ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, "?"),)),)))
FAR = "https://server.example/v1"


def said(engine: ChosenEngine) -> str:
    *_, end = engine.generate(ASKED)
    assert isinstance(end, Generated)
    return end.text


def test_an_address_loads_the_server_and_a_file_the_process() -> None:
    here, far = FakeEngine("here", loaded=False), FakeEngine("far", loaded=False)
    engine = ChosenEngine(here, far)
    told: list[EngineState] = []
    engine.subscribe(told.append)
    engine.load(LoadRequest("a.gguf"))
    assert said(engine) == "here" and far.requests == []
    engine.load(LoadRequest(FAR))
    assert said(engine) == "far" and isinstance(here.state, EngineStopped)  # its memory is free again
    assert isinstance(engine.state, EngineReady) and told[-1] == engine.state
    here.load(LoadRequest("b.gguf"))  # what the other one does is nobody's news
    assert told[-1] == far.state
    engine.load(LoadRequest("a.gguf"))
    assert said(engine) == "here" and isinstance(far.state, EngineStopped)


def test_what_is_kept_here_can_be_forgotten_while_a_server_answers() -> None:
    here, far = FakeEngine("here"), FakeEngine("far", loaded=False)
    engine = ChosenEngine(here, far)
    list(engine.generate(GenerateRequest(ASKED.prompt, owner="case:1")))
    engine.load(LoadRequest(FAR))
    assert [share.owner for share in engine.store_status().owners] == ["case:1"]
    assert engine.forget(["case:1"]) > 0 and engine.store_status().owners == ()


def test_closing_closes_both() -> None:
    here, far = FakeEngine("here"), FakeEngine("far")
    engine = ChosenEngine(here, far)
    engine.close()
    assert isinstance(here.state, EngineStopped) and isinstance(far.state, EngineStopped)
