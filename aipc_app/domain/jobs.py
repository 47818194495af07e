"""Durable work, and what changed."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class JobKind(StrEnum):
    READ = "read"  # reader → pages → passages → keyword index
    EMBED = "embed"  # passages → vectors


class JobState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(Struct, frozen=True, kw_only=True):
    """One durable piece of work for one document. `progress` from 0 to 1."""

    id: int
    kind: JobKind
    document_id: int
    document: str
    state: JobState
    attempts: int = 0
    progress: float = 0.0
    reason: str | None = None


class JobsGlance(Struct, frozen=True, kw_only=True):
    """Documents with work that is queued or running, and how many have work that failed."""

    pending: frozenset[int] = frozenset()
    failed: int = 0


class PendingWork(Struct, frozen=True, kw_only=True):
    """All that waits or is being done: files to read with their bytes, passages to be given vectors."""

    read_documents: int = 0
    read_bytes: int = 0
    embed_documents: int = 0
    embed_passages: int = 0


class Indexing(Struct, frozen=True, kw_only=True):
    """Where indexing stands. `seconds_left` is None while too little was measured to say."""

    paused: bool = False
    pending: PendingWork = PendingWork()
    seconds_left: float | None = None


class Changes(Struct, frozen=True, kw_only=True):
    """What a write changed; screens decide for themselves what to refresh."""

    cases: bool = False
    documents: frozenset[int] = frozenset()  # case ids whose document lists changed
    pages: frozenset[int] = frozenset()  # document ids whose content changed
    jobs: bool = False
    conversations: bool = False
    models: bool = False
    settings: bool = False
    remembering: frozenset[int] = frozenset()  # case ids of which the model remembers more or less
    reviews: frozenset[int] = frozenset()  # case ids whose reviews changed
    golden: frozenset[int] = frozenset()  # case ids whose golden questions or results changed

    def __or__(self, other: Changes) -> Changes:
        return Changes(
            cases=self.cases or other.cases,
            documents=self.documents | other.documents,
            pages=self.pages | other.pages,
            jobs=self.jobs or other.jobs,
            conversations=self.conversations or other.conversations,
            models=self.models or other.models,
            settings=self.settings or other.settings,
            remembering=self.remembering | other.remembering,
            reviews=self.reviews | other.reviews,
            golden=self.golden | other.golden,
        )
