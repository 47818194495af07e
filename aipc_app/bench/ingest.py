"""Reading the shared documents: what became of each kind, how fast, and beside other readers of PDFs."""

from __future__ import annotations

import os
import tempfile
import time
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

from msgspec import Struct

from aipc_app.bench.ingest_kept import Kept
from aipc_app.bench.ingest_peers import beside_others
from aipc_app.bench.report import Bar, BenchReport, this_machine
from aipc_app.domain.documents import Page, PageState
from aipc_app.domain.reader_wire import PageRead, PictureRead, ReadLimits
from aipc_app.errors import DocumentError, DocumentLimit, PasswordNeeded, UnsupportedFormat
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command

SECONDS_PER_FILE = 60.0
PAGES_PER_SECOND = 20.0
_LEAST_DIGITAL_PAGES = 3  # shorter files measure starting, not reading
_LEAST_CHARACTERS = 200  # a page: emptier ones are read as fast as they are opened
_UNREADABLE_SHARE = 0.3
ROOT = Path(__file__).resolve().parents[2]


class FileOutcome(Struct, frozen=True, kw_only=True):
    """What became of one file. `status` as `aipc add` says it, and why not; `recognised_s` went to recognition."""

    kind: str
    status: str
    seconds: float
    pages: int = 0
    characters: int = 0
    recognised_pages: int = 0
    recognised_s: float = 0.0
    states: dict[str, int] = {}
    unreadable: int = 0  # pages marked good whose text is none
    reason: str = ""

    @property
    def is_digital(self) -> bool:
        """A PDF of several pages, all with text of their own, and not only a few words."""
        only_text = self.states.get(PageState.TEXT.value) == self.pages
        written = self.characters >= _LEAST_CHARACTERS * self.pages
        return self.kind == "pdf" and only_text and written and self.pages >= _LEAST_DIGITAL_PAGES


def run(data: Path | None, keep: Path | None = None) -> BenchReport:
    """Read every file of DIR/data/documents once, one after the other, in one reader process.

    `keep`: where each file's outcome is written at once, and what an earlier, unfinished run left is taken from.
    """
    folder = _documents(data)
    if folder is None:
        return BenchReport(
            bench="ingest", machine=this_machine(), results={}, skipped=("data/documents is not there: nothing read",)
        )
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    outcomes = _read_all(files, Kept(keep, FileOutcome))
    digital = [file for file, one in zip(files, outcomes, strict=True) if one.is_digital]
    others, skipped = beside_others(digital)
    results = {**_table(outcomes), "beside_others": others, "files_compared": len(digital)}
    return BenchReport(
        bench="ingest", machine=this_machine(), results=results, skipped=skipped, bars=_bars(results)
    )


def _documents(data: Path | None) -> Path | None:
    given = data or (Path(os.environ["AIPC_BENCH_DATA"]) if "AIPC_BENCH_DATA" in os.environ else None)
    folder = (given or ROOT.parent / "shared") / "data" / "documents"
    return folder if folder.is_dir() else None


def _read_all(files: list[Path], kept: Kept[FileOutcome]) -> list[FileOutcome]:
    with tempfile.TemporaryDirectory(prefix="aipc-bench-") as logs:
        reader = Reader(child_command("reader"), Path(logs))
        try:
            return [kept.get(file, lambda file=file: _read(reader, file)) for file in files]  # type: ignore[misc]
        finally:
            reader.close()


