"""Plans against llama.cpp itself: what its dry run says, what a load takes, what a load teaches."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from engine.client.plan import PlanTasks
from engine.errors import EngineError, ModelError, OutOfMemory
from engine.hardware.facts import FactsStore
from engine.models.gguf import summarize
from engine.models.gguf_parts import read_model_header
from engine.models.layout import Layout, cells, layout_of
from engine.native.devices import device_list
from engine.native.dry_run import dry_runs
from engine.native.library import Library
from engine.native.load_params import ModelParams
from engine.native.model import Model
from engine.placement.units import SEQUENCES, sequences
from engine.runtime import placing
from engine.runtime.loaded import Loaded, load
from engine.types.model import Device, DeviceKind, HostBuffer, LoadPlan, LoadRequest
from engine.types.plan import PartKind, PlanWishes
from tests.native import small_models

ROOT = Path(__file__).resolve().parents[2]
MIB, GIB = 1 << 20, 1 << 30
CONTEXT = 2_048
TOOL = Path(os.environ.get("AIPC_TEST_DATA") or ROOT.parent / "shared") / "tools" / "make_header_gguf.py"


def cpu_plan(context: int, ubatch: int = 512, **more: object) -> LoadPlan:
    plan = LoadPlan(0, context, 1, 512, ubatch, "f16", (), host_buffer=HostBuffer.MAPPED)
    return msgspec.structs.replace(plan, **more)


def header_file(folder: Path, preset: str) -> Path:
    """A header with the real tensor table of a large model; skips where the tool isn't."""
    if not TOOL.is_file():
        pytest.skip("make_header_gguf.py is not beside this checkout (AIPC_TEST_DATA names the folder with tools/)")
    path = folder / f"{preset}.gguf"
    subprocess.run([sys.executable, str(TOOL), preset, str(path)], check=True, capture_output=True)
    return path


def memory(layout: Layout, context: int) -> int:
    """Bytes of cache and states as the planner counts them."""
    layers = range(layout.used_layers)
    kv = sum(layout.kv_layer_bytes(layer, cells(context), "f16") for layer in layers)
    return kv + sum(layout.state_layer_bytes(layer, sequences(layout)) for layer in layers)


@pytest.mark.parametrize("preset", ["qwen3-30b-a3b", "qwen3-235b-a22b", "deepseek-v3-671b"])
def test_the_cache_of_a_large_model_is_what_llama_cpp_says(library: Library, tmp_path: Path, preset: str) -> None:
    path = header_file(tmp_path, preset)
    layout = layout_of(read_model_header(path))
    found = next(iter(dry_runs(library, str(path), [cpu_plan(CONTEXT)], sequences(layout))))
    assert abs(found.kv_bytes - memory(layout, CONTEXT)) <= max(0.02 * found.kv_bytes, MIB)
    assert found.compute_cpu_bytes > 10 * MIB


@pytest.mark.parametrize(
    "write", [small_models.write_sliding, small_models.write_hybrid, small_models.write_recurrent]
)
def test_caches_and_states_of_other_kinds_are_what_llama_cpp_says(
    library: Library, tmp_path: Path, write: Callable[[Path], None]
) -> None:
    path = tmp_path / "model.gguf"
    write(path)
    layout = layout_of(read_model_header(path))
    found = next(iter(dry_runs(library, str(path), [cpu_plan(CONTEXT)], sequences(layout))))
    assert found.kv_bytes > 0
    assert abs(found.kv_bytes - memory(layout, CONTEXT)) <= 0.02 * MIB  # the log rounds to hundredths of a MiB


def test_longer_steps_take_larger_buffers(library: Library, tiny_model: Path) -> None:
    plans = [cpu_plan(CONTEXT, ubatch, batch_tokens=1_024) for ubatch in (128, 1_024)]
    small, large = dry_runs(library, str(tiny_model), plans, SEQUENCES)
    assert 2 * small.compute_cpu_bytes < large.compute_cpu_bytes


def test_the_table_of_tensors_that_stay_reaches_llama_cpp(library: Library) -> None:
    plan = cpu_plan(CONTEXT, cpu_tensors=(r"^blk\.3\.ffn_up_exps\.", r"^blk\.4\."))
    params = ModelParams(library, plan)
    assert params.struct.tensor_buft_overrides
    assert not ModelParams(library, cpu_plan(CONTEXT)).struct.tensor_buft_overrides
    names = [override.pattern for override in params._overrides._table]
    assert names == [rb"^blk\.3\.ffn_up_exps\.", rb"^blk\.4\.", None]


