"""Reads a GGUF file's header before anything is loaded: is it whole, what is in it, which file is it.

Format: the GGUF specification in ggml's docs/gguf.md. Nothing is allocated by what the header claims: every count
and length is held against the bytes that are there.
"""

from __future__ import annotations

import hashlib
import mmap
import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from engine.errors import ModelError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MAX_KEY_BYTES, _MAX_NAME_BYTES, _MAX_VALUE_BYTES = 65_535, 1_024, 1 << 24
_MAX_STRINGS_IN_ARRAY, _MAX_DIMENSIONS = 1 << 22, 4
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY, _BOOL = 8, 9, 7
_SAMPLES, _SAMPLE_BYTES = 64, 16_384
_PART = re.compile(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$")

# ggml type -> (values in a block, bytes of a block); ggml/src/ggml.c, type_traits
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18), 42: (64, 18),
}  # fmt: skip

Value = str | int | float | bool | tuple[int | float, ...] | None


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


@dataclass
class _Header:
    """One file's header: metadata (long arrays left out), extents of its tensors, where the data begins."""

    metadata: dict[str, Value] = field(default_factory=dict)
    tensor_bytes: int = 0
    needed_bytes: int = 0
    data_start: int = 0


def summarize(path: str | Path) -> ModelSummary:
    """Check the file, and its other parts if it is split. Raises ModelError with what to do."""
    first = Path(path)
    digest, headers = hashlib.sha256(), []
    parts = _parts(first)
    for part in parts:
        with _mapped(part) as view:
            header = _Reader(view, part.name).header()
            _sample(digest, view, header.data_start)
            headers.append(header)
    _check_split(headers[0], parts)
    metadata = headers[0].metadata
    return ModelSummary(
        name=str(metadata.get("general.name") or first.stem),
        architecture=str(metadata["general.architecture"]),
        identity=digest.hexdigest(),
        parts=tuple(str(part) for part in parts),
        file_bytes=sum(part.stat().st_size for part in parts),
        tensor_bytes=sum(header.tensor_bytes for header in headers),
        layers=_number(metadata, "block_count"),
        train_context_tokens=_number(metadata, "context_length"),
        kv_bytes_per_token=_kv_bytes_per_token(metadata),
    )


def _parts(first: Path) -> tuple[Path, ...]:
    """The file itself, or all parts of a split model when the first is named. Raises ModelError."""
    found = _PART.match(first.name)
    if found is None:
        return (first,)
    count = int(found["count"])
    if int(found["number"]) != 1:
        raise ModelError(f"{first.name} is part {int(found['number'])} of {count}; open part 1.")
    parts = tuple(first.with_name(f"{found['stem']}-{i:05d}-of-{count:05d}.gguf") for i in range(1, count + 1))
    for part in parts:
        if not part.is_file():
            raise ModelError(f"Part {part.name} of the model is missing; copy all {count} parts into one folder.")
    return parts


def _check_split(header: _Header, parts: Sequence[Path]) -> None:
    declared = header.metadata.get("split.count", 0)
    if isinstance(declared, int) and declared > 1 and declared != len(parts):
        raise ModelError(f"{parts[0].name} belongs to a model of {declared} parts; keep their original names.")


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    try:
        with path.open("rb") as file:
            if file.seek(0, 2) < 24:
                raise ModelError(f"The model file {path.name} is empty or cut short; copy it again.")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                yield view
    except OSError as error:
        raise ModelError(f"The model file {path.name} can't be read ({error.strerror}).") from error


def _sample(digest: hashlib._Hash, view: mmap.mmap, data_start: int) -> None:
    size = len(view)
    digest.update(struct.pack("<QQ", size, data_start))
    digest.update(view[:data_start])
    for i in range(_SAMPLES):
        offset = data_start + (size - data_start) * i // _SAMPLES
        digest.update(view[offset : offset + _SAMPLE_BYTES])
    digest.update(view[max(data_start, size - _SAMPLE_BYTES) :])


