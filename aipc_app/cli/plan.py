"""aipc plan MODEL.gguf: where its parts would go and how fast it would be, from the header alone."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from msgspec import Struct

from aipc_app import paths
from aipc_app.cli.arguments import natural
from aipc_app.cli.output import Output
from aipc_app.messages import system_language, translate
from aipc_app.operations.plan import make_plan, plan_tasks, probe_machine
from engine.types.plan import Part, PlacementPlan, PlanWishes, Prediction

_SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*(?:([kmgt]?)(i?)b?)?$", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


class _Printed(Struct, frozen=True, kw_only=True):
    """The fields that are promised, and no others."""

    model: str
    architecture: str
    parameters: int
    active_parameters: int
    file_bytes: int
    fits: bool
    placement: tuple[Part, ...]
    predicted: Prediction
    context: int
    kv_bytes_per_token: int
    explanation: tuple[str, ...]


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("plan", parents=[common], help="where a model's parts would go on this PC, and why")
    parser.add_argument("model", type=Path, metavar="MODEL.gguf")
    parser.add_argument("--vram", type=size, metavar="SIZE", help="memory of the GPU to use, like 24GiB; 0 for none")
    parser.add_argument("--ram", type=size, metavar="SIZE", help="memory of the computer to use, like 192GiB")
    parser.add_argument("--context", type=natural, metavar="TOKENS", help="length of the context")
    parser.add_argument("--kv", choices=("f16", "q8_0", "q4_0"), default="f16", help="how the KV cache is stored")
    parser.add_argument("--measure-again", action="store_true", help="measure memory, disk and GPU first")
    parser.set_defaults(action=_plan, without_home=True)


def size(text: str) -> int:
    """24GiB, 24GB, 512MiB, 24G (as GiB); bytes. Anything else is wrong usage."""
    found = _SIZE.match(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is no size; write it like 24GiB")
    unit, binary = (found[2] or "").lower(), bool(found[3])
    base = 1024 if binary or not text.strip().lower().endswith("b") else 1000
    return int(float(found[1]) * base ** _POWERS[unit])


def _plan(options: argparse.Namespace, output: Output) -> int:
    tasks = plan_tasks(paths.home(options.home))
    wishes = PlanWishes(
        vram_bytes=options.vram, ram_bytes=options.ram, context_tokens=options.context, kv_type=options.kv
    )
    if options.measure_again:
        probe_machine(tasks, path=options.model).run()
    plan = make_plan(tasks, path=options.model, wishes=wishes).run()
    if output.json:
        output.object(_Printed(**{name: getattr(plan, name) for name in _Printed.__struct_fields__}))
    else:
        _show(plan, output)
    return 0 if plan.fits else 1


def _show(plan: PlacementPlan, output: Output) -> None:
    language = system_language()
    output.line(
        f"{plan.model}: {plan.parameters / 1e9:.1f}B ({plan.active_parameters / 1e9:.1f}B active), "
        f"{plan.file_bytes / 2**30:.1f} GiB"
    )
    for part in plan.placement:
        output.line(
            f"  {part.device:6} {part.bytes / 2**30:8.2f} GiB  {part.tensors:15} {part.layers:10} "
            f"{translate(part.reason, language)}"
        )
    if plan.fits:
        output.line(
            f"  {plan.predicted.decode_tokens_per_s:.1f} tokens/s, reading {plan.predicted.prefill_tokens_per_s:.0f} "
            f"tokens/s, context {plan.context}"
        )
    for sentence in plan.explanation:
        output.line(translate(sentence, language))
