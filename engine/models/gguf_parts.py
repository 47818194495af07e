"""The header of a whole model: one file, or all parts of a split one."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Sequence
from mmap import mmap
from pathlib import Path

from msgspec import Struct

from engine.errors import ModelError
from engine.models.gguf_reader import Header, TensorEntry, Value, mapped, read_header

_PART = re.compile(r"^(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf$")
_MOST = 1 << 48  # no number of a header that is used as one is larger

Look = Callable[[mmap, Header], None]


class ModelHeader(Struct, frozen=True):
    """What the files say before their weights. `digest` is of all headers and sizes, not of the weights."""

    name: str
    metadata: dict[str, Value]
    tensors: tuple[TensorEntry, ...]
    parts: tuple[str, ...]
    file_bytes: int
    digest: str

    @property
    def architecture(self) -> str:
        return str(self.metadata["general.architecture"])

    def number(self, key: str, default: int = 0) -> int:
        """A metadata number of this architecture; of a list the largest. `default` when missing or no number."""
        value = self.value(key)
        if isinstance(value, tuple):
            value = max(value, default=default)
        return _whole(value, default)

    def per_layer(self, key: str, layer: int, default: int = 0) -> int:
        """The same for one layer, where the file may have a number for each."""
        value = self.value(key)
        if isinstance(value, tuple):
            value = value[layer] if layer < len(value) else default
        return _whole(value, default)

    def value(self, key: str) -> Value:
        return self.metadata.get(f"{self.architecture}.{key}")


def read_model_header(path: str | Path, look: Look | None = None) -> ModelHeader:
    """Read and check the header of `path` and of its other parts. Reads no weights, unless `look` does.

    Raises ModelError with what to do.
    """
    first = Path(path)
    parts = _parts(first)
    digest, headers = hashlib.sha256(), []
    for part in parts:
        with mapped(part) as view:
            header = read_header(view, part.name)
            digest.update(struct.pack("<QQ", len(view), header.data_start))
            digest.update(view[: header.data_start])
            if look is not None:
                look(view, header)
            headers.append(header)
    _check_split(headers, parts)
    return ModelHeader(
        name=str(headers[0].metadata.get("general.name") or first.stem),
        metadata=headers[0].metadata,
        tensors=tuple(tensor for header in headers for tensor in header.tensors),
        parts=tuple(str(part) for part in parts),
        file_bytes=sum(part.stat().st_size for part in parts),
        digest=digest.hexdigest(),
    )


def _parts(first: Path) -> tuple[Path, ...]:
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


def _check_split(headers: Sequence[Header], parts: Sequence[Path]) -> None:
    declared = headers[0].metadata.get("split.count", 0)
    if isinstance(declared, int) and declared > 1 and declared != len(parts):
        raise ModelError(f"{parts[0].name} belongs to a model of {declared} parts; keep their original names.")


def _whole(value: Value, default: int) -> int:
    if isinstance(value, int | float) and 0 <= value <= _MOST:  # not so for NaN
        return int(value)
    return default