def _read(reader: Reader, file: Path) -> FileOutcome:
    pages: list[PageRead] = []
    pictures: list[PictureRead] = []
    kind = file.suffix.lower().lstrip(".") or "none"
    began = time.monotonic()
    status, reason = "indexed", ""
    try:
        reader.read(
            file, file.name, on_page=pages.append, on_picture=pictures.append,
            limits=ReadLimits(seconds=SECONDS_PER_FILE),
        )  # fmt: skip
    except DocumentError as error:
        status, reason = _failure(error), error.message
    seconds = time.monotonic() - began
    states = Counter(one.page.state.value for one in pages)
    if status == "indexed" and set(states) - {"text", "ocr"}:
        status = "indexed_with_gaps"
    return FileOutcome(
        kind=kind, status=status, reason=reason, seconds=round(seconds, 3), pages=len(pages), states=dict(states),
        characters=sum(len(one.page.text) for one in pages),
        recognised_pages=len(pictures) + sum(one.page.confidence is not None for one in pages if not pictures),
        recognised_s=sum(one.recognition_s for one in pages) + sum(one.recognition_s for one in pictures),
        unreadable=sum(_claims_text_it_has_not(one.page) for one in pages),
    )  # fmt: skip


def _failure(error: DocumentError) -> str:
    if isinstance(error, PasswordNeeded):
        return "password"
    if isinstance(error, UnsupportedFormat):
        return "unsupported"
    if isinstance(error, DocumentLimit):
        return "hang" if "longer than" in error.message else "limit"
    return "crash" if error.retryable else "damaged"


def _claims_text_it_has_not(page: Page) -> bool:
    if page.state not in (PageState.TEXT, PageState.OCR):
        return False
    shown = [char for char in page.text if not char.isspace()]
    unreadable = sum(char == "\ufffd" or unicodedata.category(char) in ("Co", "Cn", "Cs") for char in shown)
    return not shown or unreadable >= _UNREADABLE_SHARE * len(shown)


def _table(outcomes: list[FileOutcome]) -> dict[str, Any]:
    kinds: dict[str, Counter[str]] = {}
    for one in outcomes:
        kinds.setdefault(one.kind, Counter())[one.status] += 1
    states: Counter[str] = Counter()
    for one in outcomes:
        states.update(one.states)
    digital = [one for one in outcomes if one.is_digital]
    seconds = sum(one.seconds for one in digital)
    recognised_s = sum(one.recognised_s for one in outcomes)
    recognised = sum(one.recognised_pages for one in outcomes)
    return {
        "files": len(outcomes),
        "by_kind": {kind: dict(sorted(counts.items())) for kind, counts in sorted(kinds.items())},
        "reasons": dict(Counter(one.reason for one in outcomes if one.reason).most_common()),
        "pages_by_state": dict(sorted(states.items())),
        "crashes": sum(one.status == "crash" for one in outcomes),
        "hangs": sum(one.status == "hang" for one in outcomes),
        "pages_good_but_unreadable": sum(one.unreadable for one in outcomes),
        "longest_file_s": max((one.seconds for one in outcomes), default=0.0),
        "digital_pdf_pages": sum(one.pages for one in digital),
        "digital_pdf_pages_per_s": round(sum(one.pages for one in digital) / seconds, 2) if seconds else None,
        "recognised_pages": recognised,
        "recognised_pages_per_minute": round(60 * recognised / recognised_s, 2) if recognised_s else None,
        "measured": "each file once through the reader process, wall time, limits as in the product but 60 s a file; "
        "digital: PDFs of 3 pages or more, each with text of its own, 200 characters a page and more; recognised: "
        "whole pages, and pictures on pages of office files",
    }


def _bars(results: dict[str, Any]) -> tuple[Bar, ...]:
    def none(name: str, value: int) -> Bar:
        return Bar(name=name, value=float(value), bar="== 0", holds=value == 0)

    speed = float(results["digital_pdf_pages_per_s"] or 0.0)
    return (
        none("files that ended the reader", results["crashes"]),
        none("files that went on past 60 s", results["hangs"]),
        none("pages marked good whose text is empty or garbled", results["pages_good_but_unreadable"]),
        Bar(
            name="text of digital PDFs (pages/s)", value=speed, bar=f">= {PAGES_PER_SECOND:g}",
            holds=speed >= PAGES_PER_SECOND,
        ),
    )  # fmt: skip
