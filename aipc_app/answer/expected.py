"""Does an answer say what was expected of it? Figures compared as values, the rest as normalised text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aipc_app.domain.answers import Answer, SentenceState
from aipc_app.text.facts import Fact, find_facts, supports
from aipc_app.text.normalise import comparable


def missing_from(answer: Answer, expected: str) -> str | None:
    """The first line of `expected` that neither a supported sentence nor a quote of one states; None if all stand.

    Nothing expected: the answer must be a refusal, else what it said comes back.
    """
    wanted = [line.strip() for line in expected.splitlines() if line.strip()]
    if not wanted:
        return None if answer.refused else answer.text
    proved = [s for s in answer.sentences if s.state is SentenceState.SUPPORTED]
    cited = {marker for sentence in proved for marker in sentence.citations}
    said = "\n".join([*(s.text for s in proved), *(c.quote for c in answer.citations if c.marker in cited)])
    return next((line for line in wanted if not stands(line, said)), None)


def stands(wanted: str, text: str) -> bool:
    """Is this in the text: as normalised text, or as values that say the same?"""
    if comparable(wanted) in comparable(text):
        return True
    facts, known = find_facts(wanted), find_facts(text)
    return bool(facts) and all(any(supports(k, f) for k in known) for f in facts) and _rest_stands(wanted, facts, text)


def _rest_stands(wanted: str, facts: Sequence[Fact], text: str) -> bool:
    """What is not a value must stand too, word by word."""
    plain = comparable(text)
    return all(comparable(part) in plain for part in _between(wanted, facts))


def _between(wanted: str, facts: Sequence[Fact]) -> Iterator[str]:
    at = 0
    for fact in facts:
        yield wanted[at : fact.start].strip()
        at = fact.end
    yield wanted[at:].strip()
