"""Nearness of meaning, for an answer in another language than its source."""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Mapping, Sequence
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
    """Cosine similarity of a claim to every unit; a unit's vector is kept for the next call. Any thread."""

    def __init__(self, encoder: Embeds) -> None:
        self._encoder = encoder
        self._known: OrderedDict[str, array[float]] = OrderedDict()
        self._lock = threading.Lock()  # of _known; not held while the encoder works

    def similarities(self, claim: str, units: Units) -> dict[int, float]:
        """By unit index. Blocks for about 6 ms a new unit. Raises AipcError when the encoder can't be had."""
        texts = [unit.text for unit in units.items]
        rows = self._remembered(texts)
        rows |= self._learn([text for text in dict.fromkeys(texts) if text not in rows])
        (wanted,) = self._rows(self._encoder.embed((claim,), TextKind.PASSAGE))
        return {i: sum(map(mul, wanted, rows[text])) for i, text in enumerate(texts)}

    def _remembered(self, texts: Sequence[str]) -> dict[str, array[float]]:
        with self._lock:
            rows = {text: self._known[text] for text in texts if text in self._known}
            for text in rows:
                self._known.move_to_end(text)
        return rows

    def _learn(self, texts: Sequence[str]) -> dict[str, array[float]]:
        learnt: dict[str, array[float]] = {}
        for start in range(0, len(texts), 32):
            batch = texts[start : start + 32]
            rows = self._rows(self._encoder.embed(batch, TextKind.PASSAGE))
            new = dict(zip(batch, rows, strict=True))
            self._keep(new)
            learnt |= new
        return learnt

    def _keep(self, rows: Mapping[str, array[float]]) -> None:
        """The longest unused go first; a call under way has its own hold of what it needs."""
        with self._lock:
            self._known.update(rows)
            while len(self._known) > _MOST_CACHED:
                self._known.popitem(last=False)

    @staticmethod
    def _rows(vectors: Vectors) -> list[array[float]]:
        flat = array("f")
        flat.frombytes(vectors.data)
        size = vectors.dimensions
        return [flat[i : i + size] for i in range(0, len(flat), size)]
