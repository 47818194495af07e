"""The benchmark's bare loop."""

from __future__ import annotations

from pathlib import Path

from engine.native.raw_loop import measure


def test_it_decodes_and_tells_how_fast(tiny_model: Path) -> None:
    assert measure(str(tiny_model), 5, 4, 1) > 0
