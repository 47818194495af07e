"""Does an answer say what was expected of it? Figures compared as values, the rest as normalised text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aipc_app.domain.answers import Answer, SentenceState
from aipc_app.text.facts import Fact, find_facts, supports
from aipc_app.text.normalise import comparable

_INSIDE_BEFORE, _INSIDE_AFTER = re.compile(r"\d[.,]?\d$"), re.compile(r"^\d(?!\.0+(?!\d))[.,]?\d")


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
    if _stands_as_text(comparable(wanted), comparable(text)):
        return True
    facts, known = find_facts(wanted), find_facts(text)
    return bool(facts) and all(any(supports(k, f) for k in known) for f in facts) and _rest_stands(wanted, facts, text)


def _stands_as_text(wanted: str, text: str) -> bool:
    """Not inside a longer figure: 3.4 does not stand in 33.4, nor 60,000 in 160,000."""
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before, after = text[max(0, at - 2) : at + 1], text[max(0, end - 1) : end + 12]
        if not (_INSIDE_BEFORE.search(before) or _INSIDE_AFTER.match(after)):
            return True
        at = text.find(wanted, at + 1)
    return False


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
