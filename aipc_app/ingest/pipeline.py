"""From a file to what can be asked of it: pages, passages, words, facts; then vectors.

Each function does one document, blocking, and raises what stops it; queue.py decides what happens then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from aipc_app.domain.documents import Document, DocumentStatus, Member, Page, PageState
from aipc_app.domain.encoder_wire import TextKind
from aipc_app.domain.fields import DocumentField
from aipc_app.domain.reader_wire import MemberFound, Opened, PageRead, PictureRead, ReadLimits
from aipc_app.errors import Cancelled
from aipc_app.ingest.correcting import with_corrections
from aipc_app.ingest.intake import MOST_NESTED, TOO_DEEP, TakenMember, keep_members, refused
from aipc_app.ingest.metadata import recognise
from aipc_app.ingest.passages import Drafted, drafts_of, index_passage, labelled
from aipc_app.ingest.ports import FileReader, PassageEncoder, collection_of
from aipc_app.store import IndexedPassage, Store

EMBED_BATCH = 32
_CUTTING_S = 20e-6  # a character: passages and their words. Only how long that is beside the reading matters
_LISTED_PAGES = 12
_LISTED_MEMBERS = 5
_GAPS = (
    (PageState.EMPTY, "has no text", "have no text"),
    (PageState.GARBLED, "is garbled", "are garbled"),
    (PageState.FAILED, "could not be read", "could not be read"),
)

OnFraction = Callable[[float], None]


class EmbedderChanged(Exception):
    """The encoder came back as another embedder in the middle of a document; the job starts again."""


class ReadResult(Struct, frozen=True, kw_only=True):
    """Everything of one file, not stored yet. `reason` names the pages that are missing.

    `pages` have the user's text where they wrote one; `read` are these pages as they were read.
    """

    pages: tuple[Page, ...]
    read: tuple[Page, ...]
    fields: tuple[DocumentField, ...]
    passages: tuple[IndexedPassage, ...]
    has_layout: bool
    reason: str | None
    members: tuple[TakenMember, ...] = ()
    encoding: str = ""


def read_document(
    reader: FileReader,
    store: Store,
    document: Document,
    *,
    limits: ReadLimits,
    password: str | None,
    on_fraction: OnFraction,
    cancel: threading.Event,
) -> ReadResult:
    """Read a document's original and cut it; keep the files inside it.

    Raises DocumentError and its kinds, WorkerDied, Cancelled, StorageError.
    """
    heard = Heard(on_fraction)
    too_deep = store.members.depth(document.id) >= MOST_NESTED
    with store.originals.work_folder() as folder:
        end = reader.read(
            store.originals.path(document.sha256), document.name, password=password, limits=limits,
            on_page=heard.page, on_opened=heard.opened.append, cancel=cancel, work_folder=folder,
            on_member=None if too_deep else heard.members.append, on_picture=heard.picture,
        )  # fmt: skip
        members = keep_members(store, heard.members)
    if too_deep and end.members:
        members = (TakenMember(name="…", problem=TOO_DEEP),)
    return _cut(store, document, heard, members, end.encoding, lambda drafts: _index(drafts, heard, cancel))


class Heard:
    """What the reader tells of a file while it reads; how far the whole job is goes on to `on_fraction`.

    Recognising pages takes most of a scan's time, cutting and counting words half of that of written pages: which
    part reading is, is told by how long it took so far.
    """

    def __init__(self, on_fraction: OnFraction, clock: Callable[[], float] = time.monotonic) -> None:
        self._on_fraction, self._clock = on_fraction, clock
        self._began, self._characters, self._told = clock(), 0, 0.0
        self.pages: list[Page] = []
        self.opened: list[Opened] = []
        self.members: list[MemberFound] = []

    @property
    def has_layout(self) -> bool:
        return bool(self.opened and self.opened[0].has_layout)

    def page(self, read: PageRead) -> None:
        self.pages.append(read.page)
        self._characters += len(read.page.text)
        self._tell(len(self.pages))

    def picture(self, read: PictureRead) -> None:
        self._tell(len(self.pages) + read.share)

    def _tell(self, done: float) -> None:
        expected = self.opened[0].pages if self.opened else 0
        if expected:
            spent = self._clock() - self._began
            share = spent / (spent + _CUTTING_S * self._characters) if spent else 0.0
            self._say(share * min(1.0, done / expected))

    def cut(self, share: float) -> None:
        """So much of the passages is made; reading is over."""
        self._on_fraction(self._told + (1 - self._told) * share)

    def _say(self, fraction: float) -> None:
        """Never less than before."""
        self._told = max(self._told, fraction)
        self._on_fraction(self._told)


def _cut(
    store: Store,
    document: Document,
    heard: Heard,
    members: tuple[TakenMember, ...],
    encoding: str,
    index: Callable[[Sequence[Drafted]], tuple[IndexedPassage, ...]],
) -> ReadResult:
    """The pages with what the user wrote on them, cut into passages, and what the document is."""
    corrections = store.corrections.of_document(document.id)
    shown = labelled(with_corrections(heard.pages, corrections))
    passages = index(drafts_of(shown))
    states = {state: [page.number for page in shown if page.state is state] for state in PageState}
    return ReadResult(
        pages=shown, read=tuple(page for page in heard.pages if page.number in corrections),
        fields=recognise(document.name, shown), passages=passages, has_layout=heard.has_layout,
        members=members, encoding=encoding, reason=gaps(states, len(heard.pages), len(passages), members),
    )  # fmt: skip


def embed_document(
    encoder: PassageEncoder,
    store: Store,
    document_id: int,
    embedder: str,
    *,
    on_fraction: OnFraction,
    check: Callable[[], None],
    cancel: threading.Event,
) -> None:
    """Give each passage its vector and put all into the index of every case the document belongs to.

    What is embedded is stored batch by batch, so that an interruption costs one. `check` is called between
    batches and may raise to stop. Raises what the encoder raises, and EmbedderChanged.
    """
    missing = store.vectors.missing(embedder, document_id)
    for start in range(0, len(missing), EMBED_BATCH):
        check()
        passages = store.passages.get(missing[start : start + EMBED_BATCH])
        if not passages:
            return  # removed meanwhile
        texts = [f"{passage.heading}\n{passage.text}" if passage.heading else passage.text for passage in passages]
        made = encoder.embed(texts, TextKind.PASSAGE, cancel=cancel)
        if made.embedder != embedder:
            raise EmbedderChanged
        store.vectors.save(embedder, [passage.id for passage in passages], made.data)
        on_fraction((start + len(passages)) / (len(missing) + 1))
    check()
    for case_id in store.documents.cases_of(document_id):
        index_documents(encoder, store, case_id, (document_id,), embedder)


def index_documents(
    encoder: PassageEncoder, store: Store, case_id: int, document_ids: Sequence[int], embedder: str
) -> None:
    """Put the stored vectors of these documents into a case's part of the index. Raises WorkerDied."""
    for batch in store.vectors.of_documents(embedder, document_ids):
        encoder.index_add(collection_of(case_id), batch.passage_ids, batch.document_ids, batch.vectors)


