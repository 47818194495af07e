"""One block as a file: a header, the token ids, the state; each with a checksum, all compared before use.

header: magic, version, tokens, first position, state bytes, fingerprint, key, parent, checksums of tokens and state,
checksum of all that. Little-endian. The checksum is XXH3-128: against accidents, not against an enemy.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import numpy as np
import xxhash

from engine.kv.keys import FINGERPRINT_BYTES, KEY_BYTES, Tokens
from engine.kv.layout import State

MAGIC, VERSION = b"AIPC KV\n", 1
_HEADER = struct.Struct(f"<8sIIIQ{FINGERPRINT_BYTES}s{KEY_BYTES}s{KEY_BYTES}s16s16s")
_CHECK_BYTES = 16
HEADER_BYTES = _HEADER.size + _CHECK_BYTES
_MOST_TOKENS, _MOST_STATE_BYTES = 1 << 20, 1 << 36


class BlockDamaged(Exception):
    """The file is not the block it should be."""


@dataclass(frozen=True)
class BlockHeader:
    """What a block's file says of it. `start` is the position of its first token."""

    tokens: int
    start: int
    state_bytes: int
    fingerprint: bytes
    key: bytes
    parent: bytes
    tokens_check: bytes
    state_check: bytes

    @property
    def file_bytes(self) -> int:
        return HEADER_BYTES + 4 * self.tokens + self.state_bytes


@dataclass(frozen=True)
class Block:
    """One block in memory."""

    fingerprint: bytes
    key: bytes
    parent: bytes
    start: int
    tokens: Tokens
    state: State

    @property
    def file_bytes(self) -> int:
        return HEADER_BYTES + 4 * len(self.tokens) + self.state.nbytes


def file_parts(block: Block) -> tuple[bytes, bytes, memoryview]:
    """Header, tokens and state as they stand in a file."""
    tokens = np.ascontiguousarray(block.tokens, "<i4").tobytes()
    header = _HEADER.pack(
        MAGIC, VERSION, len(block.tokens), block.start, block.state.nbytes, block.fingerprint, block.key,
        block.parent, _check(tokens), _check(block.state),
    )  # fmt: skip
    return header + _check(header), tokens, block.state.data


def decode_header(data: bytes) -> BlockHeader:
    """Raises BlockDamaged."""
    if len(data) != HEADER_BYTES or _check(data[: _HEADER.size]) != data[_HEADER.size :]:
        raise BlockDamaged("header")
    magic, version, *values = _HEADER.unpack_from(data)
    header = BlockHeader(*values)
    if (magic, version) != (MAGIC, VERSION):
        raise BlockDamaged("version")
    if not (0 < header.tokens <= _MOST_TOKENS and 0 < header.state_bytes <= _MOST_STATE_BYTES):
        raise BlockDamaged("sizes")
    return header


def read_header(path: Path) -> BlockHeader:
    """The header of a file of the length it says. Raises BlockDamaged or OSError."""
    with path.open("rb", buffering=0) as file:
        header = decode_header(file.read(HEADER_BYTES))
        if os.fstat(file.fileno()).st_size != header.file_bytes:
            raise BlockDamaged("length")
    return header


def read_block(path: Path) -> Block:
    """The block in a file, its checksums compared. Raises BlockDamaged or OSError."""
    with path.open("rb", buffering=0) as file:
        header = decode_header(file.read(HEADER_BYTES))
        if os.fstat(file.fileno()).st_size != header.file_bytes:
            raise BlockDamaged("length")
        tokens = np.empty(header.tokens, "<i4")
        state = np.empty(header.state_bytes, np.uint8)
        for array, wanted in ((tokens.view(np.uint8), header.tokens_check), (state, header.state_check)):
            _fill(file, array)
            if _check(array) != wanted:
                raise BlockDamaged("checksum")
    return Block(header.fingerprint, header.key, header.parent, header.start, tokens.astype(np.int32), state)


def write_file(path: Path, parts: Sequence[bytes | memoryview]) -> None:
    """Write under another name, make it durable, rename: a file of this name is whole. Raises OSError."""
    half = path.with_suffix(".half")
    try:
        with half.open("wb", buffering=0) as file:
            for part in parts:
                view = memoryview(part)
                while view:
                    view = view[file.write(view) :]
            os.fsync(file.fileno())
        half.replace(path)
    except OSError:
        half.unlink(missing_ok=True)
        raise


def _fill(file: FileIO, array: State) -> None:
    view = array.data
    while view:
        count = file.readinto(view)
        if not count:
            raise BlockDamaged("length")
        view = view[count:]


def _check(data: bytes | State) -> bytes:
    return bytes(xxhash.xxh3_128_digest(data if isinstance(data, bytes) else data.data))
