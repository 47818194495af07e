"""Works a review out: what code finds first, then what the model is asked, then the library, then what is computed.

Each finding is stored the moment it is done, so that a review that was stopped or killed goes on with what is left.
Items that read the same documents are asked together, as branches over one prefix.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import msgspec
from msgspec.structs import replace

from aipc_app.answer.bars import bars_of
from aipc_app.answer.calibration import JudgeBars, Judges
from aipc_app.answer.material import Source
from aipc_app.answer.meaning import Embeds, Meaning
from aipc_app.answer.units import cut_units
from aipc_app.domain.answers import Sentence, SentenceState
from aipc_app.domain.documents import Document
from aipc_app.domain.remembering import owner_of
from aipc_app.domain.review import (
    Decision,
    Finding,
    FindingReady,
    FindingStatus,
    Item,
    ItemsBegun,
    Review,
    ReviewBegun,
    ReviewEnded,
    ReviewEvent,
    ReviewState,
    ReviewTiming,
    Scope,
)
from aipc_app.errors import UserMistake
from aipc_app.log import ANSWER
from aipc_app.review import timeline as reading
from aipc_app.review.asking import Reply
from aipc_app.review.branches import Asked, Asker
from aipc_app.review.case import CaseMaterial
from aipc_app.review.computing import compute, usable
from aipc_app.review.findings import Citing, failed, found, not_found, quoted
from aipc_app.review.library import Library
from aipc_app.review.look.find import look
from aipc_app.review.parts import parts_of
from aipc_app.review.proving import Prover
from aipc_app.review.wording import said
from aipc_app.search.service import SearchService
from aipc_app.settings.model import Settings, Strictness
from aipc_app.store import Store
from engine.client.base import EngineClient
from engine.errors import EngineError
from engine.types.model import LoadedModel

Emit = Callable[[ReviewEvent], None]


class ReviewRunner:
    """Over one home. `run` blocks; several reviews may run, the engine serves them in order."""

    def __init__(
        self,
        store: Store,
        search: SearchService,
        engine: EngineClient,
        encoder: Embeds,
        settings: Callable[[], Settings],
    ) -> None:
        self._store, self._search, self._engine, self._settings = store, search, engine, settings
        self._meaning, self._judges = Meaning(encoder), Judges(store, engine)
        self._running: set[int] = set()
        self._lock = threading.Lock()  # of _running

    def run(self, review: Review, model: LoadedModel, emit: Emit, cancel: threading.Event) -> Review:
        """Work out what the review lacks. Raises UserMistake for an empty case, or a review that is being worked out
        already; cancel keeps what is done."""
        with self._alone(review.id):
            return self._work(review, model, emit, cancel)

    @contextmanager
    def _alone(self, review_id: int) -> Iterator[None]:
        with self._lock:
            if review_id in self._running:
                raise UserMistake("This review is being worked out already; wait for it, or stop it.")
            self._running.add(review_id)
        try:
            yield
        finally:
            with self._lock:
                self._running.discard(review_id)

    def _work(self, review: Review, model: LoadedModel, emit: Emit, cancel: threading.Event) -> Review:
        strictness = self._settings().answers.strictness
        prover = Prover(
            self._store, self._engine, self._meaning, review.language, bars=bars_of(strictness),
            judge=partial(self._judge, model, strictness, cancel), owner=owner_of((review.case_id,)),
        )  # fmt: skip
        return _Run(self._store, self._search, self._engine, prover, review, model, emit, cancel).work()

    def take_over(self, review: Review, base: Review, model: str) -> Review:
        """Take from an earlier review what nothing has changed for, decisions included."""
        material = CaseMaterial(self._store, review.case_id, review.template)
        bases = self._store.reviews.bases(base.id)
        for item in review.template.items:
            finding = base.finding(item.id)
            same = bases.get(item.id) == material.basis(item, review.language, model)
            if finding is not None and same and finding.status is not FindingStatus.FAILED and not item.compute:
                self._store.reviews.save_finding(review.id, finding, bases[item.id])
        return self._store.reviews.get(review.id)

    def _judge(self, model: LoadedModel, strictness: Strictness, cancel: threading.Event) -> JudgeBars | None:
        """As for answers: a model whose size is unknown is a server that gives no probabilities."""
        return self._judges.bars(model.identity, strictness, cancel) if model.parameters else None


class _Run:
    """One review being worked out."""

    def __init__(
        self, store: Store, search: SearchService, engine: EngineClient, prover: Prover, review: Review,
        model: LoadedModel, emit: Emit, cancel: threading.Event,
    ) -> None:  # fmt: skip
        self._store, self._engine, self._review = store, engine, review
        self._model, self._emit, self._cancel = model, emit, cancel
        self._language, self._items = review.language, review.template.items
        self._by_id = {item.id: item for item in self._items}
        self._material = CaseMaterial(store, review.case_id, review.template)
        self._search, self._library = search, Library(store, search)
        self._prover, owner = prover, owner_of((review.case_id,))
        self._asker = Asker(engine, review.language, owner, emit, cancel)
        self._found = {f.item: f for f in review.findings if f.status is not FindingStatus.FAILED}
        self._began = self._told = time.monotonic()
        self._fresh = 0

    def work(self) -> Review:
        if not self._material.documents:
            raise UserMistake("This case has no documents that can be read; add some first.")
        self._store.reviews.set_state(self._review.id, ReviewState.RUNNING, documents=self._material.reviewed())
        self._emit(ReviewBegun(self._store.reviews.get(self._review.id)))
        for step in (self._look, self._ask, self._look_up, self._compute):
            if not self._cancel.is_set():
                step()
        done = all(item.id in self._found for item in self._items)
        state = ReviewState.DONE if done else ReviewState.STOPPED
        self._store.reviews.set_state(self._review.id, state, timing=self._timing())
        ended = self._store.reviews.get(self._review.id)
        self._emit(ReviewEnded(ended))
        return ended

    # -- by code ---------------------------------------------------------------------------------

    def _look(self) -> None:
        """What headings, tables and fixed words give, without the model."""
        for item in self._open():
            if item.compute or item.scope is not Scope.DOCUMENTS or self._cancel.is_set():
                continue
            documents = self._material.of_item(item)
            finding = self._looked(item, documents) if documents else None
            if finding is None and not self._speaks_of(item, documents or self._material.documents):
                finding = not_found(item, self._language)
            if finding is None and item.question is None:
                finding = not_found(item, self._language, "nothing" if documents else "no_documents")
            if finding is not None:
                self._keep(finding)

    def _looked(self, item: Item, documents: Sequence[Document]) -> Finding | None:
        units = self._material.units(documents)
        if item.look.method == "both_sides":
            return self._both_sides(item)
        result = reading.timeline(item, units) if item.look.method == "timeline" else look(item, units)
        if result:
            return quoted(item, result, units.sources, self._store)
        if result.several and item.question is None:
            return not_found(item, self._language, "several")
        return None

    def _speaks_of(self, item: Item, documents: Sequence[Document]) -> bool:
        """Do these documents have one of the words without which the item makes no sense?"""
        texts = [source.text.lower() for source in self._material.sources(documents)]
        return not item.only_with or any(word.lower() in text for word in item.only_with for text in texts)

    def _both_sides(self, item: Item) -> Finding:
        """The first two document rules of the item are the two sides."""
        sides = [self._material.of_item(replace(item, documents=(name,))) for name in item.documents[:2]]
        if len(sides) < 2 or not all(sides):
            return not_found(item, self._language, "no_documents")
        one, other = (self._material.units(side) for side in sides)
        pairs = reading.both_sides(item, one, other, said("both_sides", self._language))
        both = self._material.units([*sides[0], *sides[1]])
        citing = Citing(self._store, both.sources)
        lines = []
        for mine, theirs, what in pairs:
            marks = [
                citing.mark(_place(both.sources, units.sources[unit.source]), unit.start, unit.end)
                for units, unit in ((one, mine), (other, theirs))
            ]
            text = f"{what}：{said('both_sides', self._language)}"
            lines.append(Sentence(text=text, state=SentenceState.SUPPORTED, citations=tuple(marks)))
        return found(item, tuple(lines), (), tuple(citing.citations)) if lines else not_found(item, self._language)

    # -- by the model ----------------------------------------------------------------------------

    def _ask(self) -> None:
        for documents, items in self._groups():
            if self._cancel.is_set():
                return
            self._ask_group(documents, items)

    def _groups(self) -> Iterator[tuple[tuple[Document, ...], list[Item]]]:
        """Items by the documents they read; those that read all of them first, for that is remembered."""
        groups: dict[tuple[int, ...], tuple[tuple[Document, ...], list[Item]]] = {}
        for item in self._open():
            if item.question is not None:
                documents = self._material.of_item(item) or self._material.documents
                groups.setdefault(tuple(d.id for d in documents), (documents, []))[1].append(item)
        order = [document.id for document in self._material.documents]
        yield from sorted(groups.values(), key=lambda group: (-len(group[0]), order.index(group[0][0].id)))

    def _ask_group(self, documents: tuple[Document, ...], items: list[Item]) -> None:
        """Ask the items of each part of the documents; a part's page numbers stay its own."""
        sources = self._material.sources(documents)
        parts = parts_of(sources, self._engine, self._model.plan.context_tokens)
        self._emit(ItemsBegun(tuple(item.id for item in items)))
        if len(parts) > 1:
            self._map(items, parts)
            return
        units = self._material.units(documents)
        for asked in self._asker.ask(items, sources):
            self._keep(
                self._proved(
                    asked,
                    lambda one: self._prover.prove(one.item, one.reply or Reply(()), units, one.prompt, self._cancel),
                )
            )

    def _map(self, items: list[Item], parts: Sequence[tuple[Source, ...]]) -> None:
        """Long cases: each item is asked of the parts that may tell, and the best of what is proved is kept."""
        for item in items:
            if self._cancel.is_set():
                return
            best: Finding | None = None
            for part in self._likely(item, parts):
                units = cut_units(part)
                for asked in self._asker.ask([item], part):
                    one = self._proved(
                        asked,
                        lambda one, units=units: self._prover.prove(  # type: ignore[misc]
                            one.item, one.reply or Reply(()), units, one.prompt, self._cancel
                        ),
                    )
                    best = _better(best, one)
            if best is not None and not self._cancel.is_set():
                self._keep(best)

    def _likely(self, item: Item, parts: Sequence[tuple[Source, ...]]) -> list[tuple[Source, ...]]:
        """Parts with a page that the search finds for the question, in order; a list is asked of all of them."""
        assert item.question is not None
        evidence = self._search.search(
            item.question.of(self._language), cases=(self._review.case_id,),
            documents=frozenset(s.document_id for part in parts for s in part), limit=8,
        ).evidence  # fmt: skip
        pages = {(e.passage.document_id, e.passage.page) for e in evidence}
        return [part for part in parts if any((s.document_id, s.page) in pages for s in part)]

    def _proved(self, asked: Asked, prove: Callable[[Asked], Finding]) -> Finding:
        if asked.reply is None:
            return replace(failed(asked.item, asked.problem or said("failed", self._language)), seconds=asked.seconds)
        try:
            finding = prove(asked)
        except EngineError as error:
            ANSWER.warning("a finding could not be proved: %s", type(error).__name__)
            finding = failed(asked.item, error.message)
        return replace(finding, seconds=asked.seconds)

    # -- from the library, and computed ----------------------------------------------------------

    def _look_up(self) -> None:
        for item in self._open():
            if item.scope is Scope.DOCUMENTS or self._cancel.is_set():
                continue
            about = [text for id_ in item.about for text in self._texts(id_)]
            queries = [*item.queries, *about]
            if item.scope is Scope.LIBRARY:
                self._keep(self._library.articles(item, queries, self._language))
            else:
                self._keep(self._library.past_cases(item, queries, about, self._language))

    def _texts(self, id_: str) -> list[str]:
        finding = self._found.get(id_)
        if finding is None or not usable(finding):
            return []
        return [line for line in finding.shown.split("\n") if line.strip()]

    def _compute(self) -> None:
        for item in self._items:
            if item.compute and not _decided(self._found.get(item.id)):
                finding = compute(item, self._by_id, self._found, self._language)
                if finding != self._found.get(item.id):
                    self._keep(finding)

    # -- keeping ---------------------------------------------------------------------------------

    def _open(self) -> list[Item]:
        return [item for item in self._items if item.id not in self._found]

    def _keep(self, finding: Finding) -> None:
        """Store it at once. What was asked while the user stopped is not a finding."""
        if self._cancel.is_set() and finding.status is FindingStatus.FAILED:
            return
        item = self._by_id[finding.item]
        basis = self._material.basis(item, self._language, self._model.name)
        self._store.reviews.save_finding(self._review.id, finding, basis)
        self._found[finding.item] = finding
        now = time.monotonic()
        self._fresh += 1
        left = [i for i in self._items if i.id not in self._found]
        seconds = (now - self._began) / self._fresh * len(left)
        self._emit(FindingReady(finding, len(self._found), len(self._items), seconds if self._fresh > 1 else None))

    def _timing(self) -> ReviewTiming:
        return msgspec.structs.replace(self._asker.timing, total_s=time.monotonic() - self._began)


def _decided(finding: Finding | None) -> bool:
    return finding is not None and finding.decision is not Decision.NONE


def _place(sources: Sequence[Source], wanted: Source) -> int:
    return next(i for i, s in enumerate(sources) if (s.document_id, s.page) == (wanted.document_id, wanted.page))


_RANK = (
    FindingStatus.SUPPORTED, FindingStatus.IN_DOUBT, FindingStatus.UNSUPPORTED, FindingStatus.NOT_FOUND,
    FindingStatus.FAILED,
)  # fmt: skip


def _better(one: Finding | None, other: Finding) -> Finding:
    """The better proved of two; the first of equals."""
    if one is None or _RANK.index(other.status) < _RANK.index(one.status):
        return other
    return one
