"""What the model remembers of each case: looked up in the engine, noted in the store, forgotten for good."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from aipc_app.answer.gather import OVERHEAD_TOKENS, read_whole, readable_documents
from aipc_app.answer.prompt import build
from aipc_app.domain.documents import Document, DocumentStatus
from aipc_app.domain.remembering import RememberedShare, case_label, document_label, label_names
from aipc_app.settings.model import Settings
from aipc_app.store import Store
from engine.client.base import EngineClient
from engine.types.model import EngineReady, EngineState, LoadedModel
from engine.types.prompt import Prompt, SegmentKind
from engine.types.remembering import Known, KnownSegment

_CRUMB_TOKENS = 32  # the engine makes no piece shorter than this at a segment's end; the next reading takes them in
_CHARACTERS_A_TOKEN = 8  # at most; what is longer can't fit and isn't worth counting


class Survey(Struct, frozen=True, kw_only=True):
    """A case's documents as a question that reads all of them would send them, and what is known of them."""

    case_id: int
    prompt: Prompt
    known: Known
    shares: tuple[RememberedShare, ...]

    @property
    def missing_tokens(self) -> int:
        return sum(one.tokens - one.known_tokens for one in self.shares)


class Memory:
    """Any thread. Raises EngineError when the engine can't tell, StorageError when the home can't be written."""

    def __init__(self, store: Store, engine: EngineClient, settings: Callable[[], Settings], directory: Path) -> None:
        self._store, self._engine, self._settings, self._directory = store, engine, settings, directory
        self._paying = threading.Lock()
        self._noting = threading.Lock()  # from looking it up to noting it: an older look never overwrites a later one
        self._had_model = isinstance(engine.state, EngineReady)
        engine.subscribe(self._engine_changed)

    def survey(self, case_id: int, model: LoadedModel) -> Survey | None:
        """Look it up and note it. None when the case is not read whole: it is empty, unread, or too long."""
        with self._noting:
            return self._survey(case_id, model)

    def _survey(self, case_id: int, model: LoadedModel) -> Survey | None:
        documents = self._store.documents.of_case(case_id)
        if any(d.status in (DocumentStatus.QUEUED, DocumentStatus.READING) for d in documents):
            return None
        prompt = self._prompt(case_id, model)
        if prompt is None:
            self._store.remembered.clear(case_id)
            return None
        known = self._engine.known(prompt)
        shares = _shares(readable_documents(self._store, (case_id,)), known, model.path)
        if known.tokens + OVERHEAD_TOKENS + self._settings().answers.max_tokens > model.plan.context_tokens:
            shares = ()
        self._store.remembered.save(case_id, shares)
        return Survey(case_id=case_id, prompt=prompt, known=known, shares=shares) if shares else None

    def note(self, cases: Iterable[int]) -> None:
        """Note what is remembered of these now; nothing when no model is loaded, or one that remembers by itself."""
        state = self._engine.state
        if isinstance(state, EngineReady) and state.model.abilities.remembers:
            for case_id in cases:
                self.survey(case_id, state.model)

    def owe_case(self, case_id: int) -> None:
        """The case is about to be deleted: what was read for it is to be forgotten, whatever happens."""
        self._store.remembered.owe([case_label(case_id), *self._own_documents(case_id)])

    def owe_document(self, case_id: int, document_id: int) -> None:
        """The document is about to leave the case; where that is its last one, its text is to be forgotten."""
        if set(self._store.documents.cases_of(document_id)) <= {case_id}:
            self._store.remembered.owe([document_label(document_id)])

    def pay(self) -> None:
        """Have the engine forget what is owed; it is started for that if something may be kept."""
        with self._paying:
            owed = self._store.remembered.owed()
            if not owed:
                return
            if self._may_keep_something():
                labels = self._labels(owed)
                if labels:
                    self._engine.forget(labels)
            self._store.remembered.paid(owed)

    def forget_case(self, case_id: int) -> int:
        """Forget what was read for a case that stays; bytes freed on disk. It isn't read ahead again by itself."""
        self._store.remembered.read_ahead(case_id, False)
        labels = self._labels({case_label(case_id), *self._own_documents(case_id)})
        with self._noting:
            freed = self._engine.forget(labels) if labels else 0
            self._store.remembered.clear(case_id)
        return freed

    def forget_all(self) -> int:
        """Forget everything; bytes freed on disk."""
        for case in self._store.cases.list():
            self._store.remembered.read_ahead(case.id, False)
        owed = self._store.remembered.owed()
        with self._noting:
            freed = self._engine.forget_all()
            self._store.remembered.clear()
        self._store.remembered.paid(owed)
        return freed

    def _prompt(self, case_id: int, model: LoadedModel) -> Prompt | None:
        sources = read_whole(self._store, readable_documents(self._store, (case_id,)))
        characters = sum(len(source.text) for source in sources)
        if not sources or characters > _CHARACTERS_A_TOKEN * model.plan.context_tokens:
            return None
        return build(documents=sources, history=(), passages="", question="")

    def _own_documents(self, case_id: int) -> list[str]:
        """Sources that belong to this case alone."""
        documents = self._store.documents
        return [document_label(d.id) for d in documents.of_case(case_id) if documents.cases_of(d.id) == (case_id,)]

    def _labels(self, wanted: Iterable[str]) -> list[str]:
        """The labels in use that name one of these, alone or together with others."""
        names = frozenset(wanted)
        return [share.owner for share in self._engine.store_status().owners if label_names(share.owner, names)]

    def _may_keep_something(self) -> bool:
        """No: nothing is on the disk, and no model was there to read anything into RAM."""
        return self._had_model or (self._directory.is_dir() and any(self._directory.iterdir()))

    def _engine_changed(self, state: EngineState) -> None:
        self._had_model = self._had_model or isinstance(state, EngineReady)


def _shares(documents: Iterable[Document], known: Known, model: str) -> tuple[RememberedShare, ...]:
    """A document whose pages are all empty has no segment and nothing to remember."""
    ids = {document_label(document.id): document.id for document in documents}
    return tuple(
        RememberedShare(document_id=ids[segment.source], tokens=segment.tokens, known_tokens=tokens, model=model)
        for segment, tokens in _but_for_crumbs(known.segments)
        if segment.kind is SegmentKind.DOCUMENTS and segment.source in ids
    )


def _but_for_crumbs(segments: Iterable[KnownSegment]) -> Iterator[tuple[KnownSegment, int]]:
    """Known tokens, where a crumb missing at the end counts as known."""
    missing = 0
    for segment in segments:
        missing += segment.tokens - segment.known_tokens
        yield segment, segment.tokens if missing <= _CRUMB_TOKENS else segment.known_tokens