def settled(store: Store, document: Document) -> tuple[DocumentStatus, str | None]:
    """Where a document stands when everything that could be done was done, and what is missing of it."""
    members = store.members.of(document.id)
    reason = gaps(store.documents.attention(document.id), document.pages, document.passages, members)
    return (DocumentStatus.INDEXED if reason is None else DocumentStatus.INDEXED_WITH_GAPS), reason


def gaps(
    states: Mapping[PageState, Sequence[int]],
    pages: int,
    passages: int,
    members: Sequence[Member | TakenMember] = (),
) -> str | None:
    """A sentence a kind of gap: "2 of 14 pages have no text: 3, 7." None when there are none.

    `states` has page numbers by state, `pages` and `passages` are how many there are in all, `members` the files
    inside.
    """
    if not pages:
        return "The file has no pages."
    sentences = []
    for state, one, many in _GAPS:
        numbers = states.get(state, ())
        if numbers:
            verb = one if len(numbers) == 1 else many
            sentences.append(f"{len(numbers)} of {_pages(pages)} {verb}: {_list(numbers)}.")
    if not passages:
        sentences.append("Nothing of it can be asked.")
    if any(member.problem == TOO_DEEP for member in members):
        sentences.append(TOO_DEEP)
    elif names := refused(members):
        listed = ", ".join(names[:_LISTED_MEMBERS]) + (" …" if len(names) > _LISTED_MEMBERS else "")
        sentences.append(f"{len(names)} of {len(members)} files in it were not taken in: {listed}.")
    return " ".join(sentences) or None


def _pages(count: int) -> str:
    return f"{count} page" if count == 1 else f"{count} pages"


def _list(numbers: Sequence[int]) -> str:
    """Page numbers, runs shortened (3-9), and not more of them than a line holds."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    listed = [str(low) if low == high else f"{low}-{high}" for low, high in runs[:_LISTED_PAGES]]
    return ", ".join(listed) + (" …" if len(runs) > _LISTED_PAGES else "")


def _index(
    drafts: Sequence[Drafted], heard: Heard, cancel: threading.Event
) -> tuple[IndexedPassage, ...]:
    indexed = []
    for number, drafted in enumerate(drafts, 1):
        if cancel.is_set():
            raise Cancelled
        indexed.append(index_passage(drafted.draft, drafted.searched))
        heard.cut(number / len(drafts))
    return tuple(indexed)
