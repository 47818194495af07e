"""A process that opens llama.cpp with whatever GPU its environment shows, does one task, and ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import msgspec
import numpy as np

from engine.native.context import Context, Decoded
from engine.native.dry_run import dry_runs
from engine.native.library import open_library
from engine.native.load_params import OUTPUTS
from engine.native.model import Model
from engine.types.model import LoadPlan


def tokens(model: str, text: str, target: str) -> None:
    plan = LoadPlan(0, 256, 1, 256, 256, "f16", ())
    opened = Model(open_library(), model, plan, on_progress=lambda _: True)
    Path(target).write_text(json.dumps(opened.vocab.tokenize(text, parse_special=False)))


def logits(model: str, plan: str, tokens: list[int], target: str) -> None:
    """In steps of as many tokens as a context gives outputs for."""
    load = msgspec.json.decode(plan, type=LoadPlan)
    opened = Model(open_library(), model, load, on_progress=lambda _: True)
    context = Context(opened, load, 1)
    rows = []
    for start in range(0, len(tokens), OUTPUTS):
        step = tokens[start : start + OUTPUTS]
        context.batch.clear()
        context.batch.add(0, start, step, range(len(step)))
        assert context.decode() is Decoded.DONE
        rows += [context.logits(i).copy() for i in range(len(step))]
    np.save(target, np.stack(rows))


def dry(model: str, plans: list[str], sequences: int, target: str) -> None:
    loads = [msgspec.json.decode(plan, type=LoadPlan) for plan in plans]
    found = [
        [run.kv_bytes, run.compute_gpu_bytes, run.compute_cpu_bytes]
        for run in dry_runs(open_library(), model, loads, sequences)
    ]
    Path(target).write_text(json.dumps(found))


if __name__ == "__main__":
    tasks: dict[str, Any] = {"tokens": tokens, "logits": logits, "dry": dry}
    tasks[sys.argv[1]](**json.loads(sys.argv[2]))
