"""Is the loaded model's own check worth believing, and from which probability on? Measured on the model itself.

Each text of judging_cases is asked about with questions it answers and questions it doesn't. The area under the ROC
curve says whether the model tells the two apart (0.5: not at all); where the bars lie comes from the same
probabilities. About forty short prompts, read once a model: their outcome is stored by the model's identity. The
program's own models were measured before, on more than these texts.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache

import msgspec
from msgspec import Struct

from aipc_app import paths
from aipc_app.answer.judge import probability_of_yes, quote_prompt
from aipc_app.answer.judging_cases import CASES, JudgingCase
from aipc_app.answer.wording import wording
from aipc_app.settings.model import Strictness
from aipc_app.store import Store
from engine.client.base import EngineClient

VERSION = 1  # of texts and prompts: what was measured with others is measured again
BELIEVED_AUC = 0.8
# Of the questions a text does not answer, the share that may pass for answered.
_FALSE_YES = {Strictness.BALANCED: 0.2, Strictness.STRICT: 0.05}
_DOUBT_FALSE_YES = {Strictness.BALANCED: 0.4, Strictness.STRICT: 0.2}


class JudgeBars(Struct, frozen=True):
    """A probability from `support` on leaves a sentence supported, from `doubt` on in doubt."""

    support: float
    doubt: float


class Calibration(Struct, frozen=True):
    """Probabilities of yes that a model gave, to questions that the text answers and to others."""

    answered: tuple[float, ...]
    unanswered: tuple[float, ...]

    @property
    def auc(self) -> float:
        """The chance that an answered question gets a higher probability than an unanswered one; ties half."""
        pairs = [(yes > no) + (yes == no) / 2 for yes in self.answered for no in self.unanswered]
        return sum(pairs) / len(pairs) if pairs else 0.5

    @property
    def believed(self) -> bool:
        return self.auc >= BELIEVED_AUC

    def bars(self, strictness: Strictness) -> JudgeBars:
        """Where the bars lie for this model."""
        support = self._bar(_FALSE_YES[strictness])
        return JudgeBars(support, min(support, self._bar(_DOUBT_FALSE_YES[strictness])))

    def _bar(self, false_yes: float) -> float:
        """The lowest probability that lets at most this share of the unanswered questions pass."""
        falling = sorted(self.unanswered, reverse=True)
        passing = int(false_yes * len(falling))
        above = [p for p in self.answered if p > falling[passing]]
        return (falling[passing] + min(above)) / 2 if above else falling[passing] + 1e-6


class Judges:
    """Calibrations by model, measured when first needed. Any thread; one measures at a time."""

    def __init__(self, store: Store, engine: EngineClient) -> None:
        self._store, self._engine = store, engine
        self._lock = threading.Lock()

    def known(self, identity: str) -> Calibration | None:
        """What was measured of this model with today's texts, on this PC."""
        scores = self._store.judges.get(identity, VERSION)
        return Calibration(*scores) if scores is not None else None

    def bars(self, identity: str, strictness: Strictness, cancel: threading.Event) -> JudgeBars | None:
        """The bars of the loaded model; None if its check is not to be believed, or `cancel` came first. May block
        for some twenty seconds the first time. Raises EngineError."""
        if (own := shipped().get(identity)) is not None:
            return own.bars(strictness)
        with self._lock:
            known = self.known(identity)
            if known is None:
                known = measure(self._engine, cancel)
                if known is None:
                    return None
                self._store.judges.save(identity, VERSION, known.answered, known.unanswered)
        return known.bars(strictness) if known.believed else None


def measure(engine: EngineClient, cancel: threading.Event) -> Calibration | None:
    """Put the loaded model to the test; None when cancelled. Blocks for some forty short prompts."""
    answered: list[float] = []
    unanswered: list[float] = []
    for case in CASES:
        for kind, questions in ((answered, case.answered), (unanswered, case.unanswered)):
            if cancel.is_set():
                return None
            kind.extend(_asked(engine, case, questions))
    return Calibration(tuple(answered), tuple(unanswered))


def _asked(engine: EngineClient, case: JudgingCase, questions: Sequence[str]) -> list[float]:
    words = wording(case.language)
    return [probability_of_yes(engine, quote_prompt(case.text, question, words), words) for question in questions]


@cache
def shipped() -> dict[str, KnownModel]:
    """By identity: the program's own models, measured before they were shipped with it."""
    file = paths.assets() / "judged_models.json"
    rows = msgspec.json.decode(file.read_bytes(), type=list[KnownModel]) if file.is_file() else []
    return {row.identity: row for row in rows}


class KnownModel(Struct, frozen=True):
    """Bars (support, doubt) that were chosen on more than judging_cases; None where its check was at chance.
    `measured` names the note that says on what."""

    model: str
    identity: str
    measured: str
    balanced: tuple[float, float] | None
    strict: tuple[float, float] | None

    def bars(self, strictness: Strictness) -> JudgeBars | None:
        found = self.strict if strictness is Strictness.STRICT else self.balanced
        return JudgeBars(*found) if found is not None else None
