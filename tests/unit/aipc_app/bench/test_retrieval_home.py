"""A library that the program built, taken as the benchmark's."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.bench.retrieval_home import BenchHome, KeptHome
from aipc_app.bench.retrieval_sets import text_of
from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.domain.encoder_wire import TextKind
from aipc_app.errors import UserMistake

LAW = "# 甲法\n\n第一条 借款人应当还款。\n\n第二条 逾期的，加收罚息。\n\n第三条 利率由当事人约定。\n"


def test_a_built_library_is_used_as_it_is_and_its_documents_are_known_by_their_bytes(tmp_path: Path) -> None:
    (tmp_path / "laws").mkdir()
    (tmp_path / "laws" / "甲法.md").write_text(LAW, encoding="utf-8")
    with BenchHome(tmp_path / "kept") as made:
        made.fill(LIBRARY_ID, [text_of("cn/甲法(别名).md", LAW)])
        for document in made.store.documents.of_case(LIBRARY_ID):
            ids = [passage.id for passage in made.store.passages.of_document(document.id)]
            rows = made.encoder.embed([p.text for p in made.store.passages.get(ids)], TextKind.PASSAGE)
            made.store.vectors.save(rows.embedder, ids, rows.data)
    with KeptHome(tmp_path / "kept" / "home") as kept:
        assert list(kept.names_in(tmp_path, "laws").values()) == ["laws/甲法.md"]
        kept.encoder.index_remove("case-1", None)
    with pytest.raises(UserMistake, match="0 can be found by their meaning"):
        KeptHome(tmp_path / "kept" / "home")


def test_a_folder_that_is_no_home_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(UserMistake, match="no data folder"):
        KeptHome(tmp_path / "empty")
    assert not (tmp_path / "empty").exists()
