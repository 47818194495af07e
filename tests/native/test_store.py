"""The store under a real model: what comes from disk is what a cold prefill computes, to the last bit of each logit."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from engine.errors import EngineError
from engine.kv.block_file import HEADER_BYTES
from engine.kv.prefixes import PrefixCache
from engine.kv.store import BlockStore
from engine.models.gguf import summarize
from engine.native.library import Library
from engine.runtime.loaded import Loaded, load
from engine.runtime.remember import RememberJob
from engine.runtime.remembering import model_blocks
from engine.types.generation import Generated, GenerateRequest, GenerationEvent, Remembered
from engine.types.model import LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from engine.types.remembering import RememberRequest, StoreSettings
from tests.native.conftest import prompt, request_for, run

DOCUMENT = "".join(
    f"Article {n}. The lender may ask for {n * 3} percent after {n + 2} days, unless clause {n * 7} says otherwise. "
    for n in range(1, 12)
)
OTHER = "".join(f"Section {n}: the tenant pays {n * 100} yuan on day {n}. " for n in range(1, 30))
QUESTIONS = ("What may the lender ask for?", "Which article speaks of 9 percent?", "What does clause 70 say?")
Reopen = Callable[..., BlockStore]


def ask(question: str = QUESTIONS[0], *documents: str, tokens: int = 1, owner: str = "case:1") -> GenerateRequest:
    return GenerateRequest(prompt(question, *(documents or (DOCUMENT,))), max_tokens=tokens, owner=owner)


def give_store(model: Loaded, library: Library, store: BlockStore) -> None:
    """Let the model keep its blocks there, as after a load."""
    summary = summarize(model.description.path)
    model.context.drop(0)
    model.blocks = model_blocks(library, model.model, model.context, summary, model.plan, store)
    model.prefixes = PrefixCache(
        model.context, cells=model.context.cells, divisible=True, shelf_bytes=1 << 28, blocks=model.blocks
    )


@pytest.fixture
def reopen(shared_model: Loaded, library: Library, tmp_path: Path) -> Iterator[Reopen]:
    """Puts the store away and opens it again on the same folder: nothing but the disk remembers."""
    stores: list[BlockStore] = []
    before = shared_model.blocks, shared_model.prefixes

    def open_(folder: str = "kv", *, model: Loaded = shared_model) -> BlockStore:
        for store in stores:
            store.close(20)
        stores.append(BlockStore(StoreSettings(str(tmp_path / folder), 1 << 30, 1 << 30, 0)))
        stores[-1].start()
        give_store(model, library, stores[-1])
        return stores[-1]

    yield open_
    for store in stores:
        store.close(20)
    shared_model.blocks, shared_model.prefixes = before


def logits(model: Loaded, request: GenerateRequest) -> np.ndarray:
    run(model, request)
    return model.context.logits(model.context.batch.struct.n_tokens - 1).copy()


def remember(model: Loaded, request: RememberRequest) -> Remembered:
    events: list[GenerationEvent] = []

    def fail(error: EngineError) -> None:
        raise error

    for _ in RememberJob(1, request, events.append, fail).steps(model):
        pass
    last = events[-1]
    assert isinstance(last, Remembered)
    return last


def files(tmp_path: Path, folder: str = "kv") -> list[Path]:
    return sorted((tmp_path / folder / "blocks").glob("*/*.kv"))


def test_after_a_restart_no_bit_of_a_logit_differs(shared_model: Loaded, reopen: Reopen) -> None:
    model = shared_model
    store = reopen()
    cold = logits(model, ask())
    store.flush()
    reopen()
    known = model.known(ask().prompt)
    assert known.known_tokens > 0.9 * known.tokens
    answer = run(model, ask())
    assert answer.timing.restored_tokens == known.known_tokens
    assert np.array_equal(logits(model, ask()), cold)
    reopen()
    run(model, ask("Something else?", OTHER))
    assert np.array_equal(logits(model, ask()), cold)  # in place of another prompt


def test_another_context_size_restores_the_same(
    shared_model: Loaded, reopen: Reopen, library: Library, tiny_model: Path
) -> None:
    store = reopen()
    cold = logits(shared_model, ask())
    store.flush()
    larger = load(library, LoadRequest(str(tiny_model), context_tokens=2_560, threads=2), lambda _: True)
    try:
        reopen(model=larger)
        assert np.array_equal(logits(larger, ask()), cold)
        assert run(larger, ask()).timing.restored_tokens > 0
        reopen()
    finally:
        larger.close()


def test_answers_are_the_same_with_and_without_the_store(shared_model: Loaded, reopen: Reopen) -> None:
    same_answers(shared_model, reopen, QUESTIONS[:1])


@pytest.mark.long
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("file", ["tiny_model", "small_model"])
def test_twenty_answers_are_the_same_with_and_without_the_store(
    file: str, request: pytest.FixtureRequest, reopen: Reopen, library: Library
) -> None:
    path = request.getfixturevalue(file)
    model = load(library, LoadRequest(str(path), context_tokens=2_048), lambda _: True)
    try:
        same_answers(model, reopen, [f"What does article {n} say about the lender?" for n in range(1, 21)])
    finally:
        reopen()
        model.close()


def same_answers(model: Loaded, reopen: Reopen, questions: list[str] | tuple[str, ...]) -> None:
    """Each answer of 64 tokens three times: from nothing, after its own document, after a restart."""
    cold = []
    for number, question in enumerate(questions):
        reopen(f"cold-{number}", model=model)
        cold.append(run(model, ask(question, tokens=64)))
    assert all(answer.timing.restored_tokens == 0 for answer in cold)
    store = reopen("warm", model=model)
    warm = [run(model, ask(question, tokens=64)).text for question in questions]
    store.flush()
    restored = []
    for question in questions:
        reopen("warm", model=model)
        restored.append(run(model, ask(question, tokens=64)))
    assert warm == [answer.text for answer in cold] == [answer.text for answer in restored]
    for answer in restored:
        assert answer.timing.restored_tokens > 0.9 * answer.timing.prompt_tokens


def test_quantised_caches_are_kept_and_never_mixed_with_others(
    shared_model: Loaded, reopen: Reopen, library: Library, tiny_model: Path
) -> None:
    store = reopen()
    full = logits(shared_model, ask())
    store.flush()
    request = msgspec.structs.replace(request_for(tiny_model), kv_type="q8_0")
    small = load(library, request, lambda _: True)
    try:
        store = reopen(model=small)
        first = run(small, ask())
        assert first.timing.restored_tokens == 0
        cold = logits(small, ask())
        assert not np.array_equal(cold, full)
        store.flush()
        reopen(model=small)
        assert run(small, ask()).timing.restored_tokens > 0
        assert np.array_equal(logits(small, ask()), cold)
        reopen()
        assert np.array_equal(logits(shared_model, ask()), full)
    finally:
        small.close()


def test_another_models_or_builds_or_settings_blocks_are_not_taken(
    shared_model: Loaded, reopen: Reopen, library: Library, tiny_model: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    store = reopen()
    cold = logits(shared_model, ask())
    store.flush()
    monkeypatch.setenv("LLAMA_ATTN_ROT_DISABLE", "1")
    reopen()
    assert run(shared_model, ask()).timing.restored_tokens == 0
    monkeypatch.delenv("LLAMA_ATTN_ROT_DISABLE")
    monkeypatch.setitem(library.versions, "llama.cpp", "another build")
    reopen()
    assert run(shared_model, ask()).timing.restored_tokens == 0
    monkeypatch.undo()
    twin = tmp_path / "twin.gguf"
    shutil.copyfile(tiny_model, twin)
    with twin.open("r+b") as file:  # one byte of the weights, where no sample looks
        file.seek(50_000_001)
        byte = file.read(1)
        file.seek(50_000_001)
        file.write(bytes([byte[0] ^ 1]))
    assert summarize(twin).identity == summarize(tiny_model).identity
    other = load(library, request_for(twin), lambda _: True)
    try:
        reopen(model=other)
        assert run(other, ask()).timing.restored_tokens == 0
        reopen()
        assert run(shared_model, ask()).timing.restored_tokens > 0
        assert np.array_equal(logits(shared_model, ask()), cold)
    finally:
        other.close()


def test_two_cases_over_one_text_store_it_once(shared_model: Loaded, reopen: Reopen, tmp_path: Path) -> None:
    law, one, two = DOCUMENT, "Case one: Zhang sues Li. " * 6, "Case two: Wang sues Zhao. " * 6
    store = reopen()
    sizes = []
    for owner, document in (("case:1", one), ("case:2", two)):
        run(shared_model, ask(QUESTIONS[0], law, document, owner=owner))
        store.flush()
        sizes.append(sum(path.stat().st_size for path in files(tmp_path)))
    reopen("alone")
    run(shared_model, ask(QUESTIONS[0], law, two, owner="case:2"))
    reopen("other")
    alone = sum(path.stat().st_size for path in files(tmp_path, "alone"))
    shared = shared_model.prompt(ask(QUESTIONS[0], law, one).prompt)
    law_share = next(span.end for span in shared.spans if span.segment.text == law) / len(shared.tokens)
    unique = sizes[0] + alone - alone * law_share
    assert sizes[1] == pytest.approx(unique, rel=0.05)


@pytest.mark.parametrize("flips", [3, pytest.param(200, marks=[pytest.mark.long, pytest.mark.timeout(3_600)])])
def test_an_answer_is_right_whatever_bit_of_the_store_is_flipped(
    shared_model: Loaded, reopen: Reopen, tmp_path: Path, flips: int
) -> None:
    model, request = shared_model, ask(tokens=2)
    store = reopen()
    right = run(model, request)
    store.flush()
    random = np.random.default_rng(1)
    paths = files(tmp_path)
    assert len(paths) >= 2
    for number in range(flips):
        path = paths[int(random.integers(len(paths)))]
        whole = path.read_bytes()
        edges = [0, HEADER_BYTES, HEADER_BYTES + 1_024, HEADER_BYTES + 4_500, len(whole)]
        region = number % (len(edges) - 1)
        at = int(random.integers(edges[region], min(edges[region + 1], len(whole))))
        with path.open("r+b") as file:
            file.seek(at)
            file.write(bytes([whole[at] ^ 1 << int(random.integers(8))]))
        reopen()
        answer = run(model, request)
        assert answer.text == right.text
        assert answer.timing.restored_tokens < answer.timing.prompt_tokens
        reopen()  # the damaged block was computed and written again, the others were good all the time
        assert run(model, request).timing.restored_tokens > 0.9 * right.timing.prompt_tokens


def test_reading_ahead_serves_the_question_and_a_second_time_reads_nothing(
    shared_model: Loaded, reopen: Reopen
) -> None:
    model = shared_model
    store = reopen()
    passages = Segment(SegmentKind.PASSAGES, "Passage: nothing of use. " * 8)
    documents = Segment(SegmentKind.DOCUMENTS, DOCUMENT, source="document:7")
    def question(text: str) -> Prompt:
        return Prompt((ChatMessage(Role.USER, (documents, passages, Segment(SegmentKind.QUESTION, text))),))

    done = remember(model, RememberRequest(question(""), "case:1"))
    assert done.complete and done.prefilled_tokens == done.stored_tokens == done.prompt_tokens > 200
    known = model.known(question("Who?"))
    assert known.segments[0].known_tokens > known.segments[0].tokens - 32 and known.segments[1].known_tokens == 0
    store.flush()
    assert {share.owner for share in store.status().owners} == {"case:1", "document:7"}
    store = reopen()
    answer = run(model, GenerateRequest(question("Who?"), max_tokens=1, owner="case:1"))
    assert answer.timing.restored_tokens == done.prompt_tokens
    again = remember(model, RememberRequest(question("Else"), "case:2"))
    assert again.complete and again.prefilled_tokens == again.stored_tokens == 0
    assert "case:2" in {share.owner for share in store.status().owners}
    store.forget(["document:7"])
    model.prefixes.forget()
    assert model.known(question("Who?")).known_tokens == 0


def test_a_conversation_goes_on_from_disk(shared_model: Loaded, reopen: Reopen) -> None:
    model = shared_model
    store = reopen()
    question = "What may the lender ask for after how many days, and unless which clause says otherwise? " * 2
    first = run(model, ask(question, tokens=48))
    assert isinstance(first, Generated)
    history = ChatMessage(Role.ASSISTANT, (Segment(SegmentKind.HISTORY, first.text),))
    more = ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, "And then?"),))
    follow_up = GenerateRequest(Prompt((*ask(question).prompt.messages, history, more)), max_tokens=8, owner="case:1")
    store.flush()
    reopen()
    warm = run(model, follow_up)
    question_end = next(
        span.end for span in model.prompt(follow_up.prompt).spans if span.segment.kind is SegmentKind.QUESTION
    )
    assert warm.timing.restored_tokens == question_end  # the first turn's question too
    reopen("cold")
    assert run(model, follow_up).text == warm.text


def test_what_an_answer_said_itself_is_not_stored(shared_model: Loaded, reopen: Reopen) -> None:
    store = reopen()
    answer = run(shared_model, ask(tokens=40))
    store.flush()
    kept = sum(share.tokens for share in store.status().owners if share.owner == "case:1")
    assert 0 < kept <= answer.timing.prompt_tokens
