"""How large llama.cpp's buffers would be, by its own arithmetic, without any memory for weights.

A wrong model may trip an assertion that ends the process, so this runs in a throwaway child only.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

import llama_cpp.llama_cpp as api
from msgspec import Struct

from engine.native.buffers import buffers, is_host
from engine.native.library import Library
from engine.native.load_params import ModelParams, context_params
from engine.native.model import load_failure
from engine.types.model import LoadPlan

_KV_SIZE = re.compile(r"\bsize\s*=\s*([\d.]+) MiB \(\s*\d+ cells")


class DryRun(Struct, frozen=True):
    """KV cache (with recurrent states) in all, and compute buffers by place. Bytes."""

    kv_bytes: int
    compute_gpu_bytes: int
    compute_cpu_bytes: int


def dry_runs(library: Library, path: str, plans: Sequence[LoadPlan], sequences: int) -> Iterator[DryRun]:
    """Load nothing as each plan says and report, in order; plans that differ in their context alone share a model.

    Raises ModelError, OutOfMemory or EngineError.
    """
    for _, group in itertools.groupby(plans, _same_model):
        same = list(group)
        params = ModelParams(library, same[0], dry=True)
        library.log.clear()
        model = api.llama_model_load_from_file(os.fsencode(path), params.struct)
        if not model:
            raise load_failure(library.log.complaints())
        try:
            for plan in same:
                yield _context(library, model, plan, sequences)
        finally:
            api.llama_model_free(model)


def _same_model(plan: LoadPlan) -> tuple[object, ...]:
    return plan.gpu_layers, plan.device, plan.cpu_tensors, plan.host_buffer


def _context(library: Library, model: Any, plan: LoadPlan, sequences: int) -> DryRun:
    library.log.clear()
    context = api.llama_init_from_model(model, context_params(plan, sequences))
    if not context:
        raise load_failure(library.log.complaints())
    lines = library.log.lines()
    api.llama_free(context)
    compute = buffers([line for line in lines if "compute buffer" in line or "output buffer" in line])
    kept = [float(found[1]) for line in lines if (found := _KV_SIZE.search(line))]
    return DryRun(
        int(sum(kept) * (1 << 20)),
        sum(size for name, size in compute if not is_host(name)),
        sum(size for name, size in compute if is_host(name)),
    )
