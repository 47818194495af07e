"""Errors as people read them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aipc_app import log
from aipc_app.errors import AipcError
from aipc_app.ui.words import Words
from engine.errors import EngineDied, EngineError


class Remedy(StrEnum):
    """What a button beside the sentence can do about it."""

    NONE = ""
    RELOAD = "reload"


@dataclass(frozen=True)
class Problem:
    """A sentence, and what can be done at once."""

    sentence: str
    remedy: Remedy = Remedy.NONE


def translate_error(error: BaseException, words: Words) -> Problem:
    """The one place that turns an error into words. Errors that are no one's sentence are bugs: logged, named so."""
    if isinstance(error, EngineDied):
        return Problem(words.sentence(error.message), Remedy.RELOAD)
    if isinstance(error, AipcError | EngineError):
        return Problem(words.sentence(error.message))
    log.UI.error("unexpected error in the window", exc_info=error)
    return Problem(words("problem.bug", kind=type(error).__name__))
