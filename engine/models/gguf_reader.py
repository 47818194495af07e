"""Reads one GGUF file's header, believing nothing.

Format: the GGUF specification in ggml's docs/gguf.md. Nothing is allocated by what the header claims: every count
and length is held against the bytes that are there.
"""

from __future__ import annotations

import mmap
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
_FORMATS = {code: struct.Struct("<" + code) for code in _SCALARS.values()}
_STRING, _ARRAY, _BOOL = 8, 9, 7
_LEAST_TENSOR_BYTES = 24  # name's length, dimensions, type, offset
_LEAST_PAIR_BYTES = 13

# ggml type -> (values in a block, bytes of a block); ggml/src/ggml.c, type_traits
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18), 42: (64, 18),
}  # fmt: skip

Value = str | int | float | bool | tuple[int | float, ...] | None


class TensorEntry(Struct, frozen=True):
    """One line of the tensor table. `shape` fastest dimension first, `offset` and `size` in bytes of the data."""

    name: str
    shape: tuple[int, ...]
    values: int
    offset: int
    size: int


@dataclass
class Header:
    """One file's header: metadata (long arrays left out), its tensors, where the data begins. Bytes."""

    metadata: dict[str, Value] = field(default_factory=dict)
    tensors: tuple[TensorEntry, ...] = ()
    data_start: int = 0

    @property
    def tensor_bytes(self) -> int:
        return sum(tensor.size for tensor in self.tensors)


@contextmanager
def mapped(path: Path) -> Iterator[mmap.mmap]:
    """The file's bytes. Raises ModelError when it can't be read or is shorter than any header."""
    try:
        with path.open("rb") as file:
            if file.seek(0, 2) < 24:
                raise ModelError(f"The model file {path.name} is empty or cut short; copy it again.")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                yield view
    except OSError as error:
        raise ModelError(f"The model file {path.name} can't be read ({error.strerror}).") from error


def read_header(view: mmap.mmap, name: str) -> Header:
    """The header of a mapped file; `name` is for error sentences. Raises ModelError."""
    return _Reader(view, name).header()


class _Reader:
    """Walks a header; every step is checked against the file's size."""

    def __init__(self, view: mmap.mmap, name: str) -> None:
        self._view, self._name, self._at, self._size = view, name, 0, len(view)

    def header(self) -> Header:
        self._preamble()
        tensors, pairs = self._count(_LEAST_TENSOR_BYTES), self._count(_LEAST_PAIR_BYTES)
        header = Header()
        for _ in range(pairs):
            key = self._string(_MAX_KEY_BYTES)
            header.metadata[key] = self._value(self._scalar("I"))
        if not isinstance(header.metadata.get("general.architecture"), str):
            raise self._lies("it doesn't say which kind of model it is")
        header.tensors = tuple(self._tensor() for _ in range(tensors))
        self._measure(header)
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

    def _measure(self, header: Header) -> None:
        alignment = header.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1) or alignment > 1 << 20:
            raise self._lies("its alignment is no power of two")
        header.data_start = (self._at + alignment - 1) // alignment * alignment
        needed = header.data_start + self._extent(header.tensors)
        if header.tensors and self._size < needed:
            raise ModelError(
                f"The model file {self._name} is cut short: {self._size:,} of {needed:,} bytes "
                "are there; copy it again."
            )
        header.data_start = min(header.data_start, self._size)

    def _extent(self, tensors: Sequence[TensorEntry]) -> int:
        """Bytes from the start of the data to the end of the last tensor; no two may share a byte or a name."""
        end = 0
        for tensor in sorted(tensors, key=lambda tensor: (tensor.offset, tensor.size)):
            if tensor.offset < end:
                raise self._lies("two tensors overlap")
            end = tensor.offset + tensor.size
        if len({tensor.name for tensor in tensors}) < len(tensors):
            raise self._lies("two tensors have one name")
        return end

    def _tensor(self) -> TensorEntry:
        name = self._string(_MAX_NAME_BYTES)
        dimensions = self._scalar("I")
        if dimensions > _MAX_DIMENSIONS:
            raise self._lies(f"a tensor has {dimensions} dimensions")
        shape = tuple(self._scalar("Q") for _ in range(dimensions))
        kind, offset = self._scalar("I"), self._scalar("Q")
        values = 1
        for length in shape:
            values *= length
        block, block_bytes = _BLOCKS.get(kind, (1, 0))  # newer than this table: its place is known, its size isn't
        if values % block or values >= 1 << 62 or offset >= 1 << 62:
            raise self._lies("a tensor's shape is impossible")
        return TensorEntry(name, shape, values, offset, values // block * block_bytes)

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
            self._skip_strings(count)
            return None
        if kind not in _SCALARS:
            raise self._lies(f"it has a list of unknown type {kind}")
        width = struct.calcsize(_SCALARS[kind])
        count = self._count(width)
        start = self._skip(count * width)
        return struct.unpack_from(f"<{count}{_SCALARS[kind]}", self._view, start) if count <= 4_096 else None

    def _skip_strings(self, count: int) -> None:
        """Step over texts; a vocabulary has hundreds of thousands."""
        at, last, length_at = self._at, self._size - 8, _FORMATS["Q"].unpack_from
        for _ in range(count):
            if at > last:
                raise self._short("its header runs past its end")
            at += 8 + length_at(self._view, at)[0]
        if at > self._size:
            raise self._short("its header runs past its end")
        self._at = at

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
        form = _FORMATS[code]
        value: int = form.unpack_from(self._view, self._skip(form.size))[0]
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
