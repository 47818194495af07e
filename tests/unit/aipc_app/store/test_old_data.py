"""Data of every released schema is opened by this version, with everything that was in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus, PageState
from aipc_app.domain.jobs import JobKind, JobState
from aipc_app.domain.remembering import RememberedShare
from aipc_app.domain.review import Decision, FindingStatus, ReviewState
from aipc_app.paths import Home
from aipc_app.store import Store

DATA = Path(__file__).parents[3] / "data"


@pytest.fixture
def old(tmp_path: Path, request: pytest.FixtureRequest) -> Store:
    home = Home(tmp_path / "home")
    home.create()
    shutil.copyfile(DATA / request.param, home.database)
    store = Store.open(home)
    request.addfinalizer(store.close)
    return store


@pytest.mark.parametrize(
    "old",
    [f"schema_{number}.sqlite" for number in ("0001", "0002", "0005", "0007", "0008")],
    indirect=True,
)
def test_every_released_schema_opens_with_its_cases_documents_and_conversations(old: Store) -> None:
    (case,) = old.cases.list()
    assert (case.name, case.documents) == ("民间借贷", 1)
    assert [case.name for case in old.cases.list(archived=True)] == ["旧案"]
    assert [case.name for case in old.cases.list(trashed=True)] == ["废案"]
    (document,) = old.documents.of_case(case.id)
    assert (document.name, document.status, document.pages) == ("证据/借条.pdf", DocumentStatus.INDEXED_WITH_GAPS, 2)
    page, empty = old.documents.pages(document.id, boxes=True)
    assert (len(page.boxes), empty.state) == (16 * len(page.text), PageState.EMPTY)
    ((passage_id, _),) = old.passages.keyword(["借款人"], cases=[case.id], documents=None, limit=5)
    assert old.passages.exact([("figure", "500000")], cases=[case.id], documents=None, limit=5) == ((passage_id, 1),)
    assert [len(batch.vectors) for batch in old.vectors.of_documents("toy-embedder", [document.id])] == [16]
    (conversation,) = old.conversations.list(case.id)
    (turn,) = old.conversations.turns(conversation.id)
    (citation,) = turn.answer.citations
    assert page.text[citation.start : citation.end] == citation.quote == "五十万元"
    (job,) = old.jobs.unfinished()
    assert (job.kind, job.state, job.document) == (JobKind.READ, JobState.RUNNING, "民法典.txt")
    assert [document.name for document in old.documents.of_case(LIBRARY_ID)] == ["民法典.txt"]
    old.check()


@pytest.mark.parametrize("old", ["schema_0001.sqlite"], indirect=True)
def test_what_is_remembered_can_be_noted_in_data_from_before_it_could(old: Store) -> None:
    (case,) = old.cases.list()
    (document,) = old.documents.of_case(case.id)
    assert old.remembered.of_case(case.id) == () and old.remembered.owed() == frozenset()
    share = RememberedShare(document_id=document.id, tokens=9, known_tokens=3, model="toy")
    old.remembered.save(case.id, [share])
    assert old.remembered.of_case(case.id) == (share,)


@pytest.mark.parametrize("old", ["schema_0002.sqlite"], indirect=True)
def test_schema_0002_opens_with_what_is_remembered_and_what_is_to_be_forgotten(old: Store) -> None:
    (case,) = old.cases.list()
    (share,) = old.remembered.of_case(case.id)
    assert (share.tokens, share.known_tokens, share.model) == (40, 30, "/models/toy.gguf")
    assert old.remembered.owed() == {"document:999"}
    assert len(old.remembered.left_out()) == 1


@pytest.mark.parametrize("old", ["schema_0005.sqlite"], indirect=True)
def test_what_a_document_is_its_correction_and_its_folder_are_there(old: Store) -> None:
    (case,) = old.cases.list()
    (document,) = old.documents.of_case(case.id)
    title, party = old.fields.of_document(document.id)
    assert (title.value, title.page, title.edited) == ("借条", 1, False)
    assert (party.value, party.page, party.edited) == ("借款人：张三", None, True)
    assert old.documents.page(document.id, 1).label == "卷二 15"
    (correction,) = old.corrections.of_document(document.id).values()
    assert "五千万" in correction.read_text and "五十万" in correction.text
    (folder,) = old.watched.folders(case.id)
    assert folder.path == "/卷宗" and old.watched.gone(case.id) == {document.id}


@pytest.mark.parametrize("old", ["schema_0007.sqlite"], indirect=True)
def test_schema_0007_opens_with_its_review_and_what_the_user_said_of_it(old: Store) -> None:
    (case,) = old.cases.list()
    (summary,) = old.reviews.list(case.id)
    review = old.reviews.get(summary.id)
    assert (summary.template, summary.done, summary.total) == ("judge", 1, 1)
    assert (review.state, review.documents[0].sha256) == (ReviewState.STOPPED, "ab" * 32)
    (finding,) = review.findings
    assert (finding.status, finding.decision) == (FindingStatus.SUPPORTED, Decision.EDITED)
    assert (finding.value, finding.shown) == ("五十万元", "500,000元")
    assert finding.citations[0].quote == "五十万元"
    assert old.reviews.bases(review.id) == {"principal": "basis"}


@pytest.mark.parametrize("old", ["schema_0008.sqlite"], indirect=True)
def test_schema_0008_opens_with_its_golden_question_and_a_model_put_to_the_test(old: Store) -> None:
    (case,) = old.cases.list()
    table = old.golden.table(case.id)
    (row,) = table.rows
    assert (row.question.question, row.question.expected) == ("借了多少？", "五十万元")
    assert row.now is not None and row.now.passed and row.now.sources == ("证据/借条.pdf, 1",)
    assert table.now is not None and table.now.model == "toy"
    assert old.judges.get("toy", 1) == ((0.9, 0.8), (0.2, 0.1))