class _Reader:
    """Walks a header; every step is checked against the file's size."""

    def __init__(self, view: mmap.mmap, name: str) -> None:
        self._view, self._name, self._at, self._size = view, name, 0, len(view)

    def header(self) -> _Header:
        self._preamble()
        tensors, pairs = self._count(24), self._count(13)
        header = _Header()
        for _ in range(pairs):
            key = self._string(_MAX_KEY_BYTES)
            header.metadata[key] = self._value(self._scalar("I"))
        if not isinstance(header.metadata.get("general.architecture"), str):
            raise self._lies("it doesn't say which kind of model it is")
        extents = [self._tensor() for _ in range(tensors)]
        self._measure(header, extents)
        return header

    def _preamble(self) -> None:
        if self._view[:4] != _MAGIC:
            raise ModelError(f"{self._name} is no GGUF model file; choose a file that ends in .gguf.")
        self._at = 4
        version = self._scalar("I")
        if version not in _VERSIONS:
            swapped = int.from_bytes(struct.pack("<I", version), "big")
            why = "was made for big-endian machines" if swapped in _VERSIONS else f"is of GGUF version {version}"
            raise ModelError(f"{self._name} {why}, which this program can't read; get another copy of the model.")

    def _measure(self, header: _Header, extents: Sequence[tuple[int, int]]) -> None:
        alignment = header.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1) or alignment > 1 << 20:
            raise self._lies("its alignment is no power of two")
        header.data_start = (self._at + alignment - 1) // alignment * alignment
        header.tensor_bytes = sum(size for _, size in extents)
        header.needed_bytes = header.data_start + max((at + size for at, size in extents), default=0)
        if extents and self._size < header.needed_bytes:
            raise ModelError(
                f"The model file {self._name} is cut short: {self._size:,} of {header.needed_bytes:,} bytes "
                "are there; copy it again."
            )
        header.data_start = min(header.data_start, self._size)

    def _tensor(self) -> tuple[int, int]:
        """Offset and size of the next tensor, in bytes from the start of the data."""
        self._string(_MAX_NAME_BYTES)
        dimensions = self._scalar("I")
        if dimensions > _MAX_DIMENSIONS:
            raise self._lies(f"a tensor has {dimensions} dimensions")
        shape = [self._scalar("Q") for _ in range(dimensions)]
        kind, offset = self._scalar("I"), self._scalar("Q")
        values = 1
        for length in shape:
            values *= length
        block, block_bytes = _BLOCKS.get(kind, (1, 0))  # newer than this table: its place is known, its size isn't
        if values % block or values >= 1 << 62 or offset >= 1 << 62:
            raise self._lies("a tensor's shape is impossible")
        return offset, values // block * block_bytes

    def _value(self, kind: int) -> Value:
        if kind == _STRING:
            return self._string(_MAX_VALUE_BYTES)
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise self._lies(f"it has a value of unknown type {kind}")
        value = self._scalar(_SCALARS[kind])
        return bool(value) if kind == _BOOL else value

    def _array(self) -> Value:
        kind = self._scalar("I")
        if kind == _STRING:
            count = self._count(8)
            if count > _MAX_STRINGS_IN_ARRAY:
                raise self._lies(f"it has a list of {count:,} texts")
            for _ in range(count):
                self._skip(self._scalar("Q"))
            return None
        if kind not in _SCALARS:
            raise self._lies(f"it has a list of unknown type {kind}")
        width = struct.calcsize(_SCALARS[kind])
        count = self._count(width)
        start = self._skip(count * width)
        return struct.unpack_from(f"<{count}{_SCALARS[kind]}", self._view, start) if count <= 4_096 else None

    def _string(self, limit: int) -> str:
        length = self._scalar("Q")
        if length > limit:
            raise self._lies(f"a text of {length:,} bytes is announced")
        start = self._skip(length)
        return self._view[start : start + length].decode("utf-8", "replace")

    def _count(self, least_bytes: int) -> int:
        """A number of items of at least so many bytes each, which must still fit into the file."""
        count = self._scalar("Q")
        if count > (self._size - self._at) // least_bytes:
            raise self._short(f"{count:,} items are announced")
        return count

    def _scalar(self, code: str) -> int:
        start = self._skip(struct.calcsize(code))
        value: int = struct.unpack_from("<" + code, self._view, start)[0]
        return value

    def _skip(self, length: int) -> int:
        start = self._at
        if length > self._size - start:
            raise self._short("its header runs past its end")
        self._at = start + length
        return start

    def _lies(self, what: str) -> ModelError:
        return ModelError(f"The model file {self._name} is damaged ({what}); copy it again.")

    def _short(self, what: str) -> ModelError:
        return ModelError(
            f"The model file {self._name} is cut short or damaged ({what}, {self._size:,} bytes are there); "
            "copy it again."
        )


def _number(metadata: dict[str, Value], key: str, default: int = 0) -> int:
    value = metadata.get(f"{metadata['general.architecture']}.{key}", default)
    if isinstance(value, tuple):
        value = max(value, default=default)
    return int(value) if isinstance(value, (int, float)) else default


def _kv_bytes_per_token(metadata: dict[str, Value]) -> int:
    """Bytes of f16 K and V for one token over all layers; an upper bound for hybrid and sliding-window models."""
    layers, heads = _number(metadata, "block_count"), _number(metadata, "attention.head_count")
    if not heads:
        return 0
    if lora := _number(metadata, "attention.kv_lora_rank"):  # MLA keeps one compressed K and no V
        return layers * (lora + _number(metadata, "rope.dimension_count", 64)) * 2
    width = _number(metadata, "embedding_length") // heads
    key, value = _number(metadata, "attention.key_length", width), _number(metadata, "attention.value_length", width)
    kv_heads = metadata.get(f"{metadata['general.architecture']}.attention.head_count_kv")
    if isinstance(kv_heads, tuple):  # one number for each layer
        return int(sum(kv_heads)) * (key + value) * 2
    return _number(metadata, "attention.head_count_kv", heads) * layers * (key + value) * 2
