"""Plans keep both limits, never get slower by more memory, and say why; the tensor tables are made up here."""

from __future__ import annotations

import functools

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.errors import OutOfMemory, RequestInvalid
from engine.models.gguf_parts import ModelHeader
from engine.models.gguf_reader import TensorEntry
from engine.models.layout import Layout, layout_of
from engine.placement.compute import was_run_dry
from engine.placement.planner import place, plan_load, some_layers
from engine.types.machine import Inventory, Speeds
from engine.types.model import Device, DeviceKind, HostBuffer, LoadRequest
from engine.types.plan import (
    ComputeBuffers,
    ComputeShape,
    Correction,
    PartKind,
    PlacementPlan,
    PlanFacts,
    PlanWishes,
)

GIB = 1 << 30
MIB = 1 << 20


def entry(name: str, *shape: int, bits: float = 4.5) -> TensorEntry:
    values = 1
    for length in shape:
        values *= length
    return TensorEntry(name, shape, values, 0, int(values * bits / 8))


@functools.cache
def mixture(layers: int = 48, experts: int = 128, used: int = 8, width: int = 2_048, inner: int = 768) -> Layout:
    """A mixture of experts with grouped attention; about 30B parameters as given."""
    tensors = [entry("token_embd.weight", width, 150_000), entry("output.weight", width, 150_000, bits=6.6)]
    for i in range(layers):
        b = f"blk.{i}."
        tensors += [
            entry(b + "attn_norm.weight", width, bits=32), entry(b + "attn_q.weight", width, 2 * width),
            entry(b + "attn_k.weight", width, 512), entry(b + "attn_v.weight", width, 512, bits=6.6),
            entry(b + "attn_output.weight", 2 * width, width),
            entry(b + "ffn_gate_inp.weight", width, experts, bits=32),
            entry(b + "ffn_gate_exps.weight", width, inner, experts),
            entry(b + "ffn_up_exps.weight", width, inner, experts),
            entry(b + "ffn_down_exps.weight", inner, width, experts, bits=6.6),
        ]  # fmt: skip
    return layout_of(_header("mixture", tensors, layers, width, {
        "expert_count": experts, "expert_used_count": used, "expert_feed_forward_length": inner,
    }))  # fmt: skip


@functools.cache
def dense(layers: int = 28, width: int = 1_536, inner: int = 8_960) -> Layout:
    """A dense model of 1.5B parameters whose output shares the embedding."""
    tensors = [entry("token_embd.weight", width, 150_000)]
    for i in range(layers):
        b = f"blk.{i}."
        tensors += [entry(b + f"attn_{x}.weight", width, n) for x, n in (("q", width), ("k", 256), ("v", 256))]
        tensors += [entry(b + "ffn_up.weight", width, inner), entry(b + "ffn_down.weight", inner, width)]
    return layout_of(_header("dense", tensors, layers, width, {}))


def _header(name: str, tensors: list[TensorEntry], layers: int, width: int, more: dict[str, int]) -> ModelHeader:
    numbers = {
        "block_count": layers, "embedding_length": width, "context_length": 32_768, "attention.head_count": 32, **more
    }  # fmt: skip
    metadata = {"general.architecture": "x", **{f"x.{key}": value for key, value in numbers.items()}}
    return ModelHeader(name, metadata, tuple(tensors), ("x.gguf",), sum(t.size for t in tensors), name)


def machine(*, gpu_gib: float = 0, ram_gib: float = 16, kind: DeviceKind = DeviceKind.GPU, cores: int = 6) -> Inventory:
    gpu = Device("GPU0", "a GPU", kind, int(gpu_gib * GIB), int(gpu_gib * GIB))
    return Inventory((gpu,) if gpu_gib else (), cores, 2 * int(ram_gib * GIB), int(ram_gib * GIB))


def bytes_of(made: PlacementPlan, kind: PartKind, device: str) -> int:
    return sum(part.bytes for part in made.placement if part.tensors is kind and part.device == device)


