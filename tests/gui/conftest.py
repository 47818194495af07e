"""A real window, offscreen, over a real store with the shipped fake engine; and the leak police."""

from __future__ import annotations

import gc
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"  # before Qt makes its application

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aipc_app import paths
from aipc_app.answer.ahead import ReadingAhead
from aipc_app.answer.memory import Memory
from aipc_app.answer.pressure import CoreSeconds, Pressure
from aipc_app.answer.service import AnswerService
from aipc_app.domain.boxes import pack_boxes
from aipc_app.domain.documents import Case, Document, DocumentStatus, Page, PageState, PassageDraft
from aipc_app.ingest.queue import IngestQueue
from aipc_app.ingest.watch import FolderWatcher
from aipc_app.operations.changes import ChangeBus
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from aipc_app.review.run import ReviewRunner
from aipc_app.review.tasks.run import TaskRunner
from aipc_app.search.service import SearchService
from aipc_app.settings.file import save
from aipc_app.settings.holder import SettingsHolder
from aipc_app.settings.model import Language, Models, Settings, Theme, Window
from aipc_app.store import IndexedPassage, Store
from aipc_app.text import tokens
from aipc_app.ui.case.page import CasePage
from aipc_app.ui.cases.page import CasesPage
from aipc_app.ui.desktop import Desktop
from aipc_app.ui.main import settle_clipboard
from aipc_app.ui.screens import Screen
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.reader import Reader
from aipc_app.workers.spawn import child_command
from engine.client.fake import FakeEngine
from engine.client.models import ModelTasks

