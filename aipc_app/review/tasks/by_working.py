"""Is a sentence borne out by what steps worked out? Its figures by the calculation, all else by what was read. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.answer.arithmetic import check_arithmetic
from aipc_app.answer.attribute import attribute
from aipc_app.answer.bars import Bars
from aipc_app.answer.claim import Claim, make_reply
from aipc_app.answer.units import Unit
from aipc_app.domain.answers import SentenceState
from aipc_app.review.tasks.desk import Placed
from aipc_app.review.tasks.reckoning import shown_figure
from aipc_app.review.tasks.seen import Seen, Spot, overlap, values_of
from aipc_app.review.tasks.wording import said
from aipc_app.review.tasks.worked import (
    Worked,
    is_small,
    other_year,
    tells,
    unnamed_date,
    unnamed_inputs,
    year_left_out,
)
from aipc_app.text.facts import Fact, find_facts, supports
from aipc_app.text.normalise import comparable
from aipc_app.text.tokens import query_tokens

_SHARE = 0.4  # of the words of a sentence that what was calculated with, or stands around that, has too
_SHARE_ITSELF, _FEWEST_WORDS = 0.25, 2  # that the very sentence of an input has which isn't named
_CLAUSE = re.compile(r"[，；;：:]|,(?!\d)")


class Borne(Struct, frozen=True):
    """`spots`: the inputs first, then where the sentence's other figures stand."""

    state: SentenceState
    reason: str
    spots: tuple[Spot, ...]


class WorkingProof:
    """Of one task. `asked`: the facts that the task itself names."""

    def __init__(
        self, seen: Seen, tables: Sequence[Placed], task: str, asked: Sequence[Fact], language: str, bars: Bars
    ) -> None:
        self._seen, self._tables, self._task = seen, tables, task
        self._asked, self._language, self._bars = tuple(asked), language, bars

    def prove(self, claim: Claim, others: Sequence[Fact], used: Sequence[Worked]) -> Borne:
        """`used` gave some of its facts, `others` are the rest but for those that the task names."""
        spots = list(dict.fromkeys(spot for one in used for spot in one.spots))
        inputs = [unit for spot in spots for unit in self._seen.units_at(spot)]
        state, reason = self._judged(claim, others, used, inputs)
        for fact in others:
            if not any(supports(have, fact) for unit in inputs for have in unit.facts):
                spots += map(self._seen.spot, self._seen.where(fact)[:1])
        return Borne(state, reason, tuple(dict.fromkeys(spots)))

    def _judged(
        self, claim: Claim, others: Sequence[Fact], used: Sequence[Worked], inputs: Sequence[Unit]
    ) -> tuple[SentenceState, str]:
        stranger = next((n for n in claim.names if comparable(n) not in self._seen.units.plain), None)
        sums = check_arithmetic(claim.text, claim.hard)
        if stranger or (sums.wrong and not sums.doubtful):
            return SentenceState.UNSUPPORTED, stranger or sums.wrong
        if self._shared(claim, inputs, used) < _SHARE:  # the inputs' words, not those of what else it says
            return SentenceState.IN_DOUBT, said("words_differ", self._language)
        if unsaid := self._unsaid(claim, others, used, inputs):
            return SentenceState.IN_DOUBT, unsaid
        return self._besides(claim.text, used)

    def _unsaid(
        self, claim: Claim, others: Sequence[Fact], used: Sequence[Worked], inputs: Sequence[Unit]
    ) -> str:
        """What the sentence would have to say of the calculation for a reader to check it, "" for nothing."""
        facts = find_facts(claim.text)
        named = (*facts, *self._asked)
        beside = "\n".join((self._told_around(inputs, used), *(unit.text for unit in inputs)))
        checks = (
            ("other_year", (fact := other_year([f for f in facts if f not in others], beside)) and fact.text),
            ("unnamed_date", (date := unnamed_date(used, named)) and date.text),
            ("unnamed_input", self._untold(claim, unnamed_inputs(used, named), inputs)),
            ("year_left_out", year_left_out(used, named)),
        )
        return next((said(key, self._language).format(what) for key, what in checks if what is not None), "")

    def _untold(self, claim: Claim, values: Iterable[Decimal], inputs: Sequence[Unit]) -> str | None:
        """One of the values that stands in no sentence which speaks of this: nobody could tell what it is."""
        words = _words(claim)
        for value in values:
            places = [unit for unit in inputs if any(value in values_of(fact) for fact in unit.facts)]
            if not any(len(words & unit.tokens) >= max(_FEWEST_WORDS, _SHARE_ITSELF * len(words)) for unit in places):
                return shown_figure(value)
        return None

    def _besides(self, text: str, used: Sequence[Worked]) -> tuple[SentenceState, str]:
        """What its clauses state of other figures, proved as answers are: a day that was read is not yet the day of
        what the clause says."""
        units = self._seen.units
        for clause in _CLAUSE.split(text):
            claim = make_reply(clause, self._task)
            told = [fact for fact in claim.hard if any(tells(one, fact) for one in used)]
            own = [fact for fact in claim.hard if not (is_small(fact) or fact in told or self.is_asked(fact))]
            if not own or not any(unit.language == claim.language for unit in units.items):
                continue
            verdict = attribute(replace(claim, hard=tuple(own)), units, bars=self._bars)
            if verdict.state is not SentenceState.SUPPORTED:
                return verdict.state, verdict.reason
            cited = [unit for span in verdict.spans for unit in units.items[span.first : span.last + 1]]
            if self._shared(claim, cited, ()) < _SHARE:
                return SentenceState.IN_DOUBT, said("words_differ", self._language)
        return SentenceState.SUPPORTED, ""

    def is_asked(self, fact: Fact) -> bool:
        """The user's own: the task names it."""
        return any(supports(one, fact) for one in self._asked)

    def _shared(self, claim: Claim, units: Sequence[Unit], used: Sequence[Worked]) -> float:
        """The share of the sentence's words, figures apart, that stand with these units or in the working."""
        words = _words(claim)
        told = frozenset(query_tokens(self._told_around(units, used)))
        known = told.union(*(unit.tokens | unit.near for unit in units))
        return len(words & known) / len(words) if words else 1.0

    def _told_around(self, units: Sequence[Unit], used: Sequence[Worked]) -> str:
        return "\n".join((*(line for one in used for line in one.lines), *self._around(units)))

    def _around(self, units: Sequence[Unit]) -> Iterator[str]:
        """What names a figure from afar: the first line of its page, the heads of its table."""
        spots = [self._seen.spot(unit) for unit in units]
        for number in dict.fromkeys(unit.source for unit in units):
            yield self._seen.units.sources[number].page_text.strip().split("\n", 1)[0]
        for placed in self._tables:
            if any(overlap(placed.spot(row), spot) for row in placed.table.rows for spot in spots):
                yield " ".join(placed.columns)


def _words(claim: Claim) -> frozenset[str]:
    return frozenset(token for token in claim.tokens if not any(character.isdigit() for character in token))
