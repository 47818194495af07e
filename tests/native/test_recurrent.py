"""A model whose state can't be cut. The model is a small Mamba with random weights."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import gguf
import numpy as np
import pytest

from engine.native.library import Library
from engine.runtime.generate import GenerateJob
from engine.runtime.job import Stopped
from engine.runtime.loaded import Loaded, load
from engine.types.generation import GenerateRequest, GenerationEvent, PrefillProgress, ScoreRequest
from engine.types.model import LoadRequest
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from tests.native.conftest import prompt, run, score

WIDTH, INNER, STATE, RANK, KERNEL, LAYERS = 32, 64, 8, 4, 4, 2
DOCUMENT = "Zhang lends Li 500,000 yuan. " * 30


def byte_letters() -> list[str]:
    """GPT-2's letters for the 256 bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def write_mamba(path: Path) -> None:
    random = np.random.default_rng(7)

    def weights(*shape: int) -> np.ndarray:
        return random.normal(0, 0.3, shape).astype(np.float32)

    writer = gguf.GGUFWriter(path, "mamba")
    writer.add_context_length(2_048)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(0)
    writer.add_head_count(0)
    writer.add_ssm_conv_kernel(KERNEL)
    writer.add_ssm_inner_size(INNER)
    writer.add_ssm_state_size(STATE)
    writer.add_ssm_time_step_rank(RANK)
    writer.add_layer_norm_rms_eps(1e-5)
    tokens = [*byte_letters(), "ab", "<|im_start|>", "<|im_end|>"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 257 + [3, 3])
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(258)
    writer.add_bos_token_id(257)
    writer.add_add_bos_token(False)
    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
    for i in range(LAYERS):
        writer.add_tensor(f"blk.{i}.attn_norm.weight", np.ones(WIDTH, np.float32))
        writer.add_tensor(f"blk.{i}.ssm_in.weight", weights(2 * INNER, WIDTH))
        writer.add_tensor(f"blk.{i}.ssm_conv1d.weight", weights(INNER, KERNEL))
        writer.add_tensor(f"blk.{i}.ssm_conv1d.bias", weights(INNER))
        writer.add_tensor(f"blk.{i}.ssm_x.weight", weights(RANK + 2 * STATE, INNER))
        writer.add_tensor(f"blk.{i}.ssm_dt.weight", weights(INNER, RANK))
        writer.add_tensor(f"blk.{i}.ssm_dt.bias", weights(INNER))
        writer.add_tensor(f"blk.{i}.ssm_a", -np.abs(weights(INNER, STATE)))
        writer.add_tensor(f"blk.{i}.ssm_d", weights(INNER))
        writer.add_tensor(f"blk.{i}.ssm_out.weight", weights(WIDTH, INNER))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="module")
def mamba_model(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    path = tmp_path_factory.mktemp("mamba") / "mamba.gguf"
    write_mamba(path)
    loaded = load(library, LoadRequest(str(path)), lambda _: True)
    yield loaded
    loaded.close()


@pytest.fixture
def mamba(mamba_model: Loaded) -> Loaded:
    mamba_model.prefixes.clear()
    return mamba_model


def ask(question: str, max_tokens: int = 12) -> GenerateRequest:
    return GenerateRequest(prompt(question, DOCUMENT), max_tokens=max_tokens)


def test_it_is_known_that_it_cannot_be_cut(mamba: Loaded) -> None:
    assert not mamba.divisible


def test_answers_do_not_depend_on_what_was_asked_before(mamba: Loaded) -> None:
    questions = ["Who?", "How much?", "Who?", "When was it?"]
    cold = []
    for question in questions:
        mamba.prefixes.clear()
        cold.append(run(mamba, ask(question)).text)
    assert len(set(cold)) > 1
    mamba.prefixes.clear()
    answers = [run(mamba, ask(question)) for question in questions]
    assert [answer.text for answer in answers] == cold
    assert answers[0].timing.restored_tokens == 0
    for answer in answers[1:]:  # from the state that was set aside before the first question
        assert answer.timing.restored_tokens > answer.timing.prompt_tokens * 0.8


def test_what_continues_exactly_is_restored(mamba: Loaded) -> None:
    """A turn that was not answered (no tokens said), then the same with more behind it."""
    begin = ChatMessage(Role.USER, (Segment(SegmentKind.DOCUMENTS, DOCUMENT), Segment(SegmentKind.QUESTION, "Who?")))
    first = run(mamba, GenerateRequest(Prompt((begin,)), max_tokens=1))
    goes_on = GenerateRequest(Prompt((begin,), answer_start="Zhang"), max_tokens=4)
    warm = run(mamba, goes_on)
    assert warm.timing.restored_tokens == first.timing.prompt_tokens
    mamba.prefixes.clear()
    assert run(mamba, goes_on).text == warm.text


def test_scores_are_the_same_each_time(mamba: Loaded) -> None:
    request = ScoreRequest(prompt("Who?", DOCUMENT), ("Zhang", "Li lends", "x"))
    first = score(mamba, request).logprobs
    mamba.prefixes.clear()
    assert score(mamba, request).logprobs == pytest.approx(first, abs=1e-4)


def test_an_interrupted_piece_leaves_no_half_state(mamba: Loaded) -> None:
    whole = run(mamba, ask("Who?")).text

    def cancel(job: GenerateJob, event: GenerationEvent) -> None:
        if isinstance(event, PrefillProgress) and event.done_tokens > 0:
            job.cancelled = True
            mamba.context.interrupt.set()

    mamba.prefixes.clear()
    with pytest.raises(Stopped):
        run(mamba, ask("Who?"), cancel)
    mamba.context.interrupt.clear()
    assert run(mamba, ask("Who?")).text == whole
