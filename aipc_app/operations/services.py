"""What operations work with; built once by app.py and passed in."""

from __future__ import annotations

from dataclasses import dataclass, field

from aipc_app.answer.ahead import ReadingAhead
from aipc_app.answer.memory import Memory
from aipc_app.answer.service import AnswerService
from aipc_app.ingest.queue import IngestQueue
from aipc_app.ingest.watch import FolderWatcher
from aipc_app.operations.changes import ChangeBus
from aipc_app.operations.door import DoorKeeper
from aipc_app.paths import Home
from aipc_app.review.run import ReviewRunner
from aipc_app.review.tasks.run import TaskRunner
from aipc_app.search.service import SearchService
from aipc_app.settings.holder import SettingsHolder
from aipc_app.settings.secrets import Secrets
from aipc_app.store import Store
from aipc_app.workers.encoder import Encoder
from aipc_app.workers.reader import Reader
from engine.client.base import EngineClient
from engine.client.models import ModelTasks


@dataclass(frozen=True)
class Services:
    """One open home and everything that works on it."""

    home: Home
    settings: SettingsHolder
    changes: ChangeBus
    store: Store
    reader: Reader
    encoder: Encoder
    engine: EngineClient
    model_tasks: ModelTasks
    ingest: IngestQueue
    watcher: FolderWatcher
    search: SearchService
    answers: AnswerService
    memory: Memory
    ahead: ReadingAhead
    reviews: ReviewRunner
    tasks: TaskRunner
    secrets: Secrets = field(default_factory=Secrets)
    door: DoorKeeper = field(default_factory=DoorKeeper)
