"""What the fake engine remembers: chains of segments, kept for owners and sources as the real store keeps blocks."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.types.prompt import Prompt, Segment, SegmentKind
from engine.types.remembering import Known, KnownSegment, OwnerShare, StoreStatus

BYTES_PER_TOKEN = 1_000
TOKENS_PER_S = 100.0
_TOKEN = re.compile(r"[㐀-鿿]|\w+|[^\w\s]|\s+")
_AFTER_THE_PREFIX = (SegmentKind.PASSAGES, SegmentKind.QUESTION)

Chain = tuple[str, ...]


def fake_tokens(text: str) -> list[str]:
    """The fake model's tokens."""
    return _TOKEN.findall(text)


def segments_of(prompt: Prompt) -> list[Segment]:
    return [segment for message in prompt.messages for segment in message.segments]


def prefix_of(prompt: Prompt) -> list[Segment]:
    """The segments that `remember` reads."""
    segments = segments_of(prompt)
    ends = (i for i, segment in enumerate(segments) if segment.kind in _AFTER_THE_PREFIX)
    return segments[: next(ends, len(segments))]


@dataclass
class _Kept:
    tokens: int
    owners: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    last_used: float = 0.0


class FakeStore:
    """Segments remembered by the chain of texts up to and with them."""

    def __init__(self, *, enabled: bool = True) -> None:
        self.enabled, self.problem = enabled, ""
        self._kept: dict[Chain, _Kept] = {}
        self._pinned: set[str] = set()

    def known(self, prompt: Prompt) -> Known:
        segments, chain, going = segments_of(prompt), Chain(), True
        told: list[KnownSegment] = []
        for segment in segments:
            chain = (*chain, segment.text)
            going = going and chain in self._kept
            tokens = len(fake_tokens(segment.text))
            told.append(KnownSegment(segment.source, segment.kind, tokens, tokens if going else 0))
        total, known = sum(one.tokens for one in told), sum(one.known_tokens for one in told)
        return Known(total, known, tuple(told), TOKENS_PER_S)

    def restored(self, segments: Sequence[Segment]) -> int:
        """Tokens of the longest remembered chain of whole segments."""
        total, chain = 0, Chain()
        for segment in segments:
            chain = (*chain, segment.text)
            if chain not in self._kept:
                break
            total += self._kept[chain].tokens
        return total

    def keep(self, segments: Sequence[Segment], owner: str) -> int:
        """Remember them; tokens that are new."""
        chain, new = Chain(), 0
        for segment in segments:
            chain = (*chain, segment.text)
            if chain not in self._kept:
                self._kept[chain] = _Kept(len(fake_tokens(segment.text)))
                new += self._kept[chain].tokens
            self._kept[chain].owners.update({owner} - {""})
            self._kept[chain].sources.update({segment.source} - {""})
            self._kept[chain].last_used = time.time()
        return new

    def pin(self, owner: str, pinned: bool) -> None:
        (self._pinned.add if pinned else self._pinned.discard)(owner)

    def forget(self, owners: Sequence[str]) -> int:
        """What only these owners keep, what is of these sources, and whatever was read after it."""
        names, gone = set(owners), set[Chain]()
        for chain, kept in sorted(self._kept.items(), key=lambda item: len(item[0])):
            last = bool(kept.owners & names) and kept.owners <= names
            if last or kept.sources & names or chain[:-1] in gone:
                gone.add(chain)
            kept.owners -= names
        self._pinned -= names
        return sum(self._kept.pop(chain).tokens for chain in gone) * BYTES_PER_TOKEN

    def forget_all(self) -> int:
        freed = self._bytes()
        self._kept.clear()
        self._pinned.clear()
        return freed

    def status(self) -> StoreStatus:
        names = {name for kept in self._kept.values() for name in kept.owners | kept.sources}
        owners = sorted(names | self._pinned)
        return StoreStatus(
            enabled=self.enabled, ram_bytes=self._bytes(), ram_quota=1 << 30, disk_bytes=self._bytes(),
            disk_quota=10 << 30, blocks=len(self._kept), owners=tuple(map(self._share, owners)), problem=self.problem,
        )  # fmt: skip

    def _share(self, owner: str) -> OwnerShare:
        kept = [one for one in self._kept.values() if owner in one.owners | one.sources]
        tokens, last = sum(one.tokens for one in kept), max((one.last_used for one in kept), default=0.0)
        return OwnerShare(owner, tokens * BYTES_PER_TOKEN, tokens, owner in self._pinned, last)

    def _bytes(self) -> int:
        return sum(one.tokens for one in self._kept.values()) * BYTES_PER_TOKEN
