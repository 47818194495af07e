"""The GPU's side on a GPU in software: what lies where, what moves, and that the model still says the same."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.client.plan import PlanTasks
from engine.client.process import ProcessEngine
from engine.host.plan_dry import ALL_EXPERTS
from engine.native.buffers import is_mapped
from engine.types.generation import Generated, GenerateRequest
from engine.types.model import HostBuffer, LoadPlan, LoadRequest
from engine.types.plan import PartKind, PlacementPlan, PlanWishes
from engine.types.prompt import ChatMessage, Prompt, Role, Segment, SegmentKind
from tests.hybrid.hybrid import (
    MIB,
    Logits,
    agreement,
    close,
    cpu_plan,
    divergence,
    logits,
    planned,
    tokens_of,
    write_exact,
)

CONTEXT, UBATCH = 512, 128
LIMITS_MIB = (512, 256, 160, 40)  # everything, half the experts, a quarter of them, one layer without
GPU = "Vulkan0"
WEIGHTS = (
    PartKind.ATTENTION, PartKind.ROUTED_EXPERTS, PartKind.DENSE_FFN, PartKind.EMBEDDING, PartKind.OUTPUT,
)  # fmt: skip
TEXT = Path(__file__).with_name("text.txt").read_text(encoding="utf-8")
TOKENS, MANY_TOKENS = 48, 208  # of it, in steps of 16: a shorter last step would have shaders of its own compiled
# Of Kullback-Leibler divergences: the square root of one is close to a distance, and (a + b)^2 <= 2 (a^2 + b^2).
TWO_STEPS = 2.0
# The CPU rounds activations to eight bits, the GPU does not: it must not be further from exact than the CPU is, but
# for the noise of a mean over few positions.
NOISE = 1.5


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> PlanTasks:
    """Plans and loads in processes of their own; this machine, its software GPU and the dry runs are measured once."""
    folder = tmp_path_factory.mktemp("tasks")
    made = PlanTasks([sys.executable, "-m", "aipc_app", "--child", "plan"], folder / "measured", folder / "plan.log")
    seen = made.probe()
    assert {device.name for device in seen.devices} == {"CPU", GPU}
    return made


def wishes(limit_mib: int) -> PlanWishes:
    return PlanWishes(vram_bytes=limit_mib * MIB, context_tokens=CONTEXT, ubatch_tokens=UBATCH, threads=1)


@pytest.fixture(scope="module")
def plans(tasks: PlanTasks, mixture: Path) -> dict[int, PlacementPlan]:
    """The plan of each limit."""
    return {limit: tasks.plan_measured(str(mixture), wishes(limit)) for limit in LIMITS_MIB}


def experts_on_gpu(plan: PlacementPlan) -> int:
    return planned(plan, [PartKind.ROUTED_EXPERTS], on_gpu=True)


def test_experts_move_to_the_cpu_as_the_limit_shrinks(plans: dict[int, PlacementPlan]) -> None:
    held = [experts_on_gpu(plans[limit]) for limit in LIMITS_MIB]
    # A GPU in software is no faster than the CPU, so at one limit the plan may well leave all of them to the CPU.
    assert held == sorted(held, reverse=True) and len(set(held)) >= len(held) - 1
    assert held[-1] == 0 and planned(plans[512], [PartKind.ROUTED_EXPERTS], on_gpu=False) == 0
    assert all(plans[limit].predicted.vram_bytes <= limit * MIB for limit in LIMITS_MIB)


@pytest.mark.parametrize("limit", LIMITS_MIB)
def test_every_buffer_lies_where_the_plan_says(
    tasks: PlanTasks, mixture: Path, plans: dict[int, PlacementPlan], limit: int
) -> None:
    plan = plans[limit]
    assert plan.load is not None
    ran = tasks.measure(str(mixture), plan.load, prefill_tokens=0, decode_tokens=1)
    assert ran.decode_tokens_per_s > 0
    assert ran.vram_bytes <= limit * MIB
    assert close(ran.vram_bytes, plan.predicted.vram_bytes)
    # A mapping spans the file, what is copied to the GPU included; of it, the weights planned for RAM are counted.
    mapped = sum(size for name, size in ran.buffers if is_mapped(name))
    in_ram = planned(plan, WEIGHTS, on_gpu=False)
    assert not mapped or mapped >= in_ram
    assert close(ran.ram_bytes - mapped + (in_ram if mapped else 0), plan.predicted.ram_bytes)
    weights = max(size for name, size in ran.buffers if name == GPU)
    assert close(weights, planned(plan, WEIGHTS, on_gpu=True), bytes_=MIB)


def ask(engine: ProcessEngine) -> str:
    words = "Name a colour."
    prompt = Prompt((ChatMessage(Role.USER, (Segment(SegmentKind.QUESTION, words),)),))
    said = list(engine.generate(GenerateRequest(prompt, max_tokens=3)))[-1]
    assert isinstance(said, Generated)
    return said.text


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[ProcessEngine]:
    made = ProcessEngine([sys.executable, "-m", "engine"], tmp_path / "engine.log", back_off_s=(0.0,))
    yield made
    made.close()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_engine_loads_by_the_plan_and_answers(engine: ProcessEngine, mixture: Path) -> None:
    """Without a folder for facts: the buffers are estimates then, and no run is measured, which takes long here."""
    loaded = engine.load(LoadRequest(str(mixture), context_tokens=CONTEXT, threads=1, vram_limit_bytes=256 * MIB))
    assert loaded.plan.device == GPU and loaded.plan.cpu_tensors
    assert loaded.vram_bytes <= 256 * MIB
    assert close(loaded.vram_bytes, loaded.planned_vram_bytes, bytes_=64 * MIB)
    assert ask(engine)


def hybrid_plan(*cpu_tensors: str) -> LoadPlan:
    return LoadPlan(
        31, CONTEXT, 1, 512, UBATCH, "f16", (), device=GPU, host_buffer=HostBuffer.PINNED, cpu_tensors=cpu_tensors
    )


def check_says_the_same(exact: Logits, cpu: Logits, gpu: Logits) -> None:
    """`exact` is the dense model in float32, which the mixture equals but for rounding."""
    far_cpu, far_gpu, apart = divergence(exact, cpu), divergence(exact, gpu), divergence(cpu, gpu)
    same = agreement(cpu, gpu)
    print(f"KL from exact: CPU {far_cpu:.5f}, GPU {far_gpu:.5f}; between them {apart:.5f}; same token {same:.1%}")
    assert 0 < far_gpu <= NOISE * far_cpu
    assert apart <= TWO_STEPS * (far_cpu + far_gpu)
    assert same >= agreement(exact, cpu) + agreement(exact, gpu) - 1


def compared(folder: Path, tiny_model: Path, mixture: Path, plan: LoadPlan, count: int) -> tuple[Logits, ...]:
    """Logits over so many tokens of text: exact, on the CPU, by the plan."""
    tokens = tokens_of(folder, tiny_model, TEXT, count)
    exact = folder / "exact.gguf"
    write_exact(tiny_model, exact)
    cpu = cpu_plan(CONTEXT, UBATCH)
    return tuple(logits(folder, *one, tokens) for one in ((exact, cpu), (mixture, cpu), (mixture, plan)))


@pytest.mark.parametrize(
    "count", [TOKENS, pytest.param(MANY_TOKENS, marks=[pytest.mark.long, pytest.mark.timeout(1800)])]
)
def test_with_its_experts_on_the_cpu_the_model_says_what_it_says_on_the_cpu_alone(
    tmp_path: Path, tiny_model: Path, mixture: Path, count: int
) -> None:
    check_says_the_same(*compared(tmp_path, tiny_model, mixture, hybrid_plan(*ALL_EXPERTS), count))
