"""Whatever is done to cases and documents, in whatever order: nothing is lost, nothing is left behind."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus, Page, PageState, PassageDraft
from aipc_app.paths import Home
from aipc_app.store import IndexedPassage, Store

TEXTS = st.sampled_from(["甲", "乙", "丙", "丁"])
NAMES = st.sampled_from(["一", "二", "三"])
PICKS = st.integers(0, 50)


class Links(RuleBasedStateMachine):
    """Compares the store with a plain dictionary of what each case should hold."""

    @initialize()
    def open(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.home = Home(self.folder / "home")
        self.store = Store.open(self.home)
        self.cases: dict[int, list[str]] = {LIBRARY_ID: []}
        self.trashed: set[int] = set()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)

    def _case(self, pick: int) -> int:
        return sorted(self.cases)[pick % len(self.cases)]

    def _document_id(self, text: str) -> int:
        (sha256, _) = self.store.originals.put(self._file(text))
        document = self.store.documents.by_hash(sha256)
        assert document is not None
        return document.id

    def _file(self, text: str) -> Path:
        path = self.folder / text
        path.write_text(text, encoding="utf-8")
        return path

    @rule(name=NAMES)
    def create(self, name: str) -> None:
        if self.store.cases.by_name(name) is None:
            self.cases[self.store.cases.create(name).id] = []

    @rule(pick=PICKS, text=TEXTS)
    def add(self, pick: int, text: str) -> None:
        case_id = self._case(pick)
        sha256, size = self.store.originals.put(self._file(text))
        with self.store.transaction():
            document = self.store.documents.by_hash(sha256) or self.store.documents.add(
                name=text, sha256=sha256, size=size
            )
            newly = self.store.documents.link(case_id, document.id)
        assert newly is (text not in self.cases[case_id])
        if newly:
            self.cases[case_id].append(text)

    @rule(text=TEXTS)
    def read(self, text: str) -> None:
        if any(text in texts for texts in self.cases.values()):
            draft = PassageDraft(page=1, start=0, end=1, text=text)
            self.store.documents.save_read(
                self._document_id(text),
                pages=[Page(number=1, text=text, state=PageState.TEXT)],
                passages=[IndexedPassage(draft=draft, tokens=f"{text} 共", facts=(("f", text),))],
                status=DocumentStatus.SEARCHABLE,
                reason=None,
                has_layout=False,
            )

    @rule(pick=PICKS, text=TEXTS)
    def unlink(self, pick: int, text: str) -> None:
        case_id = self._case(pick)
        if text in self.cases[case_id]:
            last = self.store.documents.unlink(case_id, self._document_id(text))
            self.cases[case_id].remove(text)
            assert last is not any(text in texts for texts in self.cases.values())

    @rule(pick=PICKS)
    def reverse(self, pick: int) -> None:
        case_id = self._case(pick)
        ids = [document.id for document in self.store.documents.of_case(case_id)]
        self.store.documents.reorder(case_id, ids[::-1])
        self.cases[case_id].reverse()

    @precondition(lambda self: len(self.cases) > 1)
    @rule(pick=PICKS)
    def trash_and_back(self, pick: int) -> None:
        case_id = sorted(self.cases)[1:][pick % (len(self.cases) - 1)]
        hidden = case_id not in self.trashed
        self.store.cases.trash(case_id, hidden)
        self.trashed ^= {case_id}

    @precondition(lambda self: len(self.cases) > 1)
    @rule(pick=PICKS)
    def delete(self, pick: int) -> None:
        case_id = sorted(self.cases)[1:][pick % (len(self.cases) - 1)]
        self.store.cases.delete(case_id)
        del self.cases[case_id]
        self.trashed.discard(case_id)

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = Store.open(self.home)

    @invariant()
    def cases_hold_what_they_should_in_order(self) -> None:
        for case_id, texts in self.cases.items():
            assert [document.name for document in self.store.documents.of_case(case_id)] == texts
            found = self.store.passages.keyword(["共"], cases=[case_id], documents=None, limit=9)
            assert {p.text for p in self.store.passages.get([id_ for id_, _ in found])} <= set(texts)
        assert {case.id for case in self.store.cases.list(trashed=True)} == self.trashed

    @invariant()
    def files_and_rows_are_those_of_linked_documents(self) -> None:
        linked = {text for texts in self.cases.values() for text in texts}
        kept = {path.read_text(encoding="utf-8") for path in self.home.originals.glob("??/*")}
        assert len(self.store.documents.all_ids()) == len(linked)
        assert linked <= kept  # a file may wait for its row; none may be missing
        with self.store._database.read() as connection:
            stray = "SELECT COUNT(*) FROM passage_texts WHERE id NOT IN (SELECT id FROM passages)"
            assert connection.execute(stray).fetchone() == (0,)


TestLinks = Links.TestCase
TestLinks.settings = settings(
    max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
