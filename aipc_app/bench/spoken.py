"""What the benchmarks of decoding share: an engine with a model, answers token by token, where two answers part."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, structs

from aipc_app import paths
from aipc_app.answer.wording import SYSTEM
from aipc_app.workers.spawn import child_command
from engine.client.base import EngineClient
from engine.client.process import ProcessEngine
from engine.types.generation import Generated, GenerateRequest, ScoreRequest, TextDelta, Timing
from engine.types.model import LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind

MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
NEAR_TIE = 1.2  # logits
NOISE = (
    f"a parting counts as batch noise where plain decoding preferred its own word by at most {NEAR_TIE} logits: twice "
    "what a batch was seen to move one token's lead over another (0.57, engine/runtime/decisions/0003)"
)


class Spoken(Struct, frozen=True, kw_only=True):
    """An answer as the pieces of text it came in, one a token for the most part. Seconds are wall time."""

    pieces: tuple[str, ...]
    timing: Timing
    seconds: float = 0.0

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class Parting(Struct, frozen=True, kw_only=True):
    """Where two answers to the same question part: `lead` is by how many logits plain decoding preferred its own
    word, None where one of them ended there. `near_tie`: both words were about equally likely."""

    question: str
    after_pieces: int
    words: tuple[str, str]
    lead: float | None
    near_tie: bool


def model_file(name: str = MODEL) -> Path | None:
    """The model in the folders of models, if it is there."""
    return next((place / name for place in paths.model_folders(paths.home()) if (place / name).is_file()), None)


@contextmanager
def engine_with(model: Path, context_tokens: int) -> Iterator[EngineClient]:
    """A child of our own that keeps nothing on the disk."""
    with tempfile.TemporaryDirectory(prefix="aipc-bench-") as folder:
        engine = ProcessEngine(child_command("engine"), Path(folder) / "engine.log")
        try:
            engine.load(LoadRequest(str(model), context_tokens=context_tokens))
            yield engine
        finally:
            engine.close()


def library(pattern: str = "*") -> str:
    """The texts that come with the samples' libraries as Markdown or plain text."""
    places = sorted((paths.assets() / "samples").glob(f"*/library/{pattern}"))
    return "\n\n".join(place.read_text(encoding="utf-8") for place in places if place.suffix in (".md", ".txt"))


def prompt(document: str, question: str) -> Prompt:
    """A document and a question about it."""
    system = ChatMessage(Role.SYSTEM, (Segment(SegmentKind.SYSTEM, SYSTEM), Segment(SegmentKind.DOCUMENTS, document)))
    return Prompt((system, ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, question),))))


def speak(engine: EngineClient, request: GenerateRequest) -> Spoken:
    """Generate and wait."""
    began, pieces = time.monotonic(), []
    for event in engine.generate(request):
        if isinstance(event, TextDelta):
            pieces.append(event.text)
        elif isinstance(event, Generated):
            return Spoken(pieces=tuple(pieces), timing=event.timing, seconds=time.monotonic() - began)
    raise AssertionError("a generation ends with Generated or raises")


def _word(pieces: Sequence[str]) -> str:
    """The first word, the blank before it included: a token may be a blank and a part of the character after it, whose
    text comes with the tokens that complete it, so that the blank alone would be scored as another token."""
    word = ""
    for piece in pieces:
        word += piece
        if word.strip():
            break
    return word


def parting(engine: EngineClient, asked: Prompt, question: str, plain: Spoken, other: Spoken) -> Parting | None:
    """Where they part and how close the choice was there; None when they are equal."""
    if plain.text == other.text:
        return None
    at = next(
        (i for i, (one, two) in enumerate(zip(plain.pieces, other.pieces, strict=False)) if one != two),
        min(len(plain.pieces), len(other.pieces)),
    )
    words = tuple(_word(spoken.pieces[at:]) for spoken in (plain, other))
    if not all(words):
        return Parting(question=question, after_pieces=at, words=(words[0], words[1]), lead=None, near_tie=False)
    said = structs.replace(asked, answer_start="".join(plain.pieces[:at]))
    own, others = engine.score(ScoreRequest(said, (words[0], words[1]))).logprobs
    lead = own - others
    return Parting(
        question=question, after_pieces=at, words=(words[0], words[1]), lead=lead, near_tie=abs(lead) <= NEAR_TIE
    )
