"""A LoadPlan as llama.cpp's own parameters; the same for a load and for its dry run."""

from __future__ import annotations

import ctypes
from typing import Any

import llama_cpp.llama_cpp as api

from engine.native.devices import device_list
from engine.native.library import Library, set_fields
from engine.native.overrides import CpuOverrides
from engine.types.model import HostBuffer, LoadPlan

OUTPUTS = 16
KV_TYPES = {"f16": 1, "f32": 0, "q8_0": 8, "q4_0": 2}


class ModelParams:
    """llama_model_params of a plan, with what they point at. Keep it until the load returned."""

    def __init__(self, library: Library, plan: LoadPlan, *, dry: bool = False) -> None:
        """Raises EngineError when the plan's GPU isn't there any more."""
        self._devices = device_list(library, plan.device if plan.gpu_layers else "")
        self._overrides = CpuOverrides(library, plan.cpu_tensors)
        self.struct = api.llama_model_default_params()
        set_fields(
            self.struct,
            n_gpu_layers=plan.gpu_layers, devices=ctypes.cast(self._devices, ctypes.c_void_p),
            load_mode=_load_mode(plan, dry=dry), use_extra_bufts=plan.host_buffer is HostBuffer.REPACKED,
            no_host=plan.host_buffer is HostBuffer.REPACKED, no_alloc=dry,
        )  # fmt: skip
        if plan.cpu_tensors:
            set_fields(self.struct, tensor_buft_overrides=self._overrides.pointer)


def _load_mode(plan: LoadPlan, *, dry: bool) -> int:
    if dry:  # with a mapping, a load without memory aborts the process
        return int(api.LLAMA_LOAD_MODE_NONE)
    if plan.host_buffer is HostBuffer.PINNED:
        return int(api.LLAMA_LOAD_MODE_NONE)
    return int(api.LLAMA_LOAD_MODE_MMAP if plan.host_buffer is HostBuffer.MAPPED else api.LLAMA_LOAD_MODE_AUTO)


def context_params(plan: LoadPlan, sequences: int) -> Any:
    """llama_context_params of a plan: KV unified, flash attention on, few outputs (see engine.native.context)."""
    outputs = max(OUTPUTS, sequences)  # fewer outputs than sequences would abort the process
    params = api.llama_context_default_params()
    set_fields(
        params,
        n_ctx=plan.context_tokens, n_batch=plan.batch_tokens, n_ubatch=plan.ubatch_tokens,
        n_seq_max=sequences, n_outputs_max=outputs, n_outputs_max_per_seq=outputs,
        n_threads=plan.threads, n_threads_batch=plan.threads,
        flash_attn_type=api.LLAMA_FLASH_ATTN_TYPE_ENABLED, kv_unified=True, swa_full=True,
        offload_kqv=plan.kv_on_gpu, type_k=KV_TYPES[plan.kv_type], type_v=KV_TYPES[plan.kv_type], no_perf=True,
    )  # fmt: skip
    return params
