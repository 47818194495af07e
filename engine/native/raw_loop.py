"""The plainest decoding there is: llama_decode in a loop, a token at a time. A peer for `aipc bench decode`.

    python -m engine.native.raw_loop MODEL.gguf DEPTH TOKENS THREADS

Prints tokens per second after DEPTH tokens of prompt. No text, no sampling but the likeliest token.
"""

from __future__ import annotations

import ctypes
import sys
import time

import llama_cpp.llama_cpp as api
import numpy as np

from engine.native.library import open_library, set_fields


def measure(path: str, depth: int, tokens: int, threads: int) -> float:
    """Tokens per second. Raises RuntimeError when llama.cpp refuses."""
    open_library()
    model_params = api.llama_model_default_params()
    set_fields(model_params, n_gpu_layers=0)
    model = api.llama_model_load_from_file(path.encode(), model_params)
    params = api.llama_context_default_params()
    set_fields(
        params, n_ctx=depth + tokens + 8, n_threads=threads, n_threads_batch=threads, no_perf=True,
        flash_attn_type=api.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    )  # fmt: skip
    context = api.llama_init_from_model(model, params) if model else None
    if not context:
        raise RuntimeError("llama.cpp can't load the model")
    size = api.llama_vocab_n_tokens(api.llama_model_get_vocab(model))
    _decode(context, [9] * depth)
    token = _likeliest(context, size)
    started = time.monotonic()
    for _ in range(tokens):
        _decode(context, [token])
        token = _likeliest(context, size)
    return tokens / (time.monotonic() - started)


def _decode(context: ctypes.c_void_p, tokens: list[int]) -> None:
    array = (api.llama_token * len(tokens))(*tokens)
    if api.llama_decode(context, api.llama_batch_get_one(array, len(tokens))) != 0:
        raise RuntimeError("llama.cpp can't decode")


def _likeliest(context: ctypes.c_void_p, size: int) -> int:
    return int(np.argmax(np.ctypeslib.as_array(api.llama_get_logits_ith(context, -1), shape=(size,))))


if __name__ == "__main__":
    print(measure(sys.argv[1], *map(int, sys.argv[2:5])))
