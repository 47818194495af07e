"""Takes the language out of multilingual-e5's vectors, so that a question finds text in the other language.

Vectors of one language lie together: with Chinese and English paragraphs in one index, a question in one language
found a paragraph of the other among the first five in 5 to 25% of cases, after centring in about 90%
(aipc bench retrieval, two languages). Subtracting each language's mean is "language centring" of Libovický, Rosa and
Fraser, "On the Language Neutrality of Pre-trained Multilingual Representations", Findings of EMNLP 2020. Which
language a vector is of shows on the line between the two means, so stored vectors need no label.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from aipc_app.domain.encoder_wire import TextKind
from aipc_app.encoder import e5_centres
from aipc_app.encoder.embedder import Matrix

_SHARE = 1.0  # of the mean that is subtracted


class Centres(Struct, frozen=True):
    """Mean vectors of Chinese and of English texts of one kind, float32 of shape (dimensions,)."""

    chinese: Matrix
    english: Matrix

    def subtract(self, rows: Matrix) -> Matrix:
        """Rows of length 1 again, without what their language alone put into them."""
        line = self.chinese - self.english
        chinese = np.clip((rows - self.english) @ line / (line @ line), 0.0, 1.0)[:, None]
        moved = rows - _SHARE * (chinese * self.chinese + (1.0 - chinese) * self.english)
        length = np.linalg.norm(moved, axis=1, keepdims=True)
        return np.asarray(np.divide(moved, length, out=np.zeros_like(moved), where=length > 0), dtype=np.float32)


def e5_small() -> Mapping[TextKind, Centres]:
    """The centres of multilingual-e5-small."""
    return {
        TextKind.PASSAGE: Centres(_unpack(e5_centres.CHINESE_PASSAGES), _unpack(e5_centres.ENGLISH_PASSAGES)),
        TextKind.QUERY: Centres(_unpack(e5_centres.CHINESE_QUERIES), _unpack(e5_centres.ENGLISH_QUERIES)),
    }


def _unpack(packed: str) -> Matrix:
    return np.frombuffer(base64.b85decode(packed), dtype="<f2").astype(np.float32)
