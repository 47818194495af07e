"""Plans for models too large to be here, against llama.cpp's own dry run with the plan's own table of tensors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.client.plan import PlanTasks
from engine.models.gguf_parts import read_model_header
from engine.models.layout import layout_of
from engine.placement.units import sequences
from engine.types.plan import PartKind, PlanWishes
from tests.hybrid.hybrid import MIB, ROOT, child, close, plan_text, planned

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
GIB = 1 << 30
TOOL = Path(os.environ.get("AIPC_TEST_DATA") or ROOT.parent / "shared") / "tools" / "make_header_gguf.py"
VRAM_GIB = (8, 16, 24, 80)
CONTEXT = 16_384


@pytest.mark.parametrize("quant", ["Q4_K_M", "Q8_0"])
@pytest.mark.parametrize("preset", ["qwen3-30b-a3b", "qwen3-235b-a22b", "deepseek-v3-671b"])
def test_cache_and_buffers_are_what_the_dry_run_says(tmp_path: Path, preset: str, quant: str) -> None:
    if not TOOL.is_file():
        pytest.skip("make_header_gguf.py is not beside this checkout (AIPC_TEST_DATA names the folder with tools/)")
    path, target = tmp_path / "model.gguf", tmp_path / "dry.json"
    subprocess.run([sys.executable, str(TOOL), preset, str(path), "--quant", quant], check=True, capture_output=True)
    tasks = PlanTasks([sys.executable, "-m", "aipc_app", "--child", "plan"], tmp_path / "facts", tmp_path / "plan.log")
    tasks.probe()
    plans = [
        tasks.plan_measured(str(path), PlanWishes(vram_bytes=vram * GIB, ram_bytes=512 * GIB, context_tokens=CONTEXT))
        for vram in VRAM_GIB
    ]
    loads = [plan.load for plan in plans]
    assert all(loads)
    held = sequences(layout_of(read_model_header(path)))
    told = [plan_text(load) for load in loads if load]
    child(tmp_path, "dry", model=str(path), plans=told, sequences=held, target=str(target))
    for vram, plan, (kv, on_gpu, on_cpu) in zip(VRAM_GIB, plans, json.loads(target.read_text()), strict=True):
        cache = sum(part.bytes for part in plan.placement if part.tensors is PartKind.KV_CACHE)
        expected = planned(plan, [PartKind.COMPUTE], on_gpu=True), planned(plan, [PartKind.COMPUTE], on_gpu=False)
        print(f"{preset} {quant} {vram} GiB: cache {cache / MIB:.0f} of {kv / MIB:.0f} MiB, buffers on the GPU "
              f"{expected[0] / MIB:.0f} of {on_gpu / MIB:.0f}, in RAM {expected[1] / MIB:.0f} of {on_cpu / MIB:.0f}")
        assert close(cache, kv, bytes_=64 * MIB)
        assert close(expected[0], on_gpu, bytes_=64 * MIB)
        assert close(expected[1], on_cpu, bytes_=64 * MIB)
        assert plan.predicted.vram_bytes <= vram * GIB and plan.predicted.ram_bytes <= 512 * GIB
