"""What makes two pieces of KV cache the same: all that changes the numbers, then the tokens from the first on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct

Tokens = npt.NDArray[np.int32]
BLOCK_TOKENS = 256
KEY_BYTES, FINGERPRINT_BYTES = 20, 32
ROOT = bytes(KEY_BYTES)  # the parent of a first block


class Fingerprint(Struct, frozen=True, kw_only=True):
    """What the numbers in a cache depend on beside the tokens.

    `content` is a hash of the model's bytes; `backend` names devices and the CPU's kernels; `context_class` tells
    models apart that choose other rope factors for long contexts; `layout` is the state's as probed.
    """

    content: str
    build: str
    kv_type: str
    flash_attention: bool
    rope: tuple[str, ...]
    rotation: str
    lora: tuple[str, ...]
    backend: tuple[str, ...]
    context_class: str
    layout: str

    def digest(self) -> bytes:
        """FINGERPRINT_BYTES bytes."""
        return hashlib.blake2b(msgspec.json.encode(self, order="sorted"), digest_size=FINGERPRINT_BYTES).digest()


@dataclass(frozen=True)
class Chain:
    """A prompt's blocks: block i holds tokens[ends[i-1]:ends[i]] and is named by keys[i].

    `sources[i]` are those whose text block i holds, `owner` is who asks.
    """

    fingerprint: bytes
    tokens: Tokens
    ends: tuple[int, ...]
    keys: tuple[bytes, ...]
    sources: tuple[frozenset[str], ...]
    owner: str = ""

    def parent(self, index: int) -> bytes:
        return self.keys[index - 1] if index else ROOT

    def start(self, index: int) -> int:
        return self.ends[index - 1] if index else 0

    def tokens_of(self, index: int) -> Tokens:
        return self.tokens[self.start(index) : self.ends[index]]

    def count_until(self, tokens: int) -> int:
        """How many whole blocks lie within the first `tokens` tokens."""
        return sum(end <= tokens for end in self.ends)


def chain_of(
    fingerprint: bytes, tokens: Sequence[int], ends: Sequence[int],
    sources: Sequence[frozenset[str]] = (), owner: str = "",
) -> Chain:  # fmt: skip
    """Name the blocks of `tokens` that end at `ends` (ascending): a block's key depends on all tokens before it."""
    array = np.asarray(tokens, np.int32)
    keys, parent, start = [], ROOT, 0
    for end in ends:
        digest = hashlib.blake2b(parent, key=fingerprint, digest_size=KEY_BYTES)
        digest.update(np.ascontiguousarray(array[start:end], "<i4").tobytes())
        parent, start = digest.digest(), end
        keys.append(parent)
    return Chain(fingerprint, array, tuple(ends), tuple(keys), tuple(sources or (frozenset(),) * len(keys)), owner)


def block_ends(cuts: Sequence[int], size: int = BLOCK_TOKENS) -> tuple[int, ...]:
    """Where blocks end: after `size` tokens of a prefill's piece, and with each piece."""
    ends, start = [], 0
    for cut in cuts:
        ends += [*range(start + size, cut, size), cut]
        start = cut
    return tuple(ends)
