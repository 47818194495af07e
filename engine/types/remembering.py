"""What is remembered of prompts: settings of the store, what can be asked of it, what it tells."""

from __future__ import annotations

from msgspec import Struct

from engine.types.generation import Priority, Remembered
from engine.types.prompt import Prompt, SegmentKind

__all__ = ["Known", "KnownSegment", "OwnerShare", "RememberRequest", "Remembered", "StoreSettings", "StoreStatus"]


class StoreSettings(Struct, frozen=True):
    """Where the KV cache of what was read is kept, and how much of it (bytes).

    `disk_reserve_bytes` of the disk stay free whatever the quota. Not `enabled`: nothing is kept beyond the RAM tier.
    """

    directory: str
    ram_bytes: int
    disk_bytes: int
    disk_reserve_bytes: int = 1 << 30
    enabled: bool = True


class RememberRequest(Struct, frozen=True):
    """Read a prompt up to the end of the last segment before the first PASSAGES or QUESTION one; generate nothing.

    `owner` ("case:3", "library") is who the blocks are kept for.
    """

    prompt: Prompt
    owner: str
    priority: Priority = Priority.BACKGROUND


class KnownSegment(Struct, frozen=True):
    """One segment of a prompt: its tokens, and how many of them are remembered."""

    source: str
    kind: SegmentKind
    tokens: int
    known_tokens: int


class Known(Struct, frozen=True):
    """How much of a prompt is remembered now. `prefill_tokens_per_s` is as last measured, 0 when it never was."""

    tokens: int
    known_tokens: int
    segments: tuple[KnownSegment, ...]
    prefill_tokens_per_s: float


class OwnerShare(Struct, frozen=True):
    """What is kept for one owner or source. Bytes and tokens count shared blocks in full.

    `last_used` is in seconds since the epoch.
    """

    owner: str
    bytes: int
    tokens: int
    pinned: bool
    last_used: float


class StoreStatus(Struct, frozen=True):
    """The store as it is now. `problem` is "" or one sentence for a person."""

    enabled: bool
    ram_bytes: int
    ram_quota: int
    disk_bytes: int
    disk_quota: int
    blocks: int
    owners: tuple[OwnerShare, ...]
    problem: str = ""
