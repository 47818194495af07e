"""Regular expressions that keep tensors of layers on the GPU in RAM (llama.cpp's tensor_buft_overrides)."""

from __future__ import annotations

import re
from collections import defaultdict

from engine.placement.candidate import Candidate
from engine.placement.units import Units
from engine.types.plan import ComputeShape


def cpu_patterns(units: Units, found: Candidate) -> tuple[str, ...]:
    """One expression for each projection whose experts stay in RAM; none when nothing needs one."""
    if found.shape in (ComputeShape.NOTHING, ComputeShape.EVERYTHING):
        return ()
    layers: dict[str, list[int]] = defaultdict(list)
    for expert in units.experts:
        if expert not in found.gpu_experts:
            layers[expert.stem].append(expert.layer)
    return tuple(_pattern(stem, sorted(held)) for stem, held in layers.items())


def _pattern(stem: str, layers: list[int]) -> str:
    # A stem may also be one expert of an old file (ffn_up.3); what follows the stem is ".weight", ".bias", ".scale".
    return rf"^blk\.({'|'.join(map(str, layers))})\.{re.escape(stem)}\."


def ranges(layers: list[int]) -> str:
    """Layers for a person: "0-2,5"."""
    parts: list[list[int]] = []
    for layer in sorted(layers):
        if parts and layer == parts[-1][-1] + 1:
            parts[-1].append(layer)
        else:
            parts.append([layer])
    return ",".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
