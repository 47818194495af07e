"""Characters read right on degraded scans of our own pages, and pages a minute.

    python -m tests.bench.ocr

Prints one JSON object. Each page goes through the real reader process, one after the other.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import tempfile
import time
from pathlib import Path

from aipc_app.domain.reader_wire import PageRead
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command
from tests.unit.aipc_app.reader.scans import CHINESE, ENGLISH, drawn, picture_pdf, right_share
from tests.unit.aipc_app.reader.test_ocr import DEGRADED

TEXTS = {"chinese": CHINESE, "english": ENGLISH}


def main() -> None:
    rows, seconds = [], []
    with tempfile.TemporaryDirectory(prefix="aipc-bench-") as folder:
        reader = Reader(child_command("reader"), Path(folder) / "logs")
        try:
            for language, lines in TEXTS.items():
                for name, (degrade, dpi) in DEGRADED.items():
                    file = picture_pdf([degrade(drawn(lines, dpi))], Path(folder) / "scan.pdf", dpi)
                    pages: list[PageRead] = []
                    began = time.monotonic()
                    reader.read(file, "scan.pdf", on_page=pages.append)
                    seconds.append(time.monotonic() - began)
                    rows.append(
                        {
                            "language": language, "scan": name, "seconds": round(seconds[-1], 3),
                            "right": round(right_share(pages[0].page.text, lines), 4),
                            "confidence": pages[0].page.confidence,
                        }
                    )  # fmt: skip
        finally:
            reader.close()
    print(
        json.dumps(
            {
                "bench": "ocr",
                "machine": {"cores": os.cpu_count(), "processor": platform.machine()},
                "pages": rows,
                "right_least": min(row["right"] for row in rows),
                "pages_per_minute": round(60 / statistics.median(seconds), 2),
                "measured": "characters of the page found in their order; wall time a page, rendering included",
            },
            ensure_ascii=False,
        )
    )


if __name__ == "__main__":
    main()
