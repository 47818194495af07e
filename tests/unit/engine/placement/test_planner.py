"""The first placement: all on the GPU if it fits, else on the CPU."""

from __future__ import annotations

import msgspec
import pytest

from engine.errors import OutOfMemory, RequestInvalid
from engine.models.gguf import ModelSummary
from engine.placement.planner import plan
from engine.types.machine import Inventory
from engine.types.model import Device, DeviceKind, LoadRequest

GIB = 1 << 30
MODEL = ModelSummary("m", "qwen2", "id", ("m.gguf",), GIB, GIB, 28, 32_768, 28_672)
WISH = LoadRequest("m.gguf")


def machine(*, gpu_gib: float = 0, ram_gib: float = 16, kind: DeviceKind = DeviceKind.GPU, cores: int = 6) -> Inventory:
    gpu = Device("GPU0", "a GPU", kind, int(gpu_gib * GIB), int(gpu_gib * GIB))
    return Inventory((gpu,) if gpu_gib else (), cores, 2 * int(ram_gib * GIB), int(ram_gib * GIB))


def test_without_gpu_it_runs_on_the_cpu_with_a_thread_for_each_core() -> None:
    made = plan(MODEL, machine(), WISH)
    assert (made.gpu_layers, made.threads, made.context_tokens) == (0, 6, 16_384)
    assert "No GPU was found." in made.reasons


def test_with_room_everything_goes_to_the_gpu() -> None:
    made = plan(MODEL, machine(gpu_gib=8), WISH)
    assert made.gpu_layers == 29
    assert any("fit into the 7.0 GiB free on GPU0" in reason for reason in made.reasons)


def test_a_gpu_too_small_is_not_used_at_all() -> None:
    made = plan(MODEL, machine(gpu_gib=2), WISH)
    assert made.gpu_layers == 0
    assert any("doesn't fit into the GPU" in reason for reason in made.reasons)


def test_a_shorter_context_is_tried_before_the_gpu_is_given_up() -> None:
    made = plan(MODEL, machine(gpu_gib=2.8), WISH)
    assert made.gpu_layers == 29 and made.context_tokens == 8_192
    assert any("not 16384" in reason for reason in made.reasons)


def test_a_context_the_user_set_is_kept_or_refused() -> None:
    fixed = LoadRequest("m.gguf", context_tokens=16_384)
    assert plan(MODEL, machine(gpu_gib=2.8), fixed).gpu_layers == 0
    with pytest.raises(OutOfMemory, match="choose a smaller context"):
        plan(MODEL, machine(ram_gib=1.5), LoadRequest("m.gguf", context_tokens=32_768))


def test_an_integrated_gpu_is_no_place_for_a_model_yet() -> None:
    assert plan(MODEL, machine(gpu_gib=8, kind=DeviceKind.INTEGRATED), WISH).gpu_layers == 0


def test_the_context_never_exceeds_what_the_model_was_trained_for() -> None:
    short = msgspec.structs.replace(MODEL, train_context_tokens=8_192)
    assert plan(short, machine(), WISH).context_tokens == 8_192
    assert plan(short, machine(), LoadRequest("m.gguf", context_tokens=100_000)).context_tokens == 8_192


def test_little_memory_means_a_shorter_context() -> None:
    made = plan(MODEL, machine(ram_gib=2.5), WISH)
    assert made.context_tokens == 8_192


def test_weights_larger_than_memory_still_load_with_a_warning() -> None:
    huge = msgspec.structs.replace(MODEL, tensor_bytes=400 * GIB)
    made = plan(huge, machine(ram_gib=16), WISH)
    assert any("read from the disk again and again" in reason for reason in made.reasons)


def test_a_smaller_kv_type_leaves_room_for_more_context() -> None:
    made = plan(MODEL, machine(ram_gib=2.5), LoadRequest("m.gguf", kv_type="q8_0"))
    assert made.context_tokens == 16_384 and made.kv_type == "q8_0"


def test_threads_wished_for_are_taken() -> None:
    assert plan(MODEL, machine(), LoadRequest("m.gguf", threads=3)).threads == 3


def test_an_unknown_kv_type_is_refused() -> None:
    with pytest.raises(RequestInvalid, match="f16"):
        plan(MODEL, machine(), LoadRequest("m.gguf", kv_type="f17"))