def mappings(path: Path) -> dict[str, dict[str, str]]:
    """What /proc/self/smaps says of each mapping of that file, by address."""
    found: dict[str, dict[str, str]] = {}
    last: dict[str, str] = {}
    for line in Path("/proc/self/smaps").read_text(errors="replace").splitlines():
        name, _, value = line.partition(":" if line[0].isupper() else " ")
        if line[0].isupper():
            last[name] = value.strip()
        else:
            last = {}
            if value.endswith(str(path.resolve())):
                found[name] = last
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't read a mapping ahead in this way")
@pytest.mark.parametrize("mapped", [True, False])
def test_only_a_file_that_ram_has_room_for_is_read_ahead(library: Library, tiny_model: Path, mapped: bool) -> None:
    before = mappings(tiny_model)
    plan = cpu_plan(CONTEXT, host_buffer=HostBuffer.MAPPED if mapped else HostBuffer.REPACKED)
    seen: list[dict[str, str]] = []

    def look(_fraction: float) -> bool:
        if not seen:
            seen.extend(held for address, held in mappings(tiny_model).items() if address not in before)
        return True

    Model(library, str(tiny_model), plan, on_progress=look).close()
    resident, whole = (int(seen[0][name].split()[0]) for name in ("Rss", "Size"))
    assert resident < whole / 10 if mapped else resident == whole
    assert "rr" not in seen[0]["VmFlags"].split()  # page by page would suit no disk


def test_a_gpu_that_went_away_is_an_error_not_a_crash(library: Library) -> None:
    with pytest.raises(EngineError, match="isn't there any more"):
        device_list(library, "GPU that never was")


def test_a_load_reports_what_was_planned_and_teaches_the_next_plan(
    library: Library, tiny_model: Path, tmp_path: Path
) -> None:
    request = LoadRequest(str(tiny_model), context_tokens=CONTEXT, threads=1, facts=str(tmp_path / "measured"))
    first = _described(library, request)
    assert first.decode_tokens_per_s > 0
    assert abs(first.ram_bytes - first.planned_ram_bytes) <= 512 * MIB  # until its buffers were measured
    store = FactsStore(tmp_path / "measured", library.versions["llama-cpp-python"])
    learned = store.of_model(summarize(tiny_model).layout.digest, "").correction
    assert learned.runs == 1
    second = _described(library, request)
    assert second.decode_tokens_per_s == 0.0  # known already, not run again
    expected = first.predicted_decode_tokens_per_s * learned.decode
    assert second.predicted_decode_tokens_per_s == pytest.approx(expected, rel=0.01)


def _described(library: Library, request: LoadRequest) -> object:
    loaded: Loaded = load(library, request, lambda _: True)
    try:
        assert loaded.context.last_position(0) == -1
        return loaded.description
    finally:
        loaded.close()


def test_a_model_over_the_limit_of_ram_is_mapped_and_answers(
    library: Library, tiny_model: Path, tmp_path: Path
) -> None:
    request = LoadRequest(
        str(tiny_model), context_tokens=512, threads=1, ram_limit_bytes=552 * MIB, facts=str(tmp_path / "measured")
    )  # half of it
    loaded = load(library, request, lambda _: True)
    try:
        assert loaded.plan.host_buffer is HostBuffer.MAPPED
        assert any("read from the disk" in reason for reason in loaded.plan.reasons)
        told = loaded.description
        assert told.ram_bytes < sum(size for _, size in loaded.model.buffers)  # the mapping is the whole file
        assert told.ram_bytes <= told.planned_ram_bytes
        assert told.decode_tokens_per_s == 0.0  # its tokens would have asked the disk for most of the file
    finally:
        loaded.close()


class _Crowded:
    """Stands for a load on a GPU that holds less than it says; takes down what it was asked."""

    def __init__(self, failures: int) -> None:
        self.plans: list[LoadPlan] = []
        self._failures = failures

    def __call__(self, _library: Library, _path: str, plan: LoadPlan, **_: object) -> object:
        self.plans.append(plan)
        if len(self.plans) <= self._failures:
            raise OutOfMemory("no room")
        return SimpleNamespace(answers=True, close=lambda: None)


