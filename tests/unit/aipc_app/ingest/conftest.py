"""A real store and queue, with a reader and an encoder that do what a test tells them."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from aipc_app.domain.documents import Page, PageState
from aipc_app.domain.encoder_wire import TextKind
from aipc_app.domain.jobs import Changes
from aipc_app.domain.reader_wire import FileRead, MemberFound, Opened, PageRead, PictureRead, ReadLimits
from aipc_app.errors import Cancelled, WorkerDied
from aipc_app.ingest.queue import Added, IngestQueue
from aipc_app.ingest.report import IngestReport
from aipc_app.ingest.sources import expand
from aipc_app.paths import Home
from aipc_app.settings.model import Settings
from aipc_app.store import Store

PATIENCE_S = 20.0


class TextReader:
    """Text files, pages between form feeds; a page that is only "?" is garbled, "!" failed, blank empty."""

    def __init__(self) -> None:
        self.raises: dict[str, list[Exception]] = {}  # by file name, used up one a read
        self.gate = threading.Event()  # a read waits here after its first page
        self.gate.set()
        self.reading = threading.Event()
        self.read_names: list[str] = []
        self.passwords: list[str | None] = []

    def read(
        self,
        path: Path,
        name: str,
        *,
        password: str | None = None,
        limits: ReadLimits | None = None,
        on_page: Callable[[PageRead], None],
        on_opened: Callable[[Opened], None] | None = None,
        cancel: threading.Event | None = None,
        work_folder: Path | None = None,
        on_member: Callable[[MemberFound], None] | None = None,
        on_picture: Callable[[PictureRead], None] | None = None,
    ) -> FileRead:
        self.read_names.append(name)
        self.passwords.append(password)
        texts = path.read_text(encoding="utf-8").split("\f")
        if on_opened is not None:
            on_opened(Opened(1, len(texts), True))
        for number, text in enumerate(texts, 1):
            on_page(PageRead(1, _page(number, text)))
            self.reading.set()
            while not self.gate.wait(0.01):
                if cancel is not None and cancel.is_set():
                    raise Cancelled
        if self.raises.get(name):
            raise self.raises[name].pop(0)
        return FileRead(1, len(texts))


def _page(number: int, text: str) -> Page:
    state = {"?": PageState.GARBLED, "!": PageState.FAILED, "": PageState.EMPTY}.get(text.strip(), PageState.TEXT)
    return Page(number=number, text=text, state=state)


class Made(Struct, frozen=True):
    embedder: str
    data: bytes


class MemoryEncoder:
    """Vectors of two numbers and an index in memory; may be absent, or die on a word."""

    def __init__(self) -> None:
        self.ready = True
        self.name = "toy"
        self.startable = True
        self.deaths: dict[str, int] = {}  # word in a text -> how often it kills
        self.starts = 0
        self.batches: list[tuple[str, ...]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.embedding = threading.Event()
        self.index: dict[str, dict[int, int]] = {}
        self.changed = threading.Condition()
        self._listeners: list[Callable[..., None]] = []

    @property
    def embedder(self) -> str | None:
        return self.name if self.ready else None

    def start(self) -> None:
        self.starts += 1
        if self.startable and not self.ready:
            self.come()

    def come(self) -> None:
        self.startable = self.ready = True
        self.tell()

    def go(self) -> None:
        self.ready = self.startable = False
        self.tell()

    def subscribe(self, listener: Callable[..., None], /) -> None:
        self._listeners.append(listener)

    def embed(self, texts: Sequence[str], kind: TextKind, *, cancel: threading.Event | None = None) -> Made:
        self._check()
        assert kind is TextKind.PASSAGE
        self.embedding.set()
        assert self.gate.wait(PATIENCE_S)
        for word, times in self.deaths.items():
            if times and any(word in text for text in texts):
                self.deaths[word] = times - 1
                self.ready = False
                self.tell()
                raise WorkerDied("died")
        self.batches.append(tuple(texts))
        return Made(self.name, struct.pack(f"<{2 * len(texts)}f", *([0.6, 0.8] * len(texts))))

    def index_add(
        self, collection: str, passage_ids: Sequence[int], document_ids: Sequence[int], vectors: bytes
    ) -> None:
        self._check()
        assert len(vectors) == 8 * len(passage_ids)
        with self.changed:
            self.index.setdefault(collection, {}).update(zip(passage_ids, document_ids, strict=True))
            self.changed.notify_all()

    def index_remove(self, collection: str, document_id: int | None) -> None:
        self._check()
        kept = {p: d for p, d in self.index.get(collection, {}).items() if document_id not in (None, d)}
        with self.changed:
            self.index[collection] = kept
            self.changed.notify_all()

    def index_count(self, collection: str) -> int:
        self._check()
        return len(self.index.get(collection, {}))

    def _check(self) -> None:
        if not self.ready:
            raise WorkerDied("not there")

    def tell(self, state: object = None) -> None:
        for listener in self._listeners:
            listener(state)


class Bench:
    """Everything a test needs: files to drop, the queue, and the two processes' stand-ins."""

    def __init__(self, home: Home, folder: Path) -> None:
        self.folder, self.home = folder, home
        self.reader, self.encoder = TextReader(), MemoryEncoder()
        self.changes: list[Changes] = []
        self.heard = threading.Condition()
        self.store = Store.open(home)
        self.queue = self.new_queue()

    def new_queue(self) -> IngestQueue:
        return IngestQueue(self.store, self.reader, self.encoder, Settings, self._hear)

    def restart(self) -> None:
        """As if the program had been killed and started again."""
        self.queue.stop()
        self.store.close()
        self.store = Store.open(self.home)
        self.queue = self.new_queue()

    def drop(self, case_id: int, *files: tuple[str, str], password: str | None = None) -> tuple[Added, ...]:
        """Add files of these names and texts."""
        paths = []
        for name, text in files:
            path = self.folder / name
            path.write_text(text, encoding="utf-8")
            paths.append(path)
        return self.queue.add(case_id, expand(paths), password=password)

    def reports(self, added: Sequence[Added]) -> list[IngestReport]:
        """Waits for them, with a limit."""
        cancel = threading.Event()
        timer = threading.Timer(PATIENCE_S, cancel.set)
        timer.start()
        try:
            return list(self.queue.wait(added, cancel=cancel))
        finally:
            timer.cancel()

    def until(self, true: Callable[[], Any]) -> None:
        """Wait for something to become true, looking whenever the queue says that something changed."""
        with self.heard:
            assert self.heard.wait_for(true, PATIENCE_S), "it did not happen"

    def until_index(self, true: Callable[[], Any]) -> None:
        """Wait for the index to become so, looking after each change of it."""
        with self.encoder.changed:
            assert self.encoder.changed.wait_for(true, PATIENCE_S), "it did not happen"

    def close(self) -> None:
        self.reader.gate.set()
        self.encoder.gate.set()
        self.queue.stop()
        self.store.close()

    def _hear(self, changes: Changes) -> None:
        with self.heard:
            self.changes.append(changes)
            self.heard.notify_all()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    folder = tmp_path / "dropped"
    folder.mkdir()
    made = Bench(Home(tmp_path / "home"), folder)
    yield made
    made.close()