def said(made: PlacementPlan) -> str:
    return " ".join(made.explanation)


def test_without_gpu_it_runs_on_the_cpu_with_a_thread_for_each_core() -> None:
    made = plan_load(dense(), machine(), LoadRequest("m.gguf")).load
    assert made is not None
    assert (made.gpu_layers, made.threads, made.context_tokens) == (0, 6, 16_384)
    assert (made.batch_tokens, made.ubatch_tokens, made.device, made.cpu_tensors) == (512, 512, "", ())
    assert "No GPU was found." in made.reasons


def test_with_room_everything_goes_to_the_gpu() -> None:
    made = place(dense(), machine(gpu_gib=8))
    assert made.load is not None and made.load.gpu_layers == 29 and made.load.cpu_tensors == ()
    assert "All 28 layers and the context fit into the 7.5 GiB of GPU0." in made.explanation
    assert made.predicted.vram_bytes <= 7.5 * GIB


def test_a_dense_model_too_large_puts_its_last_layers_on_the_gpu() -> None:
    made = place(dense(), machine(gpu_gib=1.5))
    assert made.load is not None and 1 < made.load.gpu_layers < 29
    first_on_gpu = 28 - (made.load.gpu_layers - 1)
    attention = {part.device: part.layers for part in made.placement if part.tensors is PartKind.ATTENTION}
    assert attention == {"GPU0": f"{first_on_gpu}-27", "CPU": f"0-{first_on_gpu - 1}"}
    assert made.predicted.vram_bytes <= GIB


def test_attention_and_cache_come_before_experts() -> None:
    made = place(mixture(), machine(gpu_gib=8, ram_gib=64))
    assert bytes_of(made, PartKind.ATTENTION, "CPU") == 0 and bytes_of(made, PartKind.KV_CACHE, "CPU") == 0
    assert 0 < bytes_of(made, PartKind.ROUTED_EXPERTS, "GPU0") < bytes_of(made, PartKind.ROUTED_EXPERTS, "CPU")
    assert made.load is not None and made.load.gpu_layers == 49
    assert made.load.host_buffer is HostBuffer.PINNED and made.load.ubatch_tokens == 2_048


def test_every_byte_of_the_tensor_table_is_somewhere() -> None:
    layout = mixture()
    total = sum(tensor.size for tensor in layout.tensors)
    weights = [PartKind.KV_CACHE, PartKind.COMPUTE]
    for vram in (0, 4, 8, 12, 16, 40):
        for ram in (8, 16, 64):
            made = place(layout, machine(), PlanWishes(vram_bytes=vram * GIB, ram_bytes=ram * GIB))
            assert sum(part.bytes for part in made.placement if part.tensors not in weights) == total, (vram, ram)


def test_what_ram_cannot_hold_is_read_from_the_disk_and_the_plan_says_so() -> None:
    made = place(mixture(), machine(ram_gib=64), PlanWishes(vram_bytes=4 * GIB, ram_bytes=8 * GIB))
    assert made.predicted.ram_bytes <= 8 * GIB and made.predicted.disk_bytes > 0
    assert made.load is not None and made.load.host_buffer is HostBuffer.MAPPED
    assert "read from the disk at 2.0 GB/s" in said(made) and "more RAM it would answer" in said(made)


def test_one_byte_of_ram_short_is_no_fit() -> None:
    with pytest.raises(OutOfMemory, match="choose a smaller context"):
        plan_load(dense(), machine(ram_gib=1.5), LoadRequest("m.gguf", context_tokens=32_768))


def test_what_does_not_fit_says_what_would() -> None:
    made = place(dense(), machine(), PlanWishes(ram_bytes=GIB, context_tokens=32_768))
    assert not made.fits and made.load is None and made.placement == ()
    assert "A context of 16384 tokens would fit." in said(made) or "A context of 8192 tokens would fit." in said(made)
    assert "more RAM" in said(made)
    assert place(dense(), machine(), PlanWishes(ram_bytes=GIB, context_tokens=8_192)).fits


