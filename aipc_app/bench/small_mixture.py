"""Makes a mixture of experts that computes what a small dense model computes, to measure placements with.

Each feed-forward layer is stacked eight times and a random router added; as every expert is a copy and the weights of
the chosen ones add up to one, the answer is the dense model's whatever the router picks (up to rounding).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

EXPERTS, USED = 8, 2
_STACKED = ("ffn_gate.weight", "ffn_up.weight", "ffn_down.weight")


def make_mixture(source: Path, target: Path, *, experts: int = EXPERTS, used: int = USED) -> None:
    """Write the mixture of the dense llama-like model `source`. Takes seconds and `experts` times its layers' bytes."""
    from gguf import GGUFReader, GGUFValueType, GGUFWriter

    reader = GGUFReader(source)
    architecture = str(reader.fields["general.architecture"].contents())
    writer = GGUFWriter(target, architecture)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        sub_type = field.types[-1] if field.types[0] is GGUFValueType.ARRAY else None
        writer.add_key_value(name, field.contents(), field.types[0], sub_type=sub_type)
    writer.add_expert_count(experts)
    writer.add_expert_used_count(used)
    width = int(reader.fields[f"{architecture}.embedding_length"].contents())
    generator = np.random.default_rng(7)
    for tensor in reader.tensors:
        if tensor.name.endswith(_STACKED):
            name = tensor.name.replace(".weight", "_exps.weight")
            writer.add_tensor(name, np.stack([tensor.data] * experts), raw_dtype=tensor.tensor_type)
        else:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
        if tensor.name.endswith("ffn_gate.weight"):
            router = generator.normal(0, 0.02, (experts, width)).astype(np.float32)
            writer.add_tensor(tensor.name.replace("ffn_gate.weight", "ffn_gate_inp.weight"), router)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