@pytest.mark.parametrize("failures", [1, 2])
def test_a_gpu_that_is_too_full_is_planned_for_once_more_and_then_reported(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    path = header_file(tmp_path, "qwen3-30b-a3b")
    gpu = Device("GPU0", "a GPU", DeviceKind.GPU, 12 * GIB, 12 * GIB)
    crowded = _Crowded(failures)
    monkeypatch.setattr(placing, "devices", lambda _library: (gpu,))
    monkeypatch.setattr(placing, "Model", crowded)
    monkeypatch.setattr(placing, "Context", lambda *_: None)
    opening = placing.Placing(library, summarize(path), LoadRequest(str(path), context_tokens=4_096))
    first = opening.placed.predicted.vram_bytes
    if failures == 1:
        opening.open(lambda _: True, lambda _: 1)
        assert opening.placed.gpu_weight_bytes < first - 256 * MIB
    else:
        with pytest.raises(OutOfMemory):
            opening.open(lambda _: True, lambda _: 1)
    assert len(crowded.plans) == 2
    assert len(crowded.plans[0].cpu_tensors[0]) < len(crowded.plans[1].cpu_tensors[0])  # more layers stay in RAM


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlanTasks:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, "-m", "aipc_app", "--child", "plan"]
    return PlanTasks(command, tmp_path / "measured", tmp_path / "plan.log")


def test_a_dry_run_is_kept_and_used(tasks: PlanTasks, tiny_model: Path) -> None:
    wishes = PlanWishes(vram_bytes=0, ram_bytes=4 * GIB, context_tokens=CONTEXT)
    before = tasks.plan(str(tiny_model), wishes)
    after = tasks.plan_measured(str(tiny_model), wishes)
    sizes = [
        next(part.bytes for part in plan.placement if part.tensors is PartKind.COMPUTE) for plan in (before, after)
    ]
    assert sizes[1] < sizes[0] == 512 * MIB
    assert tasks.plan(str(tiny_model), wishes) == after


def test_a_probe_measures_this_machine_and_is_kept(tasks: PlanTasks, tiny_model: Path) -> None:
    assert not tasks.is_probed()
    seen = tasks.probe(str(tiny_model))
    assert seen.cpu_features and "ram" in seen.speeds.measured and seen.speeds.ram > 5e8
    assert tasks.is_probed()


def test_a_plan_can_be_tried_for_real(tasks: PlanTasks, tiny_model: Path) -> None:
    made = tasks.plan(str(tiny_model), PlanWishes(vram_bytes=0, ram_bytes=4 * GIB, context_tokens=512, threads=1))
    assert made.load is not None
    ran = tasks.measure(str(tiny_model), made.load, prefill_tokens=16, decode_tokens=2)
    assert ran.decode_tokens_per_s > 0 and ran.prefill_tokens_per_s > 0 and ran.vram_bytes == 0


def test_a_header_that_lies_is_one_sentence(tasks: PlanTasks, tmp_path: Path) -> None:
    path = tmp_path / "lies.gguf"
    path.write_bytes(b"GGUF\x03\x00\x00\x00" + (1 << 60).to_bytes(8, "little") + bytes(64))
    with pytest.raises(ModelError, match="cut short or damaged"):
        tasks.plan(str(path), PlanWishes())


def test_a_child_that_dies_in_its_dry_run_leaves_the_estimate(
    tasks: PlanTasks, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an assertion of llama.cpp would end it."""
    (tmp_path / "sitecustomize.py").write_text(
        "import engine.native.dry_run as d, os\ndef die(*_): os.abort()\nd.dry_runs = die\n"
    )
    wishes = PlanWishes(vram_bytes=0, ram_bytes=4 * GIB, context_tokens=CONTEXT)
    before = tasks.plan(str(tiny_model), wishes)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert tasks.plan_measured(str(tiny_model), wishes) == before


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_a_671b_model_loads_by_its_plan_and_decodes(tasks: PlanTasks, tmp_path: Path) -> None:
    """Its weights are zeros of a sparse file, mapped: this shows memory, and nothing about speed on a real disk."""
    path = header_file(tmp_path, "deepseek-v3-671b")
    made = tasks.plan(str(path), PlanWishes(vram_bytes=0, context_tokens=512))
    assert made.fits and made.load is not None and made.load.host_buffer is HostBuffer.MAPPED
    assert made.predicted.disk_bytes > 300 * GIB
    ran = tasks.measure(str(path), made.load, prefill_tokens=0, decode_tokens=1)
    print(f"loaded in {ran.load_s:.0f} s, first token {ran.first_token_s:.1f} s, then {ran.decode_tokens_per_s:.3f}/s")
    assert ran.decode_tokens_per_s > 0
