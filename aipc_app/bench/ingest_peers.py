"""The same PDFs through other readers, each in a process of its own, in the same run."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SECONDS = 1200  # for all files of one reader
_MEASURE = """
import json, resource, sys, time
files = json.loads(sys.stdin.read())
{load}
for file in files:
    began = time.monotonic()
    try:
        text = read(file)
    except Exception as error:
        text = ""
    print(json.dumps([file, "".join(text.split()), time.monotonic() - began]))
who = {who}
print(json.dumps(["", "", resource.getrusage(who).ru_maxrss]))
"""
_LOADS = {
    "pdfium": """
import pypdfium2
def read(file):
    document = pypdfium2.PdfDocument(file)
    return "".join(document[i].get_textpage().get_text_bounded() for i in range(len(document)))
""",
    "aipc": """
import tempfile
from pathlib import Path
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command
reader = Reader(child_command("reader"), Path(tempfile.mkdtemp()))
def read(file):
    pages = []
    reader.read(Path(file), file, on_page=pages.append)
    if file == files[-1]:
        reader.close()
    return "".join(one.page.text for one in pages)
""",
    "pdfminer.six": """
from pdfminer.high_level import extract_text as read
""",
    "pdfplumber": """
import pdfplumber
def read(file):
    with pdfplumber.open(file) as document:
        return "".join(page.extract_text() or "" for page in document.pages)
""",
    "markitdown": """
from markitdown import MarkItDown
converter = MarkItDown(enable_plugins=False)
def read(file):
    return converter.convert(file).text_content
""",
}
Read = dict[str, tuple[str, float]]


def beside_others(files: Sequence[Path]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Characters recovered against PDFium's own text, seconds, peak memory; and which readers are not installed.

    The text of the visible pages: what is cropped away is nobody's to read.
    """
    read: dict[str, tuple[Read, int]] = {}
    skipped = []
    for name in _LOADS:
        found = _texts_of(name, files)
        if found is None:
            skipped.append(f"{name} is not installed; pip install it into a development environment to compare")
        else:
            read[name] = found
    if "pdfium" not in read:
        return {}, tuple(skipped)
    reference = read["pdfium"][0]
    return {name: _figures(texts, memory, reference) for name, (texts, memory) in read.items()}, tuple(skipped)


def _texts_of(name: str, files: Sequence[Path]) -> tuple[Read, int] | None:
    """Texts and seconds by file, and the peak memory in KiB; None when it can't be loaded."""
    who = "resource.RUSAGE_CHILDREN" if name == "aipc" else "resource.RUSAGE_SELF"
    script = _MEASURE.format(load=_LOADS[name], who=who)
    done = subprocess.run(
        [sys.executable, "-c", script], input=json.dumps([str(file) for file in files]), text=True,
        capture_output=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    if done.returncode:
        return None
    *lines, last = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    return {file: (text, seconds) for file, text, seconds in lines}, int(last[2])


def _figures(texts: Read, memory: int, reference: Read) -> dict[str, Any]:
    shares = {file: _recovered(texts[file][0], wanted) for file, (wanted, _) in reference.items() if wanted}
    seconds = [one[1] for one in texts.values()]
    return {
        "characters_recovered_median": round(statistics.median(shares.values()), 4) if shares else None,
        "characters_recovered_least": round(min(shares.values()), 4) if shares else None,
        "least_in": Path(min(shares, key=shares.__getitem__)).name if shares else None,
        "seconds_total": round(sum(seconds), 3),
        "seconds_median": round(statistics.median(seconds), 4) if seconds else None,
        "peak_memory_mib": memory >> 10,
    }


def _recovered(text: str, wanted: str) -> float:
    """The share of the wanted characters that are there as often, in whatever order."""
    return sum((Counter(text) & Counter(wanted)).values()) / len(wanted)
