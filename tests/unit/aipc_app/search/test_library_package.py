"""A law library handed on as a file: the same searches find the same, and nothing of a bad file is taken."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus
from aipc_app.domain.encoder_wire import TextKind
from aipc_app.domain.jobs import JobKind
from aipc_app.errors import Cancelled, UserMistake
from aipc_app.ingest import library_transfer
from aipc_app.ingest.library_package import DOCUMENTS, MANIFEST, VECTORS
from aipc_app.ingest.library_transfer import Imported, export_library, import_library
from aipc_app.paths import Home
from aipc_app.search.service import SearchService
from aipc_app.store import Store
from aipc_app.workers.encoder import Encoder

from .conftest import Desk, articles

QUESTIONS = ("对方逾期不还钱怎么办", "保证期间有多长", "第三条", "overdue interest")


def add_law(desk: Desk, encoder: Encoder, name: str, *texts: str) -> int:
    """A law of three articles, with its vectors stored."""
    text = articles(name, list(zip(("第一条", "第二条", "第三条"), texts, strict=True)))
    document = desk.add(LIBRARY_ID, f"{name}.md", text)
    passages = desk.store.passages.of_document(document.id)
    made = encoder.embed([passage.text for passage in passages], TextKind.PASSAGE)
    desk.store.vectors.save(made.embedder, [passage.id for passage in passages], made.data)
    return document.id


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    """A second, empty home."""
    store = Store.open(Home(tmp_path / "other"))
    yield store
    store.close()


@pytest.fixture
def package(desk: Desk, store: Store, encoder: Encoder, tmp_path: Path) -> Path:
    """The library of two laws, exported."""
    add_law(desk, encoder, "借贷法", "借款人应当按期还款。", "逾期的，支付逾期利息。", "利息不得预先扣除。")
    add_law(desk, encoder, "担保法", "保证期间为六个月。", "保证人有权追偿。", "抵押应当登记。")
    target = tmp_path / "laws.aipclib"
    written = export_library(store, target, nothing)
    assert (written.documents, written.left_out, written.bytes) == (2, 0, target.stat().st_size)
    return target


def nothing(_share: float) -> None:
    pass


def found(store: Store, encoder: Encoder) -> list[list[tuple[str, int, int, float]]]:
    search = SearchService(store, encoder)
    return [
        [(e.passage.document, e.passage.start, e.passage.end, e.score) for e in search.search(q, cases=(1,)).evidence]
        for q in QUESTIONS
    ]


def test_an_imported_library_finds_what_the_exported_one_finds(
    package: Path, store: Store, other: Store, encoder: Encoder
) -> None:
    here = found(store, encoder)
    encoder.index_remove("case-1", None)  # both homes share the test's encoder: its index becomes the other's
    imported = import_library(other, encoder, package, nothing)
    passages = sum(document.passages for document in store.documents.of_case(LIBRARY_ID))
    assert imported == Imported(documents=2, passages=passages, known=0, to_embed=0)
    assert found(other, encoder) == here
    documents = other.documents.of_case(LIBRARY_ID)
    assert [d.status for d in documents] == [DocumentStatus.INDEXED] * 2
    for document in documents:
        assert other.originals.path(document.sha256).read_bytes() == store.originals.path(document.sha256).read_bytes()


def test_importing_again_adds_nothing(package: Path, other: Store, encoder: Encoder) -> None:
    import_library(other, encoder, package, nothing)
    again = import_library(other, encoder, package, nothing)
    assert (again.documents, again.known) == (0, 2)
    assert len(other.documents.of_case(LIBRARY_ID)) == 2


def test_an_import_that_was_stopped_is_completed_by_the_next(
    package: Path, other: Store, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_transfer, "_PASSAGES_AT_ONCE", 1)

    def stop_after_the_first(share: float) -> None:
        if share > library_transfer._VERIFYING:
            raise Cancelled

    with pytest.raises(Cancelled):
        import_library(other, encoder, package, stop_after_the_first)
    (whole,) = other.documents.of_case(LIBRARY_ID)
    assert whole.status is DocumentStatus.INDEXED
    rest = import_library(other, encoder, package, nothing)
    assert (rest.documents, rest.known) == (1, 1)


def test_vectors_of_another_embedder_are_made_anew(package: Path, other: Store, encoder: Encoder) -> None:
    repacked(package, manifest={"embedder": "somebody-else"})
    imported = import_library(other, encoder, package, nothing)
    assert imported.to_embed == 2
    assert other.jobs.waiting(JobKind.EMBED, LIBRARY_ID)
    assert other.vectors.embedders() == {}
    assert {d.status for d in other.documents.of_case(LIBRARY_ID)} == {DocumentStatus.SEARCHABLE}


def refused(package: Path, other: Store, encoder: Encoder) -> str:
    with pytest.raises(UserMistake) as refusal:
        import_library(other, encoder, package, nothing)
    assert other.documents.all_ids() == ()
    assert not other.originals.any()
    return refusal.value.message


def test_a_damaged_package_is_refused_whole(package: Path, other: Store, encoder: Encoder) -> None:
    whole = package.read_bytes()
    with zipfile.ZipFile(package) as held:
        middles = [one.header_offset + 30 + len(one.filename) + one.compress_size // 2 for one in held.infolist()]
    assert len(middles) == 5
    for place in middles:
        package.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert "package" in refused(package, other, encoder)
    package.write_bytes(whole[: len(whole) // 2])
    assert "cut off" in refused(package, other, encoder)


def test_what_is_no_package_is_refused(package: Path, other: Store, encoder: Encoder, tmp_path: Path) -> None:
    missing = tmp_path / "missing.aipclib"
    assert "There is no file" in refused(missing, other, encoder)
    with zipfile.ZipFile(missing, "w") as foreign:
        foreign.writestr("word/document.xml", "<w/>")
    assert "no law library package" in refused(missing, other, encoder)
    repacked(package, manifest={"version": 9})
    assert "another version" in refused(package, other, encoder)


@pytest.mark.parametrize("part", [DOCUMENTS, VECTORS])
def test_a_part_that_says_something_else_is_refused(part: str, package: Path, other: Store, encoder: Encoder) -> None:
    repacked(package, parts={part: b"\0" * 1536})
    assert "damaged" in refused(package, other, encoder)


def test_a_vector_of_no_numbers_is_refused_though_its_checksum_fits(
    package: Path, other: Store, encoder: Encoder
) -> None:
    with zipfile.ZipFile(package) as held:
        size = held.getinfo(VECTORS).file_size
    repacked(package, parts={VECTORS: b"\xff" * size}, resealed=True)
    assert "damaged" in refused(package, other, encoder)


def test_an_export_that_fails_leaves_the_old_file(package: Path, store: Store) -> None:
    before = package.read_bytes()

    def stop(share: float) -> None:
        if share > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        export_library(store, package, stop)
    assert package.read_bytes() == before
    assert [path.name for path in package.parent.glob(".*")] == []


def test_a_library_that_is_empty_or_unfinished_is_not_exported(
    desk: Desk, store: Store, other: Store, encoder: Encoder, tmp_path: Path
) -> None:
    with pytest.raises(UserMistake, match="empty"):
        export_library(other, tmp_path / "no.aipclib", nothing)
    store.jobs.add(JobKind.EMBED, add_law(desk, encoder, "法", "一。", "二。", "三。"))
    with pytest.raises(UserMistake, match="still being indexed"):
        export_library(store, tmp_path / "no.aipclib", nothing)


def repacked(
    package: Path,
    *,
    manifest: dict[str, object] | None = None,
    parts: dict[str, bytes] | None = None,
    resealed: bool = False,
) -> None:
    """Change what the manifest says, or parts of the zip; `resealed`: with checksums that fit."""
    changed = package.with_suffix(".changed")
    with zipfile.ZipFile(package) as old, zipfile.ZipFile(changed, "w") as new:
        contents = {name: old.read(name) for name in old.namelist()} | (parts or {})
        record = msgspec.json.decode(contents[MANIFEST]) | (manifest or {})
        if resealed:
            for name in parts or {}:
                record["entries"][name]["sha256"] = hashlib.sha256(contents[name]).hexdigest()
        contents[MANIFEST] = msgspec.json.encode(record)
        for name, data in contents.items():
            new.writestr(name, data)
    shutil.move(changed, package)