# The desktop of whoever runs the tests is left alone. libdbus reads the address once in a process, so it stays the
# same; a test that wants a bus starts one there.
BUS_SOCKET = Path(tempfile.gettempdir()) / f"aipc-tests-{os.getpid()}.bus"
os.environ["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={BUS_SOCKET}"
os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nowhere/bus"
WAIT_MS = 60_000  # a bound for a hung window, not a bar: other work may hold this PC
CONTRACT = "借款合同\n甲方向乙方出借人民币500,000元。\n借款期限自2021年3月5日起至2022年3月4日止。\n"
TRANSFER = "转账凭证\n2021年3月5日，陈国梁向赵立新转账450,000元。\n"
QUESTION = "借款金额是多少？"
ANSWER = "甲方向乙方出借人民币500,000元。"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform says this for every window with a smallest size, and for one that comes forward."""
    for item in items:
        item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints", r"does not support raise\(\)"))


@dataclass
class Rig:
    """The window under test and what is behind it."""

    desktop: Desktop
    services: Services
    engine: FakeEngine
    qtbot: QtBot
    answer: str = ANSWER
    script: list[str] = field(default_factory=list)  # said before `answer`, one after another
    extra: dict[str, str] = field(default_factory=dict)

    def say(self) -> str:
        """What the engine says next."""
        return self.script.pop(0) if self.script else self.answer

    @property
    def window(self):  # type: ignore[no-untyped-def]
        return self.desktop.window

    @property
    def case_page(self) -> CasePage:
        return self.desktop.case

    @property
    def cases_page(self) -> CasesPage:
        page = self.window.screen_widget(Screen.CASES)
        assert isinstance(page, CasesPage)
        return page

    def until(self, condition: Callable[[], object]) -> None:
        """Let the window live until it is so."""
        self.qtbot.waitUntil(lambda: bool(condition()), timeout=WAIT_MS)

    def store_document(self, case: Case, name: str, *texts: str, boxes: bool = False) -> Document:
        """A document as if it had been read: pages and passages are stored directly."""
        store = self.services.store
        digest = f"{abs(hash((case.id, name, texts))):064x}"[-64:]
        document = store.documents.add(name=name, sha256=digest, size=1)
        pages = tuple(_page(number, text, boxes) for number, text in enumerate(texts, start=1))
        passages = tuple(
            IndexedPassage(draft=PassageDraft(page=page.number, start=start, end=start + len(line), text=line),
                           tokens=" ".join(tokens.search_tokens(line)), facts=())
            for page in pages for start, line in _lines(page.text))
        store.documents.link(case.id, document.id)
        store.documents.save_read(document.id, pages=pages, passages=passages, status=DocumentStatus.INDEXED,
                                  reason=None, has_layout=False)
        return store.documents.get(document.id)

    def open_case(self, name: str = "借款纠纷", **documents: str) -> Case:
        """A case with these documents (one page each), on screen."""
        case = self.services.store.cases.create(name)
        for stem, text in (documents or {"合同": CONTRACT, "凭证": TRANSFER}).items():
            self.store_document(case, f"{stem}.txt", text)
        case = self.services.store.cases.get(case.id)
        self.desktop.open_case(case)
        self.until(lambda: len(self.case_page.bench.documents.model.rows) == case.documents)
        return case

    def ask(self, question: str = QUESTION) -> None:
        """Ask and wait for the end."""
        self.case_page.conversation.ask(question)
        self.until(lambda: not self.case_page.conversation.busy)

    @property
    def turn(self):  # type: ignore[no-untyped-def]
        return self.case_page.conversation.turns[-1]


def _page(number: int, text: str, boxes: bool) -> Page:
    packed = pack_boxes((60 + 8 * (i % 50), 80 + 20 * (i // 50), 68 + 8 * (i % 50), 96 + 20 * (i // 50))
                        for i in range(len(text))) if boxes else b""
    return Page(number=number, text=text, state=PageState.TEXT, width=595.0, height=842.0, boxes=packed)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for line in text.split("\n"):
        if line.strip():
            yield start, line
        start += len(line) + 1


@contextmanager
def services_over(
    home: Home, engine: FakeEngine, *, reading: bool, reads_ahead: bool = False
) -> Iterator[Services]:
    """Everything real but the engine; no encoder, so that search goes by words. `reading`: files are read too.

    `reads_ahead`: so is what is indexed, by the engine; this PC is then never on battery and has nothing else to do.
    """
    with ExitStack() as stack:
        settings, store, changes = SettingsHolder(home.settings), Store.open(home), ChangeBus()
        stack.callback(store.close)
        reader = Reader(child_command("reader"), home.logs)
        stack.callback(reader.close)
        encoder = Encoder([], home.logs)
        encoder.close()
        stack.callback(engine.close)
        ingest = IngestQueue(store, reader, encoder, settings, changes.publish)
        search = SearchService(store, encoder)
        memory = Memory(store, engine, settings, home.kv)
        idle = Pressure(lambda: CoreSeconds(0.0, 0.0, {}), lambda: False)
        ahead = ReadingAhead(store, engine, memory, settings, changes.publish, idle)
        stack.callback(ahead.stop)
        stack.callback(changes.subscribe(ahead.changed))
        ahead.start(reads=reads_ahead)
        watcher = FolderWatcher(store, ingest, changes.publish, leave_out=home.root)
        if reading:
            ingest.start()
            stack.callback(ingest.stop)
            watcher.start()
            stack.callback(watcher.stop)
        yield Services(
            home=home, settings=settings, changes=changes, store=store, reader=reader, encoder=encoder, engine=engine,
            model_tasks=ModelTasks(child_command("models"), paths.assets() / "models.toml", home.logs / "models.log"),
            ingest=ingest, watcher=watcher, search=search, memory=memory, ahead=ahead,
            answers=AnswerService(store, search, engine, encoder, settings),
            reviews=ReviewRunner(store, search, engine, encoder, settings),
            tasks=TaskRunner(store, search, engine, encoder, settings))


@pytest.fixture
def settings() -> Settings:
    """A test that needs others overrides this."""
    return Settings(window=Window(language=Language.ENGLISH, theme=Theme.LIGHT, welcomed=True),
                    models=Models(chat="fake.gguf"))


@pytest.fixture
def reading() -> bool:
    """Whether files that are added are read."""
    return False


@pytest.fixture
def reads_ahead() -> bool:
    """Whether documents are read ahead."""
    return False


@pytest.fixture
def home(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A data folder with these settings, and a model file to choose."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "fake.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("AIPC_MODELS", str(tmp_path / "models"))
    made = Home(tmp_path / "home")
    made.create()
    save(made.settings, settings)
    tokens.configure(made.caches)
    return made


@pytest.fixture
def rig(
    home: Home, settings: Settings, reading: bool, reads_ahead: bool, qtbot: QtBot, qapp: QApplication
) -> Iterator[Rig]:
    """The window over its services, shown; taken down whatever happens."""
    scripted: dict[str, Rig] = {}
    engine = FakeEngine(lambda _request: scripted["rig"].say(), loaded=False)
    desktop = Desktop(qapp, settings)
    try:
        desktop.window.show()
        with services_over(home, engine, reading=reading, reads_ahead=reads_ahead) as services:
            made = scripted["rig"] = Rig(desktop, services, engine, qtbot)
            desktop.attach(services)
            desktop.window.activateWindow()
            made.until(desktop.window.isActiveWindow)
            yield made
            desktop.window.close()
            assert desktop.close(timeout_s=60), "work of the window did not end in time"
    finally:
        take_down(desktop)


def take_down(desktop: Desktop) -> None:
    """Destroy the window and all that belongs to it."""
    QCoreApplication.processEvents()  # what was posted before the end finds its receiver still there
    context = desktop.context
    for thing in (desktop.window, desktop, context.bridge, context.notices, context.look, context.words):
        thing.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()


@pytest.fixture(autouse=True)
def leak_police(qapp: QApplication) -> Iterator[None]:
    """Fails a test that leaves a thread, a running timer or a window behind."""
    yield
    settle_clipboard()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
    gc.collect()
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("ui-")]
    alive = [thing for thing in gc.get_objects() if _is_one(thing, QThread, QTimer) and shiboken6.isValid(thing)]
    assert not [thing for thing in alive if isinstance(thing, QThread) and thing.isRunning()
                and thing is not QThread.currentThread()]
    assert not [thing for thing in alive if isinstance(thing, QTimer) and thing.isActive()]
    assert not [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]


def _is_one(thing: object, *kinds: type) -> bool:
    """By its true type: `isinstance` asks a stand-in for its class, and torch's of old names warn when asked."""
    return issubclass(type(thing), kinds)
