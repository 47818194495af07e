"""Proves what a free task answered: sentence by sentence as answers are, and by the calculations of its steps.

A sentence with a figure that the steps worked out rests on what that was worked out from; every other figure, date
and name in it must stand in what was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.answer.arithmetic import check_arithmetic
from aipc_app.answer.bars import Bars
from aipc_app.answer.claim import Claim, make_reply
from aipc_app.answer.meaning import Meaning
from aipc_app.answer.proof import Proof, cite
from aipc_app.answer.units import Unit
from aipc_app.answer.wording import says_not_found
from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.review.tasks.seen import Seen, Spot, values_of
from aipc_app.review.tasks.wording import said
from aipc_app.store import Store
from aipc_app.text.facts import Fact, FactKind, find_facts, supports
from aipc_app.text.normalise import comparable
from aipc_app.text.sentences import split_sentences
from aipc_app.text.tokens import query_tokens

_SMALL_COUNT = 12  # of what a sentence itself lists
_SHARE = 0.4  # of the words of a sentence that what was calculated with, or stands around that, has too
_MOST_CITED = 12


class Worked(Struct, frozen=True):
    """What a step worked out: `told` is its result as a text, for dates; `spots` are where its inputs stand."""

    value: Decimal | None
    told: str
    working: str
    spots: tuple[Spot, ...]


class Proved(Struct, frozen=True):
    """`working`: of the calculations that the sentences take up."""

    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    working: tuple[str, ...]


class AnswerProof:
    """Of one task. Not for two threads at once."""

    def __init__(
        self, store: Store, meaning: Meaning, seen: Seen, task: str, language: str, bars: Bars,
        worked: Sequence[Worked],
    ) -> None:  # fmt: skip
        self._store, self._seen, self._task, self._language = store, seen, task, language
        self._asked = tuple(fact for fact in find_facts(task) if not _small(fact))
        self._worked = tuple(worked)
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
        facts = [fact for fact in find_facts(claim.text) if not _small(fact)]
        unread = [fact for fact in facts if not self._where(fact)]
        used = [one for one in self._worked if any(_tells(one, fact) for fact in facts)]
        others = [fact for fact in facts if not any(_tells(one, fact) for one in used) and not self._is_asked(fact)]
        if used and not any(fact in unread for fact in others):
            worked = self._by_working(text, claim, others, used)
            if unread or worked.state is SentenceState.SUPPORTED:
                return worked
        if unread:
            about = "、".join(fact.text for fact in unread)
            told = said("not_borne_out", self._language).format(about)
            return Sentence(text=text, state=SentenceState.UNSUPPORTED, reason=told)
        return self._by_reading(text)

    def _by_reading(self, text: str) -> Sentence:
        """As sentences of answers are proved."""
        sentence, _ = self._proof.add(text)
        places = {c.marker: Spot(c.document_id, c.page, c.start, c.end) for c in self._proof.citations}
        return replace(sentence, citations=tuple(self._mark(places[marker]) for marker in sentence.citations))

    def _by_working(self, text: str, claim: Claim, others: Sequence[Fact], used: Sequence[Worked]) -> Sentence:
        """What it says besides must stand where the calculation took its figures, or elsewhere in what was read."""
        spots = list(dict.fromkeys(spot for one in used for spot in one.spots))
        units = [unit for spot in spots for unit in self._units_at(spot)]
        alike = self._shared(claim, units, used)  # the inputs', not those of what else it says
        for fact in others:
            if not any(supports(have, fact) for unit in units for have in unit.facts):
                units += self._where(fact)[:1]
        self._used += [one.working for one in used]
        state, reason = SentenceState.SUPPORTED, ""
        stranger = next((n for n in claim.names if comparable(n) not in self._seen.units.plain), None)
        sums = check_arithmetic(claim.text, claim.hard)
        if stranger or (sums.wrong and not sums.doubtful):
            state, reason = SentenceState.UNSUPPORTED, stranger or sums.wrong
        elif alike < _SHARE:
            state, reason = SentenceState.IN_DOUBT, said("words_differ", self._language)
        cited = dict.fromkeys((*spots, *map(self._seen.spot, units[len(spots):])))
        return Sentence(
            text=text, state=state, reason=reason, citations=tuple(self._mark(s) for s in list(cited)[:_MOST_CITED])
        )

    def _shared(self, claim: Claim, units: Sequence[Unit], used: Sequence[Worked]) -> float:
        """The share of the sentence's words, figures apart, that stand with the inputs or in the working."""
        words = {token for token in claim.tokens if not any(character.isdigit() for character in token)}
        working = frozenset(token for one in used for token in query_tokens(one.working))
        known = working.union(*(unit.tokens | unit.near for unit in units))
        return len(words & known) / len(words) if words else 1.0

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
            same = (source.document_id, source.page) == (spot.document_id, spot.page)
            if same and unit.start < spot.end and spot.start < unit.end:
                yield unit

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


def _small(fact: Fact) -> bool:
    """No statement that could be looked up: an ordinal, or a count of what the sentence lists."""
    return fact.kind is FactKind.ORDINAL or (
        fact.kind is FactKind.COUNT and any(value <= _SMALL_COUNT for value in values_of(fact))
    )


def _tells(one: Worked, fact: Fact) -> bool:
    """Is the fact what was worked out, perhaps rounded, in per cent, or in the column's unit?"""
    if fact.kind is FactKind.DATE:
        return any(supports(have, fact) for have in find_facts(one.told.rsplit("=", 1)[-1]))
    if one.value is None:
        return False
    exact = (one.value, abs(one.value), one.value * 100, abs(one.value) * 100)
    wanted = exact if fact.kind in (FactKind.PERCENT, FactKind.RATE) else exact[:2]
    return any(_rounds_to(value, stated) for stated in values_of(fact) for value in wanted)


def _rounds_to(value: Decimal, stated: Decimal) -> bool:
    exponent = stated.as_tuple().exponent
    if not isinstance(exponent, int):
        return False
    step = Decimal(1).scaleb(min(exponent, 0))
    return abs(value - stated) <= step / 2 if value != int(value) else value == stated