def test_an_integrated_gpu_is_no_place_for_a_model() -> None:
    made = place(dense(), machine(gpu_gib=8, kind=DeviceKind.INTEGRATED))
    assert made.load is not None and made.load.gpu_layers == 0


def test_the_roomiest_gpu_is_taken() -> None:
    small, large = (Device(f"GPU{i}", "", DeviceKind.GPU, n * GIB, n * GIB) for i, n in enumerate((4, 12)))
    made = place(dense(), Inventory((small, large), 4, 32 * GIB, 16 * GIB))
    assert made.load is not None and made.load.device == "GPU1"


def test_the_context_never_exceeds_what_the_model_was_trained_for() -> None:
    made = place(dense(), machine(), PlanWishes(context_tokens=100_000))
    assert made.context == 32_768


def test_little_memory_means_a_shorter_context() -> None:
    made = place(dense(), machine(ram_gib=2.2))
    assert made.context == 8_192 and "not 16384" in said(made)


def test_a_smaller_kv_type_leaves_room_for_more_context() -> None:
    made = place(dense(), machine(ram_gib=2.2), PlanWishes(kv_type="q8_0"))
    assert made.context == 16_384


def test_threads_wished_for_are_taken() -> None:
    made = place(dense(), machine(), PlanWishes(threads=3))
    assert made.load is not None and made.load.threads == 3


@pytest.mark.parametrize("wishes", [PlanWishes(kv_type="f17"), PlanWishes(ram_bytes=-1), PlanWishes(context_tokens=0)])
def test_what_makes_no_sense_is_refused(wishes: PlanWishes) -> None:
    with pytest.raises(RequestInvalid):
        place(dense(), machine(), wishes)


def test_a_run_that_was_measured_corrects_the_next_prediction() -> None:
    wishes = PlanWishes(vram_bytes=8 * GIB, ram_bytes=64 * GIB)
    before = place(mixture(), machine(), wishes)
    learned = PlanFacts(correction=Correction(decode=0.5, prefill=2.0, gpu_bytes=300 * MIB, runs=1))
    after = place(mixture(), machine(), wishes, learned)
    assert after.predicted.prefill_tokens_per_s > 1.9 * before.predicted.prefill_tokens_per_s
    assert 0.45 < after.predicted.decode_tokens_per_s / before.predicted.decode_tokens_per_s < 0.51
    assert after.predicted.vram_bytes <= 8 * GIB and after.gpu_weight_bytes < before.gpu_weight_bytes
    assert "what this model reached on this computer" in said(after)


def run_dry(shape: ComputeShape, gpu_mib: int, cpu_mib: int, *, fetched: bool = True) -> ComputeBuffers:
    return ComputeBuffers(shape, 16_384, 2_048, "f16", gpu_mib * MIB, cpu_mib * MIB, fetched=fetched)


@pytest.mark.parametrize(("link", "gpu_mib", "cpu_mib"), [(100e9, 333, 219), (0.1e9, 273, 363)])
def test_buffers_are_those_of_where_the_weights_in_ram_will_lie(link: float, gpu_mib: int, cpu_mib: int) -> None:
    """As llama.cpp's dry runs of a 30B say: a GPU that fetches the weights has room for them, else the CPU computes."""
    facts = PlanFacts((
        run_dry(ComputeShape.WITHOUT_EXPERTS, 333, 219), run_dry(ComputeShape.WITHOUT_EXPERTS, 168, 363, fetched=False),
        run_dry(ComputeShape.EVERYTHING, 273, 219),
    ))  # fmt: skip
    seen = msgspec.structs.replace(machine(gpu_gib=16), speeds=Speeds(link=link))
    made = place(mixture(), seen, PlanWishes(vram_bytes=8 * GIB, ram_bytes=64 * GIB, context_tokens=16_384), facts)
    assert made.load is not None
    assert made.load.host_buffer is (HostBuffer.PINNED if link > 1e9 else HostBuffer.REPACKED)
    assert bytes_of(made, PartKind.ROUTED_EXPERTS, "GPU0") > 0
    assert bytes_of(made, PartKind.COMPUTE, "GPU0") == gpu_mib * MIB
    assert bytes_of(made, PartKind.COMPUTE, "CPU") == cpu_mib * MIB
    assert made.predicted.vram_bytes <= 8 * GIB


