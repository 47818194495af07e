"""A child that speaks the engine's protocol from a script; what it does is told by the path or the question."""

from __future__ import annotations

import os
import signal
import sys

from engine.errors import EngineError, ModelError, PromptTooLong
from engine.types.generation import FinishReason, Generated, PrefillProgress, Remembered, Scores, TextDelta, Timing
from engine.types.model import Inspection, LoadedModel, LoadPlan
from engine.types.remembering import StoreStatus
from engine.wire import messages as wire
from engine.wire.child import Hello
from engine.wire.framing import PROTOCOL_VERSION, Channel, EndOfStream, claim_pipes


class Script:
    def __init__(self, channel: Channel[wire.EngineRequest]) -> None:
        self.channel = channel
        self.open: dict[int, str] = {}
        self.told: list[str] = []  # where to keep what is read
        self.loading: wire.Load | None = None

    def answer(self, message: wire.EngineRequest) -> None:
        match message:
            case wire.Inspect(id=1_000_000_000) if self.loading is not None:
                self.send(wire.Loaded(self.loading.id, described("slow.gguf")))
            case wire.Inspect():
                self.send(wire.Inspected(message.id, Inspection((), "scripted", (), {"pid": str(os.getpid())})))
            case wire.Load():
                self.load(message)
            case wire.CancelLoad() if self.loading is not None:
                self.send(wire.failed(self.loading.id, EngineError("The loading of the model was stopped.")))
            case wire.Unload():
                self.send(wire.Unloaded(message.id))
            case wire.Generate():
                self.generate(message, message.request.prompt.messages[0].segments[0].text)
            case wire.Score():
                self.send(wire.Scored(message.id, Scores((-1.0,) * len(message.request.continuations), Timing())))
            case wire.CountTokens():
                self.send(wire.Counted(message.id, tuple(map(len, message.texts))))
            case wire.Cancel() if message.id in self.open:
                text = self.open.pop(message.id)
                self.send(wire.Event(message.id, Generated(text, "", FinishReason.CANCELLED, Timing())))
            case _:
                self.answer_about_store(message)

    def answer_about_store(self, message: wire.EngineRequest) -> None:
        match message:
            case wire.Configure():
                self.told.append(message.store.directory)
            case wire.AskStore():
                self.send(wire.StoreIs(message.id, StoreStatus(True, 0, 0, 0, 0, 0, (), " ".join(self.told))))
            case wire.AskKnown():
                self.send(wire.failed(message.id, EngineError("Not known.")))
            case wire.Forget():
                self.send(wire.Forgotten(message.id, -1 if message.owners is None else len(message.owners)))
            case wire.Pin() | wire.Flush():
                self.send(wire.Done(message.id))
            case wire.Remember():
                self.send(wire.Event(message.id, PrefillProgress(1, 3, 0, 0.0)))
                self.send(wire.Event(message.id, Remembered(3, 0, 3, 3, complete=True)))

    def load(self, message: wire.Load) -> None:
        match message.request.path:
            case "bad.gguf":
                self.send(wire.failed(message.id, ModelError("The model file is damaged; copy it again.")))
            case "deadly.gguf":
                os.kill(os.getpid(), signal.SIGABRT)
            case "slow.gguf":
                self.loading = message
                self.send(wire.LoadProgress(message.id, 0.25))
            case path:
                self.send(wire.LoadProgress(message.id, 0.5))
                self.send(wire.Loaded(message.id, described(path)))

    def generate(self, message: wire.Generate, what: str) -> None:
        self.send(wire.Event(message.id, PrefillProgress(3, 3, 0, 0.0)))
        match what:
            case "die":
                self.send(wire.Event(message.id, TextDelta("Half an ans")))
                os.kill(os.getpid(), signal.SIGKILL)
            case "too long":
                self.send(wire.failed(message.id, PromptTooLong("too long", 9, 8)))
            case "wait":
                self.open[message.id] = "Half"
                self.send(wire.Event(message.id, TextDelta("Half")))
            case _:
                self.send(wire.Event(message.id, TextDelta("Yes.")))
                self.send(wire.Event(message.id, Generated("Yes.", "", FinishReason.STOP, Timing())))

    def send(self, reply: wire.EngineReply) -> None:
        self.channel.send(reply)


def described(path: str) -> LoadedModel:
    plan = LoadPlan(0, 100, 1, 512, 512, "f16", ())
    return LoadedModel(path, path, "id", "scripted", "", 1, 1, 0, 1, 100, plan, 0.0)


def main(protocol: int, problem: str) -> None:
    channel: Channel[wire.EngineRequest] = Channel(*claim_pipes(), wire.EngineRequest)
    channel.send(Hello(protocol, "engine", problem))
    script = Script(channel)
    try:
        while True:
            script.answer(channel.receive())
    except EndOfStream:
        os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PROTOCOL_VERSION, sys.argv[2] if len(sys.argv) > 2 else "")
