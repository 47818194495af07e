"""Composition root: everything is built here, in this order, and shut down in the reverse.

1. home      the data folder is made and locked (a second program is told who holds it); a restore is completed
2. log       to a file in the home; from here on no process reaches a network
3. settings  read strictly
4. store     migrations, the truth
5. children  reader, encoder and engine clients; processes start at first use (the encoder ahead of it)
6. ingest    what a kill left behind is queued again; search and answers stand on what is there; reading ahead
7. front     the command line or the window
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import psutil

from aipc_app import carried, log, paths
from aipc_app.answer.ahead import ReadingAhead
from aipc_app.answer.memory import Memory
from aipc_app.answer.service import AnswerService
from aipc_app.errors import AipcError
from aipc_app.ingest.queue import IngestQueue
from aipc_app.ingest.watch import FolderWatcher
from aipc_app.operations.changes import ChangeBus
from aipc_app.operations.servers import server_of
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from aipc_app.review.run import ReviewRunner
from aipc_app.review.tasks.run import TaskRunner
from aipc_app.search.service import SearchService
from aipc_app.settings.file import load as load_settings
from aipc_app.settings.holder import SettingsHolder
from aipc_app.settings.model import Settings
from aipc_app.settings.secrets import Secrets
from aipc_app.store import Store, doorstep
from aipc_app.store.home_lock import locked
from aipc_app.store.restoring import complete_restore
from aipc_app.text import tokens
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.reader import Reader, worker_count
from aipc_app.workers.spawn import child_command
from engine.client.base import EngineClient
from engine.client.choice import ChosenEngine
from engine.client.models import ModelTasks
from engine.client.process import ProcessEngine
from engine.client.remote import RemoteEngine
from engine.types.remembering import StoreSettings
from engine.wire.offline import guard


def run(arguments: list[str]) -> int:
    """The command line; with no command, the window."""
    from aipc_app.bench import command as bench
    from aipc_app.cli.main import run as run_cli

    return run_cli(arguments, opened, _open_window, (bench,))


def _open_window(home: Home, *, sample: bool = False, files: tuple[Path, ...] = ()) -> int:
    """The window, or what one that is open already shall look at. Qt is imported here and only here, so that the
    command line starts without it.
    """
    if not sample and doorstep.hand_over(home, files):
        return 0
    carried.load_libraries()
    from aipc_app.bench.start import report_start
    from aipc_app.ui.main import run as run_window

    services = partial(opened, home, reads_ahead=True)
    return run_window(
        services, sample=sample, files=files, settings=_settings_or_defaults(home), on_usable=report_start
    )


def _settings_or_defaults(home: Home) -> Settings:
    """For the look of the first moment; a broken file is reported when the home is opened."""
    try:
        return load_settings(home.settings)
    except AipcError:
        return Settings()


@contextmanager
def opened(home: Home, engine: EngineClient | None = None, *, reads_ahead: bool = False) -> Iterator[Services]:
    """Everything over one home, closed again whatever happens. Raises HomeInUse, StorageError, UserMistake.

    `engine`: another engine than the child process (the shipped fake one, in tests and demos).
    `reads_ahead`: indexed documents are read by the model in the background, once one is loaded.
    """
    with ExitStack() as stack:
        home.create()
        guard(home.network_log)
        stack.enter_context(locked(home))
        complete_restore(home)
        handler = log.to_file(home.logs / "aipc.log")
        stack.callback(log.stop, handler)
        yield _build(home, engine, stack, reads_ahead=reads_ahead)


def _build(home: Home, engine: EngineClient | None, stack: ExitStack, *, reads_ahead: bool) -> Services:
    settings = SettingsHolder(home.settings)
    tokens.configure(home.caches)
    store = Store.open(home)
    stack.callback(store.close)
    changes = ChangeBus()
    readers = worker_count(os.cpu_count() or 1, psutil.virtual_memory().total)
    reader = Reader(child_command("reader"), home.logs, workers=readers)
    stack.callback(reader.close)
    encoder = Encoder(_encoder_command(home, settings), home.logs)
    stack.callback(encoder.close)
    secrets = Secrets()
    engine = engine or _engine(home, settings, secrets)
    stack.callback(engine.close)
    model_tasks = ModelTasks(child_command("models"), paths.assets() / "models.toml", home.logs / "models.log")
    ingest = IngestQueue(store, reader, encoder, settings, changes.publish, readers=readers)
    stack.callback(ingest.stop)
    watcher = FolderWatcher(store, ingest, changes.publish, leave_out=home.root)
    stack.callback(watcher.stop)
    search = SearchService(store, encoder, reranker=encoder if settings().embedding.reranker else None)
    memory = Memory(store, engine, settings, home.kv)
    ahead = ReadingAhead(store, engine, memory, settings, changes.publish)
    stack.callback(ahead.stop)
    stack.callback(changes.subscribe(ahead.changed))
    services = Services(
        home=home,
        settings=settings,
        changes=changes,
        store=store,
        reader=reader,
        encoder=encoder,
        engine=engine,
        model_tasks=model_tasks,
        ingest=ingest,
        watcher=watcher,
        search=search,
        answers=AnswerService(store, search, engine, encoder, settings),
        memory=memory,
        ahead=ahead,
        reviews=ReviewRunner(store, search, engine, encoder, settings),
        tasks=TaskRunner(store, search, engine, encoder, settings),
        secrets=secrets,
    )
    stack.callback(services.door.close)
    ingest.start()
    watcher.start()
    ahead.start(reads=reads_ahead)
    return services


def _engine(home: Home, settings: SettingsHolder, secrets: Secrets) -> EngineClient:
    """The child process, and the server that may be used in its place; the settings are looked at each time."""
    local = ProcessEngine(child_command("engine"), home.logs / "engine.log", _kept(home, settings()))
    return ChosenEngine(local, RemoteEngine(lambda: server_of(settings()), secrets.token))


def _kept(home: Home, settings: Settings) -> StoreSettings:
    """Where the engine keeps what it read; a change takes effect when its process starts next."""
    wanted = settings.remembering
    return StoreSettings(str(home.kv), wanted.ram_mib << 20, wanted.disk_mib << 20, enabled=wanted.enabled)


def _encoder_command(home: Home, settings: Callable[[], object]) -> list[str]:
    embedding = settings().embedding  # type: ignore[attr-defined]
    command = [*child_command("encoder"), "--backend", embedding.backend, "--vectors", str(home.vectors)]
    command += ["--reranker", embedding.reranker] if embedding.reranker else []
    return [*command, "--model-folder", embedding.folder] if embedding.folder else command
