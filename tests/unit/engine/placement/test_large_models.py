"""Plans of the large mixtures of experts this program is for, from headers with their real tensor tables."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from engine.models.gguf_parts import read_model_header
from engine.models.layout import Layout, layout_of
from engine.models.tensor_class import TensorClass
from engine.placement.planner import place
from engine.types.machine import Inventory
from engine.types.plan import PartKind, PlacementPlan, PlanWishes

ROOT = Path(__file__).resolve().parents[4]
TOOL = Path(os.environ.get("AIPC_TEST_DATA") or ROOT.parent / "shared") / "tools" / "make_header_gguf.py"
GIB = 1 << 30
VRAM, RAM = (8, 16, 24, 80), (64, 192, 512)
MACHINE = Inventory((), 8, 64 * GIB, 60 * GIB)
FILES = [(model, quant) for model in ("qwen3-30b-a3b", "qwen3-235b-a22b", "deepseek-v3-671b")
         for quant in ("Q4_K_M", "Q8_0")]  # fmt: skip
KINDS = {
    PartKind.SHARED_EXPERTS: {TensorClass.SHARED_EXPERTS}, PartKind.ROUTED_EXPERTS: {TensorClass.ROUTED_EXPERTS},
    PartKind.DENSE_FFN: {TensorClass.DENSE_FFN}, PartKind.EMBEDDING: {TensorClass.EMBEDDING},
    PartKind.OUTPUT: {TensorClass.OUTPUT},
    PartKind.ATTENTION: {TensorClass.ATTENTION, TensorClass.MLA, TensorClass.ROUTER, TensorClass.NORM},
}  # fmt: skip


@pytest.fixture(scope="module", params=FILES, ids=" ".join)
def header(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not TOOL.is_file():
        pytest.skip("make_header_gguf.py is not beside this checkout (AIPC_TEST_DATA names the folder with tools/)")
    model, quant = request.param
    path: Path = tmp_path_factory.mktemp("headers") / f"{model}-{quant}.gguf"
    subprocess.run([sys.executable, str(TOOL), model, str(path), "--quant", quant], check=True, capture_output=True)
    return path


def plan(layout: Layout, vram: int, ram: int) -> PlacementPlan:
    return place(layout, MACHINE, PlanWishes(vram_bytes=vram * GIB, ram_bytes=ram * GIB))


def test_each_cell_keeps_both_limits_and_places_every_tensor(header: Path) -> None:
    layout = layout_of(read_model_header(header))
    for vram in VRAM:
        for ram in RAM:
            made = plan(layout, vram, ram)
            assert made.fits and made.predicted.vram_bytes <= vram * GIB and made.predicted.ram_bytes <= ram * GIB
            placed: Counter[PartKind] = Counter()
            for part in made.placement:
                placed[part.tensors] += part.bytes
            for kind, classes in KINDS.items():
                assert placed[kind] == sum(t.size for t in layout.tensors if t.kind in classes), (vram, ram, kind)
            assert sum(p.bytes for p in made.placement if p.device == "disk") == made.predicted.disk_bytes


def test_the_expressions_find_just_the_experts_that_stay_in_ram(header: Path) -> None:
    layout = layout_of(read_model_header(header))
    for vram in (0, *VRAM):
        made = plan(layout, vram, 512)
        assert made.load is not None
        patterns = [re.compile(pattern) for pattern in made.load.cpu_tensors]
        found = [t for t in layout.tensors if any(pattern.search(t.name) for pattern in patterns)]
        assert all(tensor.kind is TensorClass.ROUTED_EXPERTS for tensor in found)
        off_gpu = [part for part in made.placement if part.tensors is PartKind.ROUTED_EXPERTS and part.device != "GPU0"]
        assert sum(tensor.size for tensor in found) == (sum(part.bytes for part in off_gpu) if vram else 0)


@pytest.mark.alone
def test_a_plan_takes_well_under_a_second(header: Path) -> None:
    started = time.perf_counter()
    layout = layout_of(read_model_header(header))
    plan(layout, 24, 192)
    assert time.perf_counter() - started < 1.0


def test_more_memory_of_either_kind_is_never_slower(header: Path) -> None:
    layout = layout_of(read_model_header(header))
    speeds = [[plan(layout, vram, ram).predicted.decode_tokens_per_s for ram in RAM] for vram in (0, *VRAM)]
    for row in speeds:
        assert all(less <= more * (1 + 1e-9) for less, more in pairwise(row))
    for column in zip(*speeds, strict=True):
        assert all(less <= more * (1 + 1e-9) for less, more in pairwise(column))


def test_experts_leave_the_gpu_first_when_its_memory_shrinks(header: Path) -> None:
    layout = layout_of(read_model_header(header))
    on_gpu = [
        {part.tensors: part.bytes for part in plan(layout, vram, 512).placement if part.device == "GPU0"}
        for vram in VRAM
    ]
    for less, more in pairwise(on_gpu):
        assert less.get(PartKind.ROUTED_EXPERTS, 0) <= more.get(PartKind.ROUTED_EXPERTS, 0)
        assert less[PartKind.ATTENTION] <= more[PartKind.ATTENTION]
        if less.get(PartKind.ROUTED_EXPERTS):
            assert less[PartKind.ATTENTION] == more[PartKind.ATTENTION]
