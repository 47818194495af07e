"""Puts models' own check to the test as the program does: each one's AUC and bars.

    python -m tests.bench.judge_models [--out FILE.json] MODEL.gguf…

With --out the probabilities are written too.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

import msgspec

from aipc_app.answer.calibration import VERSION, measure
from aipc_app.settings.model import Strictness
from aipc_app.workers.spawn import child_command
from engine.client.process import ProcessEngine
from engine.types.model import LoadRequest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = [judge(path) for path in options.models]
    if options.out is not None:
        options.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0


def judge(path: Path) -> dict[str, object]:
    """One model, loaded alone."""
    with tempfile.TemporaryDirectory() as folder:
        engine = ProcessEngine(child_command("engine"), Path(folder) / "engine.log")
        try:
            model = engine.load(LoadRequest(str(path), context_tokens=2048))
            started = time.monotonic()
            found = measure(engine, threading.Event())
            took = time.monotonic() - started
        finally:
            engine.close()
    assert found is not None
    bars = {str(one): [round(bar, 3) for bar in msgspec.structs.astuple(found.bars(one))] for one in Strictness}
    told = {"model": model.name, "auc": round(found.auc, 3), "believed": found.believed, "support_and_doubt": bars}
    print(json.dumps(told | {"seconds": round(took, 1)}), flush=True)
    return {
        "model": model.name,
        "identity": model.identity,
        "version": VERSION,
        "answered": [round(p, 4) for p in found.answered],
        "unanswered": [round(p, 4) for p in found.unanswered],
    }


if __name__ == "__main__":
    sys.exit(main())
