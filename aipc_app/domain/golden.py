"""Golden questions: kept for a case, asked again after a change, held against what they gave before."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class GoldenQuestion(Struct, frozen=True, kw_only=True):
    """`expected`: facts that a supported sentence or its quote must state, a line each; "" if it must be refused."""

    id: int
    case_id: int
    question: str
    expected: str


class GoldenResult(Struct, frozen=True, kw_only=True):
    """One question's answer in a run. `missing`: the first expected fact that was not there, "" if none.

    `sources`: where its quotes are, as "document, page".
    """

    question_id: int
    passed: bool
    refused: bool
    text: str
    missing: str = ""
    sources: tuple[str, ...] = ()
    seconds: float = 0.0


class GoldenRun(Struct, frozen=True, kw_only=True):
    """`settings`: those that bear on an answer, in a line."""

    id: int
    case_id: int
    model: str
    settings: str
    started: float  # seconds since the epoch
    results: tuple[GoldenResult, ...] = ()


class Change(StrEnum):
    """Of a question between two runs."""

    NEW = "new"  # not asked before, or not asked again yet
    SAME = "same"
    OTHER = "other"  # another answer or source, passed or failed as before
    BETTER = "better"
    WORSE = "worse"


class GoldenRow(Struct, frozen=True, kw_only=True):
    """A line of the table: the question, its latest result and the one before."""

    question: GoldenQuestion
    now: GoldenResult | None = None
    before: GoldenResult | None = None

    @property
    def change(self) -> Change:
        if self.now is None or self.before is None:
            return Change.NEW
        if self.now.passed is not self.before.passed:
            return Change.BETTER if self.now.passed else Change.WORSE
        alike = (self.now.text, self.now.sources) == (self.before.text, self.before.sources)
        return Change.SAME if alike else Change.OTHER


class GoldenTable(Struct, frozen=True, kw_only=True):
    """A case's questions with the last two runs, None where there were none."""

    rows: tuple[GoldenRow, ...]
    now: GoldenRun | None = None
    before: GoldenRun | None = None

    @property
    def passed(self) -> int:
        return sum(row.now.passed for row in self.rows if row.now is not None)
