"""Proves what a free task answered: sentence by sentence as answers are, and by the calculations of its steps.

A sentence with a figure that the steps worked out rests on what that was worked out from; every other figure, date
and name in it must stand in what was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.answer.bars import Bars
from aipc_app.answer.claim import Claim, make_reply
from aipc_app.answer.meaning import Meaning
from aipc_app.answer.proof import Proof, cite
from aipc_app.answer.units import Unit
from aipc_app.answer.wording import says_not_found
from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.review.tasks.by_working import WorkingProof
from aipc_app.review.tasks.columns import of_another_column
from aipc_app.review.tasks.desk import Placed
from aipc_app.review.tasks.seen import Seen, Spot, overlap
from aipc_app.review.tasks.wording import said
from aipc_app.review.tasks.worked import Worked, is_small, says_what_no_quote_does, tells, unheard_of
from aipc_app.store import Store
from aipc_app.text.facts import Fact, find_facts
from aipc_app.text.language import language_of
from aipc_app.text.sentences import split_sentences
from aipc_app.text.tokens import query_tokens

_MOST_CITED = 12


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
        self._worked, self._tables = tuple(worked), tuple(tables)
        asked = [fact for fact in find_facts(task) if not is_small(fact)]
        self._working = WorkingProof(seen, self._tables, task, asked, language, bars)
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
        unread = [fact for fact in facts if not self._seen.where(fact)]
        if (misplaced := self._misplaced(claim, facts)) is not None:
            return self._refuted(text, "other_column", (misplaced,))
        if (word := self._unheard_of(text)) is not None:
            return Sentence(
                text=text, state=SentenceState.IN_DOUBT, reason=said("unheard_of", self._language).format(word)
            )
        used = [one for one in self._worked if any(tells(one, fact) for fact in facts)]
        unasked = [fact for fact in facts if not self._working.is_asked(fact)]
        others = [fact for fact in unasked if not any(tells(one, fact) for one in used)]
        worked = self._by_working(text, claim, others, used) if used and not any(f in unread for f in others) else None
        if worked is not None and (unread or worked.state is SentenceState.SUPPORTED):
            return worked
        if unread:
            return self._refuted(text, "not_borne_out", unread)
        read = self._by_reading(text, unasked)
        return worked if worked is not None and read.state is not SentenceState.SUPPORTED else read

    def _unheard_of(self, text: str) -> str | None:
        units = self._seen.units
        if not any(unit.language == language_of(text) for unit in units.items):
            return None  # the words of one language stand in no page of another
        known = frozenset[str]().union(*(unit.tokens | unit.near for unit in units.items))
        return unheard_of(
            frozenset(query_tokens(text)), frozenset(query_tokens(self._task)), known, units.plain
        )

    def _refuted(self, text: str, why: str, facts: Sequence[Fact]) -> Sentence:
        reason = said(why, self._language).format("、".join(fact.text for fact in facts))
        return Sentence(text=text, state=SentenceState.UNSUPPORTED, reason=reason)

    def _misplaced(self, claim: Claim, facts: Sequence[Fact]) -> Fact | None:
        """A figure that only tables have, and they under another head than the sentence names."""
        in_tables = [fact for fact in facts if all(map(self._is_in_a_row, self._seen.where(fact)))]
        tables = [placed.table for placed in self._tables]
        return of_another_column(frozenset(query_tokens(claim.text)), in_tables, tables)

    def _is_in_a_row(self, unit: Unit) -> bool:
        spot = self._seen.spot(unit)
        rows = (placed.spot(row) for placed in self._tables for row in placed.table.rows)
        return any(overlap(row, spot) for row in rows)

    def _by_reading(self, text: str, facts: Sequence[Fact]) -> Sentence:
        """As sentences of answers are proved; what is worked out from several figures stands in no quote."""
        sentence, _ = self._proof.add(text)
        quotes = "\n".join(c.quote for c in self._proof.citations if c.marker in sentence.citations)
        if sentence.state is SentenceState.SUPPORTED and facts and says_what_no_quote_does(text, quotes):
            return self._refuted(text, "not_worked_out", facts)
        places = {c.marker: Spot(c.document_id, c.page, c.start, c.end) for c in self._proof.citations}
        return replace(sentence, citations=tuple(self._mark(places[marker]) for marker in sentence.citations))

    def _by_working(
        self, text: str, claim: Claim, others: Sequence[Fact], used: Sequence[Worked]
    ) -> Sentence:
        self._used += [line for one in used for line in one.lines]
        borne = self._working.prove(claim, others, used)
        markers = tuple(map(self._mark, borne.spots[:_MOST_CITED]))
        return Sentence(text=text, state=borne.state, reason=borne.reason, citations=markers)

    def _mark(self, spot: Spot) -> int:
        if spot not in self._markers:
            self._markers[spot] = len(self._markers) + 1
            source = next(
                s for s in self._seen.sources if (s.document_id, s.page) == (spot.document_id, spot.page)
            )
            self._citations.append(cite(self._store, source, spot.start, spot.end, self._markers[spot]))
        return self._markers[spot]


def _split(text: str) -> Iterator[str]:
    for span in split_sentences(text):
        yield text[span.start : span.end].strip()
