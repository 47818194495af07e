"""What a GGUF model is, before anything is loaded: is it whole, what is in it, which file is it."""

from __future__ import annotations

import hashlib
import mmap
import struct
from pathlib import Path

from msgspec import Struct

from engine.models.gguf_parts import read_model_header
from engine.models.gguf_reader import Header
from engine.models.layout import Layout, layout_of

_SAMPLES, _SAMPLE_BYTES = 64, 16_384


class ModelSummary(Struct, frozen=True):
    """What a model's header says, all parts of a split file taken together. Sizes in bytes.

    `identity` is a sha256 over sizes, whole headers and samples spread over the weights: the same for copies of a
    file wherever they lie, another one for another model, quantisation or template. It does not prove that every
    byte is right (a full checksum does, in minutes for a large model).
    """

    name: str
    architecture: str
    identity: str
    parts: tuple[str, ...]
    file_bytes: int
    tensor_bytes: int
    layers: int
    train_context_tokens: int
    kv_bytes_per_token: int
    layout: Layout


def summarize(path: str | Path) -> ModelSummary:
    """Check the file, and its other parts if it is split. Raises ModelError with what to do."""
    digest = hashlib.sha256()
    header = read_model_header(path, lambda view, part: _sample(digest, view, part))
    layout = layout_of(header)
    return ModelSummary(
        name=header.name,
        architecture=header.architecture,
        identity=digest.hexdigest(),
        parts=header.parts,
        file_bytes=header.file_bytes,
        tensor_bytes=sum(tensor.size for tensor in header.tensors),
        layers=header.number("block_count"),
        train_context_tokens=header.number("context_length"),
        kv_bytes_per_token=layout.kv_bytes_per_token(),
        layout=layout,
    )


def _sample(digest: hashlib._Hash, view: mmap.mmap, header: Header) -> None:
    size, data_start = len(view), header.data_start
    digest.update(struct.pack("<QQ", size, data_start))
    digest.update(view[:data_start])
    for i in range(_SAMPLES):
        offset = data_start + (size - data_start) * i // _SAMPLES
        digest.update(view[offset : offset + _SAMPLE_BYTES])
    digest.update(view[max(data_start, size - _SAMPLE_BYTES) :])
