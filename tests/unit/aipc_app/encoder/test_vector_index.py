"""Both indexes keep the same promises; the one on disk survives what happens to disks."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from aipc_app.encoder.chroma import ChromaIndex
from aipc_app.encoder.embedder import Matrix
from aipc_app.encoder.errors import EncoderError, IndexDamaged
from aipc_app.encoder.memory import MemoryIndex
from aipc_app.encoder.vector_index import VectorIndex

CASE, OTHER = "case-2", "case-3"


def unit_rows(count: int, seed: int = 0) -> Matrix:
    rows = np.random.default_rng(seed).standard_normal((count, 384)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def fill(index: VectorIndex, count: int, collection: str = CASE) -> Matrix:
    """Passages 1 to count, ten a document."""
    rows = unit_rows(count)
    for start in range(0, count, 100):
        ids = range(start + 1, min(start + 100, count) + 1)
        index.add(collection, list(ids), [id_ // 10 for id_ in ids], rows[start : start + 100])
    return rows


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[ChromaIndex]:
    index = ChromaIndex(tmp_path / "vectors" / "abc")
    yield index
    index.close()


@pytest.fixture(params=["chroma", "memory"])
def index(request: pytest.FixtureRequest) -> VectorIndex:
    if request.param == "memory":
        return MemoryIndex()
    found: VectorIndex = request.getfixturevalue("disk")
    return found


def test_the_nearest_come_first_with_their_cosine(index: VectorIndex) -> None:
    rows = fill(index, 30)
    near = index.search(CASE, rows[4], 3)
    assert near.passage_ids[0] == 5
    assert near.similarities[0] == pytest.approx(1.0, abs=1e-5)
    assert near.similarities[1] == pytest.approx(float(rows[near.passage_ids[1] - 1] @ rows[4]), abs=1e-5)
    assert list(near.similarities) == sorted(near.similarities, reverse=True)


def test_collections_are_apart(index: VectorIndex) -> None:
    rows = fill(index, 10)
    index.add(OTHER, [99], [9], rows[:1])
    assert index.search(OTHER, rows[0], 5).passage_ids == (99,)
    assert 99 not in index.search(CASE, rows[0], 10).passage_ids
    assert index.search("case-77", rows[0], 5).passage_ids == ()
    assert (index.count(CASE), index.count(OTHER), index.count("case-77")) == (10, 1, 0)


def test_the_same_passage_is_replaced(index: VectorIndex) -> None:
    rows = fill(index, 10)
    index.add(CASE, [3], [0], rows[7:8] * -1)
    assert index.count(CASE) == 10
    assert index.search(CASE, -rows[7], 1).passage_ids == (3,)


def test_documents_narrow_the_search(index: VectorIndex) -> None:
    rows = fill(index, 50)
    assert set(index.search(CASE, rows[0], 30, [2]).passage_ids) == set(range(20, 30))
    assert set(index.search(CASE, rows[0], 30, [2, 3]).passage_ids) == set(range(20, 40))
    assert index.search(CASE, rows[0], 30, []).passage_ids == ()
    assert index.search(CASE, rows[0], 30, [12345]).passage_ids == ()


def test_a_document_or_a_collection_is_taken_out(index: VectorIndex) -> None:
    rows = fill(index, 30)
    index.remove(CASE, 1)
    assert index.count(CASE) == 20
    assert not set(index.search(CASE, rows[12], 30).passage_ids) & set(range(10, 20))
    index.remove(CASE, 777)
    index.remove(CASE, None)
    index.remove("case-77", None)
    assert index.count(CASE) == 0
    fill(index, 10)
    assert index.count(CASE) == 10


def test_what_was_added_is_there_after_a_crash(tmp_path: Path) -> None:
    """A second opening without closing the first is what a killed process leaves behind."""
    first = ChromaIndex(tmp_path / "abc")
    rows = fill(first, 30)
    shutil.copytree(tmp_path / "abc", tmp_path / "copy")
    second = ChromaIndex(tmp_path / "copy")
    assert second.count(CASE) == 30
    assert second.search(CASE, rows[4], 1).passage_ids == (5,)
    first.close()
    second.close()


def test_the_graph_finds_what_exact_search_finds(disk: ChromaIndex) -> None:
    exact = MemoryIndex()
    rows = fill(disk, 1500)
    fill(exact, 1500)
    queries = rows[::30] + 0.5 * unit_rows(50, seed=1)
    found = sum(
        len(set(disk.search(CASE, query, 10).passage_ids) & set(exact.search(CASE, query, 10).passage_ids))
        for query in queries
    )
    assert found / (10 * len(queries)) >= 0.98


DAMAGE: dict[str, Callable[[Path], object]] = {
    "database overwritten": lambda folder: (folder / "chroma.sqlite3").write_bytes(b"nonsense" * 1000),
    "database cut short": lambda folder: os.truncate(folder / "chroma.sqlite3", 20_000),
    "everything deleted": shutil.rmtree,
    "death while the graph was loaded": lambda folder: (folder / "loading").touch(),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_index_is_told_emptied_and_filled_again(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    folder = tmp_path / "abc"
    index = ChromaIndex(folder)
    rows = fill(index, 200)
    index.close()
    damage(folder)
    index = ChromaIndex(folder)
    for _ in range(2):
        with pytest.raises(IndexDamaged):
            index.search(CASE, rows[0], 3)
    index.close()
    index = ChromaIndex(folder)
    with pytest.raises(IndexDamaged):
        index.search(CASE, rows[0], 3)
    assert index.count(CASE) == 0
    fill(index, 50)
    assert index.search(CASE, rows[4], 1).passage_ids == (5,)
    index.close()


def test_a_folder_deleted_under_it_is_noticed_before_anything_is_lost(disk: ChromaIndex, tmp_path: Path) -> None:
    rows = fill(disk, 20)
    shutil.rmtree(tmp_path / "vectors")
    with pytest.raises(IndexDamaged):
        disk.count(CASE)
    assert disk.count(CASE) == 0
    shutil.rmtree(tmp_path / "vectors")
    with pytest.raises(IndexDamaged):
        disk.add(CASE, [21], [2], rows[:1])
    fill(disk, 20)
    assert disk.count(CASE) == 20


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(EncoderError, match="writable"):
        ChromaIndex(tmp_path / "abc")
    tmp_path.chmod(stat.S_IRWXU)


def test_a_file_where_the_folder_should_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "vectors").write_text("")
    with pytest.raises(EncoderError, match="writable"):
        ChromaIndex(tmp_path / "vectors" / "abc")
