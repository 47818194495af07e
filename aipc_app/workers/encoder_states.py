"""Where the encoder stands."""

from __future__ import annotations

from msgspec import Struct


class Idle(Struct, frozen=True):
    """Nobody needed it yet."""


class Starting(Struct, frozen=True):
    """It is coming, for the first time or again."""


class Ready(Struct, frozen=True, kw_only=True):
    """It answers; `embedder` is the identity that its vectors carry."""

    embedder: str
    dimensions: int


class Unavailable(Struct, frozen=True, kw_only=True):
    """It will not run on this computer as set up; `reason` is one sentence for a person."""

    reason: str


class Closed(Struct, frozen=True):
    """The program ends."""


EncoderState = Idle | Starting | Ready | Unavailable | Closed
