"""The reading benchmark on a folder of our own: what it counts, and that nothing is there where nothing is."""

from __future__ import annotations

from pathlib import Path

from aipc_app.bench import ingest
from tests.unit.aipc_app.reader.making import PdfPage, pdf_bytes, show


def test_files_are_counted_by_kind_and_status_and_digital_pages_timed(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "documents"
    folder.mkdir(parents=True)
    page = PdfPage("".join(show("The lender and the borrower", y=10 + 12 * line, size=10) for line in range(12)))
    (folder / "a.pdf").write_bytes(pdf_bytes([page] * 3))
    (folder / "b.pdf").write_bytes(pdf_bytes([page, PdfPage("")]))
    (folder / "c.pdf").write_bytes(b"%PDF-1.4 rubbish")
    (folder / "d.xyz").write_bytes(b"\0\1\2")
    report = ingest.run(tmp_path)
    assert report.results["by_kind"] == {
        "pdf": {"damaged": 1, "indexed": 1, "indexed_with_gaps": 1}, "xyz": {"unsupported": 1}
    }  # fmt: skip
    assert report.results["pages_by_state"] == {"empty": 1, "text": 4}
    assert report.results["digital_pdf_pages"] == 3 and report.results["files_compared"] == 1
    beside = report.results["beside_others"]
    assert beside["aipc"]["characters_recovered_median"] == 1.0 and beside["aipc"]["peak_memory_mib"] > 0
    assert [bar.holds for bar in report.bars[:3]] == [True] * 3


def test_without_data_it_says_what_is_missing(tmp_path: Path) -> None:
    report = ingest.run(tmp_path)
    assert report.results == {} and report.bars == () and "data/documents" in report.skipped[0]
