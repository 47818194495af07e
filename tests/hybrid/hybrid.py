"""What the tests of the GPU's side share; llama.cpp itself only ever runs in processes of its own."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import gguf
import msgspec
import numpy as np
import numpy.typing as npt

from engine.types.model import HostBuffer, LoadPlan
from engine.types.plan import PartKind, PlacementPlan

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20
Logits = npt.NDArray[np.float32]


def cpu_plan(context: int, ubatch: int = 512) -> LoadPlan:
    return LoadPlan(0, context, 1, max(ubatch, 512), ubatch, "f16", (), host_buffer=HostBuffer.MAPPED)


def child(folder: Path, task: str, **arguments: object) -> None:
    """Run `tests/hybrid/child.py` with that task; its own process, as a GPU's driver may take it along."""
    command = [sys.executable, str(Path(__file__).with_name("child.py")), task, json.dumps(arguments)]
    with (folder / "child.log").open("ab") as log:
        done = subprocess.run(command, stdout=log, stderr=log, cwd=ROOT, check=False, timeout=900)
    assert done.returncode == 0, (folder / "child.log").read_text(errors="replace")[-2_000:]


def logits(folder: Path, model: Path, plan: LoadPlan, tokens: Sequence[int]) -> Logits:
    """Logits after each of the tokens, [tokens, vocabulary]."""
    target = folder / "logits.npy"
    child(folder, "logits", model=str(model), plan=plan_text(plan), tokens=list(tokens), target=str(target))
    return np.load(target)


def tokens_of(folder: Path, model: Path, text: str, count: int) -> list[int]:
    target = folder / "tokens.json"
    child(folder, "tokens", model=str(model), text=text, target=str(target))
    found: list[int] = json.loads(target.read_text())
    assert len(found) >= count
    return found[:count]


def plan_text(plan: LoadPlan) -> str:
    return msgspec.json.encode(plan).decode()


def divergence(true: Logits, other: Logits) -> float:
    """Mean Kullback-Leibler divergence of `other` from `true` over the positions, nats."""
    p, q = _log_softmax(true), _log_softmax(other)
    return float((np.exp(p) * (p - q)).sum(axis=1).mean())


def agreement(one: Logits, other: Logits) -> float:
    """Share of positions with the same most likely token."""
    return float((one.argmax(axis=1) == other.argmax(axis=1)).mean())


def _log_softmax(values: Logits) -> npt.NDArray[np.float64]:
    wide = values.astype(np.float64)
    wide -= wide.max(axis=1, keepdims=True)
    return wide - np.log(np.exp(wide).sum(axis=1, keepdims=True))


def write_exact(source: Path, target: Path) -> None:
    """The same dense model with its weights spelled out in float32: nothing is rounded when it is computed."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, str(reader.fields["general.architecture"].contents()))
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue
        sub_type = field.types[-1] if field.types[0] is gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, field.contents(), field.types[0], sub_type=sub_type)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def planned(plan: PlacementPlan, kinds: Sequence[PartKind], *, on_gpu: bool) -> int:
    """Bytes of these parts in one place; what lies on the disk counts as RAM, which maps it."""
    parts = (part for part in plan.placement if part.tensors in kinds)
    return sum(part.bytes for part in parts if (part.device not in ("CPU", "disk")) == on_gpu)


def close(measured: int, expected: int, share: float = 0.02, bytes_: int = 8 * MIB) -> bool:
    """Within that share or so many bytes, whichever is more."""
    return math.isclose(measured, expected, rel_tol=share, abs_tol=bytes_)
