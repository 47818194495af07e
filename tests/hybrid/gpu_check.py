"""Plans on a real GPU: what was predicted beside what was measured, at several limits of VRAM. Prints one JSON object.

    python tests/hybrid/gpu_check.py [--shape 30b-a3b] [--vram-gib 4 8 12 16 20] [--folder DIR] [--out FILE]

The weights are random, made on the spot. Each limit is planned from the header after one dry run, loaded in a process
of its own and timed. Exit 0 when every load kept its limit and its prediction of memory, else 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import msgspec

from engine.client.plan import PlanTasks
from engine.errors import EngineError
from engine.types.model import DeviceKind
from engine.types.plan import PlanWishes
from tests.hybrid import random_mixture

GIB, MIB = 1 << 30, 1 << 20
SHARE, LEAST = 0.02, 64 * MIB  # of the prediction of memory


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="gpu-check-", dir=options.folder) as folder:
        told = run(Path(folder), options)
    text = json.dumps(told, indent=1)
    print(text)
    if options.out:
        Path(options.out).write_text(text)
    return 0 if told["holds"] else 1


def run(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Write the model, probe the machine, measure every limit."""
    path, started = folder / f"{options.shape}.gguf", time.monotonic()
    size = random_mixture.write(path, random_mixture.SHAPES[options.shape])
    wrote_s = time.monotonic() - started
    tasks = PlanTasks([sys.executable, "-m", "aipc_app", "--child", "plan"], folder / "measured", folder / "plan.log")
    inventory = tasks.probe(str(path))
    gpus = [device for device in inventory.devices if device.kind is DeviceKind.GPU]
    if not gpus:
        return {"holds": False, "why": "llama.cpp sees no GPU here", "machine": msgspec.to_builtins(inventory)}
    rows = []
    for limit in options.vram_gib:
        rows.append(_row(tasks, path, limit, options))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return {
        "model": {"shape": options.shape, "bytes": size, "written_s": round(wrote_s, 1)},
        "machine": msgspec.to_builtins(inventory),
        "context": options.context,
        "rows": rows,
        "holds": all(row["holds"] for row in rows),
    }


def _row(tasks: PlanTasks, path: Path, limit: float, options: argparse.Namespace) -> dict[str, Any]:
    try:
        return dict(_measured(tasks, path, limit, options))
    except EngineError as error:
        return {"vram_gib": limit, "why": error.message, "holds": False}


def _measured(
    tasks: PlanTasks, path: Path, limit: float, options: argparse.Namespace
) -> Iterator[tuple[str, Any]]:
    wishes = PlanWishes(vram_bytes=int(limit * GIB), context_tokens=options.context, threads=options.threads)
    plan = tasks.plan_measured(str(path), wishes)
    yield "vram_gib", limit
    yield "gpu_layers", plan.load.gpu_layers if plan.load else 0
    if plan.load is None:
        yield "why", " ".join(plan.explanation)
        yield "holds", False
        return
    ran = tasks.measure(
        str(path), plan.load, prefill_tokens=options.prefill, decode_tokens=options.decode
    )
    predicted = plan.predicted
    experts = sum(part.bytes for part in plan.placement if part.tensors == "routed_experts" and part.device == "CPU")
    off = abs(ran.vram_bytes - predicted.vram_bytes)
    yield "host_buffer", plan.load.host_buffer
    yield "experts_in_ram_bytes", experts
    yield "vram_bytes", {"predicted": predicted.vram_bytes, "measured": ran.vram_bytes}
    yield "ram_bytes", {"predicted": predicted.ram_bytes, "measured": ran.ram_bytes}
    for name in ("decode_tokens_per_s", "prefill_tokens_per_s"):
        yield name, {"predicted": round(getattr(predicted, name), 2), "measured": round(getattr(ran, name), 2)}
    yield "load_s", round(ran.load_s, 1)
    yield "buffers", ran.buffers
    yield "holds", ran.vram_bytes <= limit * GIB and off <= max(SHARE * ran.vram_bytes, LEAST)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=random_mixture.SHAPES, default="30b-a3b")
    parser.add_argument("--vram-gib", type=float, nargs="+", default=[4, 8, 12, 16, 24])
    parser.add_argument("--context", type=int, default=8_192)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--prefill", type=int, default=512)
    parser.add_argument("--decode", type=int, default=32)
    parser.add_argument("--folder", default=None, help="where the model is written; it needs its size in free space")
    parser.add_argument("--out", default=None)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
