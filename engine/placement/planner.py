"""The first, simple placement: everything on the GPU if it fits, else on the CPU.

Splitting a model between the two, experts apart, is the work of the planner to come; it takes this one's place.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import OutOfMemory, RequestInvalid
from engine.models.gguf import ModelSummary
from engine.types.machine import Inventory
from engine.types.model import DeviceKind, LoadPlan, LoadRequest

MIB = 1 << 20
BATCH_TOKENS = 512
LEAST_CONTEXT, USUAL_CONTEXT = 2_048, 16_384
_COMPUTE_BYTES = 512 * MIB
_GPU_MARGIN_BYTES, _RAM_MARGIN_BYTES = 1_024 * MIB, 768 * MIB
_MOST_SHELF_BYTES = 2_048 * MIB
_KV_SCALE = {"f16": 1.0, "f32": 2.0, "q8_0": 34 / 64, "q4_0": 18 / 64}


@dataclass(frozen=True)
class _Needs:
    weights: int
    kv_per_token: float

    def total(self, context: int) -> int:
        return self.weights + int(self.kv_per_token * context) + _COMPUTE_BYTES


def plan(model: ModelSummary, inventory: Inventory, wishes: LoadRequest) -> LoadPlan:
    """Place the model.

    Raises OutOfMemory when not even a short context fits, RequestInvalid for an unknown type of the KV cache.
    """
    if wishes.kv_type not in _KV_SCALE:
        raise RequestInvalid(f"{wishes.kv_type} is no type for the KV cache; use one of {', '.join(_KV_SCALE)}.")
    needs = _Needs(model.tensor_bytes, model.kv_bytes_per_token * _KV_SCALE[wishes.kv_type])
    wanted = _wanted_context(model, wishes)
    gpus = [device for device in inventory.devices if device.kind is DeviceKind.GPU]
    gpu_free = sum(max(0, device.memory_free - _GPU_MARGIN_BYTES) for device in gpus)
    threads = wishes.threads or inventory.usable_cores
    for context in _contexts(wanted, fixed=wishes.context_tokens is not None):
        if gpus and needs.total(context) <= gpu_free:
            why = f"All {model.layers} layers and the context fit into the {_size(gpu_free)} free on {gpus[0].name}."
            return _plan(model.layers + 1, context, threads, wishes, (why, *_context_reason(context, wanted)))
    return _on_cpu(needs, inventory, wishes, wanted, threads, has_gpu=bool(gpus))


def shelf_bytes(inventory: Inventory) -> int:
    """RAM for states of prompts set aside: an eighth of what is free once the model is loaded, at most 2 GiB."""
    return min(_MOST_SHELF_BYTES, inventory.memory_available // 8)


def _on_cpu(
    needs: _Needs, inventory: Inventory, wishes: LoadRequest, wanted: int, threads: int, *, has_gpu: bool
) -> LoadPlan:
    room = inventory.memory_available - _RAM_MARGIN_BYTES
    why = "The model doesn't fit into the GPU's memory, so it runs on the CPU." if has_gpu else "No GPU was found."
    contexts = _contexts(wanted, fixed=wishes.context_tokens is not None)
    for context in contexts:
        if needs.total(context) <= room:
            return _plan(0, context, threads, wishes, (why, *_context_reason(context, wanted)))
    context = contexts[-1]
    if needs.total(context) - needs.weights > room:
        raise OutOfMemory(
            f"A context of {context} tokens needs {_size(needs.total(context) - needs.weights)}, but only "
            f"{_size(max(0, room))} of memory are free; close other programs or choose a smaller context."
        )
    slow = "The weights are larger than the free memory: parts are read from the disk again and again, slowly."
    return _plan(0, context, threads, wishes, (why, slow, *_context_reason(context, wanted)))


def _wanted_context(model: ModelSummary, wishes: LoadRequest) -> int:
    longest = model.train_context_tokens or USUAL_CONTEXT
    return max(256, min(wishes.context_tokens or USUAL_CONTEXT, longest))


def _contexts(wanted: int, *, fixed: bool) -> tuple[int, ...]:
    """Contexts to try, longest first; only the wanted one when the user set it."""
    if fixed:
        return (wanted,)
    steps = [wanted]
    while steps[-1] // 2 >= LEAST_CONTEXT:
        steps.append(steps[-1] // 2)
    return tuple(steps)


def _context_reason(context: int, wanted: int) -> tuple[str, ...]:
    if context < wanted:
        return (f"The context is {context} tokens, not {wanted}: more doesn't fit.",)
    return (f"The context is {context} tokens.",)


def _plan(gpu_layers: int, context: int, threads: int, wishes: LoadRequest, reasons: tuple[str, ...]) -> LoadPlan:
    return LoadPlan(
        gpu_layers=gpu_layers, context_tokens=context, threads=threads, batch_tokens=BATCH_TOKENS,
        ubatch_tokens=BATCH_TOKENS, kv_type=wishes.kv_type,
        reasons=(*reasons, f"{threads} threads, one for each physical core this program may use."),
    )


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB"
