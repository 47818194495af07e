"""Nearness of meaning, for an answer in another language than its source."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Sequence
from operator import mul
from typing import Protocol

from aipc_app.answer.units import Units
from aipc_app.domain.encoder_wire import TextKind

_MOST_CACHED = 20_000


class Vectors(Protocol):
    """Rows of L2-normalised float32."""

    @property
    def dimensions(self) -> int: ...
    @property
    def data(self) -> bytes: ...


class Embeds(Protocol):
    """The part of the encoder this room needs."""

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors: ...


class Meaning:
    """Cosine similarity of a claim to every unit; a unit's vector is worked out once."""

    def __init__(self, encoder: Embeds) -> None:
        self._encoder = encoder
        self._known: OrderedDict[str, array[float]] = OrderedDict()

    def similarities(self, claim: str, units: Units) -> dict[int, float]:
        """By unit index. Blocks for about 6 ms a new unit. Raises AipcError when the encoder can't be had."""
        texts = [unit.text for unit in units.items]
        self._learn([text for text in dict.fromkeys(texts) if text not in self._known])
        (wanted,) = self._rows(self._encoder.embed((claim,), TextKind.PASSAGE))
        return {i: sum(map(mul, wanted, self._known[text])) for i, text in enumerate(texts)}

    def _learn(self, texts: list[str]) -> None:
        while len(self._known) + len(texts) > _MOST_CACHED and self._known:
            self._known.popitem(last=False)
        for start in range(0, len(texts), 32):
            batch = texts[start : start + 32]
            for text, row in zip(batch, self._rows(self._encoder.embed(batch, TextKind.PASSAGE)), strict=True):
                self._known[text] = row

    @staticmethod
    def _rows(vectors: Vectors) -> list[array[float]]:
        flat = array("f")
        flat.frombytes(vectors.data)
        size = vectors.dimensions
        return [flat[i : i + size] for i in range(0, len(flat), size)]
