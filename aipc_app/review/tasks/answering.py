"""Proves what a free task answered: sentence by sentence as answers are, and by the calculations of its steps.

A sentence with a figure that the steps worked out rests on what that was worked out from; every other figure, date
and name in it must stand in what was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.answer.align import Span
from aipc_app.answer.arithmetic import check_arithmetic
from aipc_app.answer.attribute import attribute
from aipc_app.answer.bars import Bars
from aipc_app.answer.claim import Claim, make_reply
from aipc_app.answer.meaning import Meaning
from aipc_app.answer.proof import Proof, cite
from aipc_app.answer.units import Unit
from aipc_app.answer.wording import says_not_found
from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.review.tasks.columns import of_another_column
from aipc_app.review.tasks.desk import Placed
from aipc_app.review.tasks.reckoning import shown_figure
from aipc_app.review.tasks.seen import Seen, Spot
from aipc_app.review.tasks.wording import said
from aipc_app.review.tasks.worked import (
    Worked,
    is_small,
    other_year,
    says_what_no_quote_does,
    tells,
    unnamed_date,
    unnamed_input,
    year_left_out,
)
from aipc_app.store import Store
from aipc_app.text.facts import Fact, find_facts, supports
from aipc_app.text.normalise import comparable
from aipc_app.text.sentences import split_sentences
from aipc_app.text.tokens import query_tokens

_SHARE = 0.4  # of the words of a sentence that what was calculated with, or stands around that, has too
_MOST_CITED = 12
_CLAUSE = re.compile(r"[，；;：:]|,(?!\d)")


class Proved(Struct, frozen=True):
    """`working`: of the calculations that the sentences take up."""

    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    working: tuple[str, ...]


class AnswerProof:
    """Of one task. Not for two threads at once."""

    def __init__(
        self, store: Store, meaning: Meaning, seen: Seen, task: str, language: str, bars: Bars,
        worked: Sequence[Worked], tables: Sequence[Placed],
    ) -> None:  # fmt: skip
        self._store, self._seen, self._task, self._language = store, seen, task, language
        self._asked = tuple(fact for fact in find_facts(task) if not is_small(fact))
        self._worked, self._tables = tuple(worked), tuple(tables)
        self._bars = bars
        self._proof = Proof(store, meaning, seen.units, task, bars)
        self._markers: dict[Spot, int] = {}
        self._citations: list[Citation] = []
        self._used: list[str] = []

    def prove(self, sentences: Sequence[str]) -> Proved:
        """Each string may hold several sentences. Blocks for the embedder where languages differ."""
        done = [self._sentence(text) for whole in sentences for text in _split(whole) if not says_not_found(text)]
        return Proved(tuple(done), tuple(self._citations), tuple(dict.fromkeys(self._used)))

    def _sentence(self, text: str) -> Sentence:
        claim = make_reply(text, self._task)
        facts = [fact for fact in find_facts(claim.text) if not is_small(fact)]
        unread = [fact for fact in facts if not self._where(fact)]
        if (misplaced := self._misplaced(claim, facts)) is not None:
            told = said("other_column", self._language).format(misplaced.text)
            return Sentence(text=text, state=SentenceState.UNSUPPORTED, reason=told)
        used = [one for one in self._worked if any(tells(one, fact) for fact in facts)]
        others = [fact for fact in facts if not any(tells(one, fact) for one in used) and not self._is_asked(fact)]
        worked = None if any(fact in unread for fact in others) else self._by_working(text, claim, others, used)
        if worked is not None and (unread or worked.state is SentenceState.SUPPORTED):
            return worked
        if unread:
            about = "、".join(fact.text for fact in unread)
            told = said("not_borne_out", self._language).format(about)
            return Sentence(text=text, state=SentenceState.UNSUPPORTED, reason=told)
        read = self._by_reading(text, [fact for fact in facts if not self._is_asked(fact)])
        return worked if worked is not None and read.state is not SentenceState.SUPPORTED else read

    def _misplaced(self, claim: Claim, facts: Sequence[Fact]) -> Fact | None:
        """A figure that only tables have, and they under another head than the sentence names."""
        in_tables = [fact for fact in facts if all(map(self._is_in_a_row, self._where(fact)))]
        tables = [placed.table for placed in self._tables]
        return of_another_column(frozenset(query_tokens(claim.text)), in_tables, tables)

    def _is_in_a_row(self, unit: Unit) -> bool:
        spot = self._seen.spot(unit)
        rows = (placed.spot(row) for placed in self._tables for row in placed.table.rows)
        return any(_overlap(row, spot) for row in rows)

    def _by_reading(self, text: str, facts: Sequence[Fact]) -> Sentence:
        """As sentences of answers are proved; what is worked out from several figures stands in no quote."""
        sentence, _ = self._proof.add(text)
        quotes = "\n".join(c.quote for c in self._proof.citations if c.marker in sentence.citations)
        if sentence.state is SentenceState.SUPPORTED and facts and says_what_no_quote_does(text, quotes):
            told = said("not_worked_out", self._language).format("、".join(fact.text for fact in facts))
            return Sentence(text=text, state=SentenceState.UNSUPPORTED, reason=told)
        places = {c.marker: Spot(c.document_id, c.page, c.start, c.end) for c in self._proof.citations}
        return replace(sentence, citations=tuple(self._mark(places[marker]) for marker in sentence.citations))

    def _by_working(
        self, text: str, claim: Claim, others: Sequence[Fact], used: Sequence[Worked]
    ) -> Sentence | None:
        """What it says besides must stand where the calculation took its figures, or elsewhere in what was read. None
        where no step worked anything of it out."""
        if not used:
            return None
        spots = list(dict.fromkeys(spot for one in used for spot in one.spots))
        units = [unit for spot in spots for unit in self._units_at(spot)]
        alike = self._shared(claim, units, used)  # the inputs', not those of what else it says
        beside = "\n".join((self._told_around(units, used), *(unit.text for unit in units)))
        strange = other_year([fact for fact in find_facts(claim.text) if fact not in others], beside)
        for fact in others:
            if not any(supports(have, fact) for unit in units for have in unit.facts):
                units += self._where(fact)[:1]
        self._used += [line for one in used for line in one.lines]
        state, reason = SentenceState.SUPPORTED, ""
        stranger = next((n for n in claim.names if comparable(n) not in self._seen.units.plain), None)
        sums = check_arithmetic(claim.text, claim.hard)
        if stranger or (sums.wrong and not sums.doubtful):
            state, reason = SentenceState.UNSUPPORTED, stranger or sums.wrong
        elif alike < _SHARE:
            state, reason = SentenceState.IN_DOUBT, said("words_differ", self._language)
        elif strange is not None:
            state, reason = SentenceState.IN_DOUBT, said("other_year", self._language).format(strange.text)
        elif unnamed := self._unnamed(used, (*find_facts(claim.text), *self._asked)):
            state, reason = SentenceState.IN_DOUBT, unnamed
        else:
            state, reason = self._besides(text, used)
        cited = dict.fromkeys((*spots, *map(self._seen.spot, units[len(spots):])))
        return Sentence(
            text=text, state=state, reason=reason, citations=tuple(self._mark(s) for s in list(cited)[:_MOST_CITED])
        )

    def _unnamed(self, used: Sequence[Worked], named: Sequence[Fact]) -> str:
        """What the sentence would have to say of the calculation for a reader to check it, "" for nothing."""
        if (date := unnamed_date(used, named)) is not None:
            return said("unnamed_date", self._language).format(date.text)
        if (value := unnamed_input(used, named)) is not None:
            return said("unnamed_input", self._language).format(shown_figure(value))
        year = year_left_out(used, named)
        return "" if year is None else said("year_left_out", self._language).format(year)

    def _besides(self, text: str, used: Sequence[Worked]) -> tuple[SentenceState, str]:
        """What its clauses state of other figures, proved as answers are: a day that was read is not yet the day of
        what the clause says."""
        for clause in _CLAUSE.split(text):
            claim = make_reply(clause, self._task)
            told = [fact for fact in claim.hard if any(tells(one, fact) for one in used)]
            own = [fact for fact in claim.hard if not (is_small(fact) or fact in told or self._is_asked(fact))]
            if not own or not any(unit.language == claim.language for unit in self._seen.units.items):
                continue
            verdict = attribute(replace(claim, hard=tuple(own)), self._seen.units, bars=self._bars)
            if verdict.state is not SentenceState.SUPPORTED:
                return verdict.state, verdict.reason
            if self._shared(claim, [unit for span in verdict.spans for unit in self._within(span)], ()) < _SHARE:
                return SentenceState.IN_DOUBT, said("words_differ", self._language)
        return SentenceState.SUPPORTED, ""

    def _shared(self, claim: Claim, units: Sequence[Unit], used: Sequence[Worked]) -> float:
        """The share of the sentence's words, figures apart, that stand with the inputs or in the working."""
        words = {token for token in claim.tokens if not any(character.isdigit() for character in token)}
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
            if any(_overlap(placed.spot(row), spot) for row in placed.table.rows for spot in spots):
                yield " ".join(placed.columns)

    def _within(self, span: Span) -> Sequence[Unit]:
        return self._seen.units.items[span.first : span.last + 1]

    def _is_asked(self, fact: Fact) -> bool:
        """The user's own: the task names it."""
        return any(supports(one, fact) for one in self._asked)

    def _where(self, fact: Fact) -> list[Unit]:
        """Units that have this fact, those that share most with the task first."""
        units = self._seen.units
        asked = frozenset(query_tokens(self._task))
        found = [unit for unit in units.items if any(supports(have, fact) for have in unit.facts)]
        return sorted(found, key=lambda unit: -units.total(asked & (unit.tokens | unit.near)))

    def _units_at(self, spot: Spot) -> Iterator[Unit]:
        units = self._seen.units
        for unit in units.items:
            source = units.sources[unit.source]
            if _overlap(Spot(source.document_id, source.page, unit.start, unit.end), spot):
                yield unit

    def _mark(self, spot: Spot) -> int:
        if spot not in self._markers:
            self._markers[spot] = len(self._markers) + 1
            source = next(
                s for s in self._seen.sources if (s.document_id, s.page) == (spot.document_id, spot.page)
            )
            self._citations.append(cite(self._store, source, spot.start, spot.end, self._markers[spot]))
        return self._markers[spot]


def _overlap(one: Spot, other: Spot) -> bool:
    same = (one.document_id, one.page) == (other.document_id, other.page)
    return same and one.start < other.end and other.start < one.end


def _split(text: str) -> Iterator[str]:
    for span in split_sentences(text):
        yield text[span.start : span.end].strip()