def test_buffers_of_some_layers_are_those_of_just_so_many_and_take_no_more_layers_in() -> None:
    """Else a plan would change with what was measured for it, and more memory could give a slower one."""
    wishes = PlanWishes(vram_bytes=1_100 * MIB, ram_bytes=64 * GIB, context_tokens=16_384, ubatch_tokens=512)

    def some(gpu_mib: int, gpu_layers: int) -> tuple[ComputeBuffers, ...]:
        return tuple(
            ComputeBuffers(ComputeShape.SOME_LAYERS, 16_384, 512, "f16", gpu_mib * MIB, 219 * MIB,
                           fetched=fetched, gpu_layers=gpu_layers) for fetched in (True, False)
        )  # fmt: skip

    before = place(mixture(), machine(), wishes, PlanFacts(some(300, 0)))
    assert before.load is not None
    count = some_layers(mixture(), before)
    assert 1 < count < mixture().layers and not was_run_dry(PlanFacts(some(300, 0)), 16_384, "f16", count)
    facts = PlanFacts((*some(300, 0), *some(200, count)))
    after = place(mixture(), machine(), wishes, facts)
    assert after.load is not None and was_run_dry(facts, 16_384, "f16", some_layers(mixture(), after))
    assert bytes_of(before, PartKind.COMPUTE, "GPU0") == 300 * MIB
    assert bytes_of(after, PartKind.COMPUTE, "GPU0") == 200 * MIB
    assert after.gpu_weight_bytes == before.gpu_weight_bytes
    more = place(mixture(), machine(), wishes, PlanFacts((*some(300, 0), *some(400, count))))
    assert more.predicted.vram_bytes <= 1_100 * MIB


LAYOUTS = {
    "30B": mixture(), "dense": dense(), "few experts": mixture(layers=12, experts=8, used=2, width=1_024, inner=3_584),
    "235B": mixture(layers=94, width=4_096, inner=1_536),
}  # fmt: skip


@given(
    st.sampled_from(sorted(LAYOUTS)), st.integers(0, 96 * 1_024), st.integers(1, 8 * 1_024),
    st.integers(512, 512 * 1_024), st.sampled_from([None, 4_096, 32_768]), st.sampled_from([None, 512]),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
@example("235B", 8_207, 229, 14_080, None, None)  # longer steps took RAM from experts
@example("30B", 1_900, 600, 65_536, 4_096, None)  # longer steps took VRAM from experts
def test_more_vram_never_makes_a_slower_plan_and_no_limit_is_broken(
    model: str, vram_mib: int, more_mib: int, ram_mib: int, context: int | None, ubatch: int | None
) -> None:
    plans = [
        place(LAYOUTS[model], machine(), PlanWishes(
            vram_bytes=vram * MIB, ram_bytes=ram_mib * MIB, context_tokens=context, ubatch_tokens=ubatch))
        for vram in (vram_mib, vram_mib + more_mib)
    ]  # fmt: skip
    for vram, made in zip((vram_mib, vram_mib + more_mib), plans, strict=True):
        assert made.predicted.vram_bytes <= vram * MIB
        assert made.predicted.ram_bytes <= ram_mib * MIB
    less, more = plans
    assert more.fits or not less.fits
    assert more.predicted.decode_tokens_per_s >= less.predicted.decode_tokens_per_s * (1 - 1e-9)
    assert more.predicted.prefill_tokens_per_s >= less.predicted.prefill_tokens_per_s * (1 - 1e-9)
    assert more.context >= less.context or not less.fits
