"""What stands between us and llama.cpp."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from pathlib import Path

import llama_cpp.llama_cpp as api
import pytest

from engine.errors import EngineError, ModelError
from engine.native.devices import devices, inspection
from engine.native.interrupt import Interrupt
from engine.native.library import Library, set_fields
from engine.native.model import LoadCancelled, Model, load_failure
from engine.runtime.loaded import Loaded
from engine.types.model import DeviceKind, LoadPlan

ROOT = Path(__file__).resolve().parents[2]
CPU_PLAN = LoadPlan(0, 512, 1, 512, 512, "f16", ())


def test_an_unknown_field_of_a_struct_fails_and_names_the_nearest() -> None:
    params = api.llama_model_default_params()
    with pytest.raises(AttributeError, match="no field n_gpu_layer; did you mean n_gpu_layers"):
        set_fields(params, n_gpu_layer=1)
    with pytest.raises(AttributeError, match="use_mmap"):
        set_fields(params, use_mmap=True)
    params.use_mmap = True  # what ctypes itself lets pass
    set_fields(params, n_gpu_layers=7)
    assert params.n_gpu_layers == 7


def test_the_cpu_is_listed_with_its_features(library: Library) -> None:
    assert any(device.kind is DeviceKind.CPU for device in devices(library))
    seen = inspection(library)
    assert seen.cpu_features and seen.cpu_backend
    assert set(seen.versions) >= {"llama-cpp-python", "llama.cpp", "ggml", "python"}


def test_backends_go_into_the_registry_that_models_are_loaded_with() -> None:
    """Under the other name of the same file they would fill a second registry, and no model would load."""
    program = (
        "import sys\nfrom engine.native.library import open_library\n"
        "library = open_library()\nmaps = open('/proc/self/maps').read().splitlines()\n"
        "mapped = {line.split()[-1] for line in maps if 'libggml.so' in line}\n"
        "assert len(mapped) == 1, mapped\nassert library.ggml.ggml_backend_dev_count() > 0"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True)


def test_the_interrupt_is_a_plain_c_function_of_two_bytes() -> None:
    interrupt = Interrupt()
    call = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(ctypes.cast(interrupt.callback, ctypes.c_void_p).value or 0)
    assert not call(interrupt.address)
    interrupt.set()
    assert call(interrupt.address) and interrupt.is_set
    interrupt.clear()
    assert not call(interrupt.address) and not interrupt.is_set


def test_a_load_can_be_given_up_and_its_callback_lives_as_long(library: Library, tiny_model: Path) -> None:
    seen: list[float] = []

    def give_up(fraction: float) -> bool:
        gc.collect()
        seen.append(fraction)
        return fraction < 0.3

    with pytest.raises(LoadCancelled):
        Model(library, str(tiny_model), CPU_PLAN, on_progress=give_up)
    assert 0.3 <= seen[-1] < 0.9


def test_a_file_llama_cpp_refuses_is_a_model_error(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelError):
        Model(library, str(path), CPU_PLAN, on_progress=lambda _: True)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 1", "OutOfMemory"),
        ("ErrorOutOfDeviceMemory", "OutOfMemory"),
        ("error loading model: unknown model architecture: 'zork'", "ModelError"),
        ("something else", "ModelError"),
    ],
)
def test_complaints_of_a_load_are_sorted(line: str, kind: str) -> None:
    error = load_failure([line])
    assert isinstance(error, EngineError) and type(error).__name__ == kind


def test_more_outputs_than_the_context_was_made_for_never_reach_llama_cpp(model: Loaded) -> None:
    """It would abort the process there."""
    context = model.context
    context.batch.clear()
    context.batch.add(0, 0, [1] * 40, range(40))
    with pytest.raises(ValueError, match="outputs"):
        context.decode()
    context.batch.clear()
    with pytest.raises(ValueError, match="capacity"):
        context.batch.add(0, 0, [1] * (context.batch.capacity + 1))


def test_pieces_of_tokens_join_to_the_text(model: Loaded) -> None:
    text = "借款合同 of 2021-03-05: €500,000 → 五十万元整 🙂"
    tokens = model.vocab.tokenize(text, parse_special=False)
    assert b"".join(map(model.vocab.piece, tokens)).decode() == text


def test_special_tokens_are_parsed_only_when_asked(model: Loaded) -> None:
    assert len(model.vocab.tokenize("<|im_start|>", parse_special=True)) == 1
    assert len(model.vocab.tokenize("<|im_start|>", parse_special=False)) > 1
