"""What a true figure and shared words don't show: is this said of the same thing? Pure.

Each check names what is wrong, or gives None. They look at claims in the material's own language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from aipc_app.answer.align import Span
from aipc_app.answer.claim import Claim
from aipc_app.answer.units import Unit, Units
from aipc_app.text.facts import Fact, supports
from aipc_app.text.normalise import comparable, settled
from aipc_app.text.tokens import query_tokens

_QUOTED = re.compile(r"“([^”]{1,30})”|「([^」]{1,30})」|‘([^’]{1,30})’|\"([^\"]{1,30})\"")
_SAME = re.compile(r"一致|均为|均是|都是|都为|相同|\b(?:both|same|identical|agree)\b", re.IGNORECASE)
_NOT_SAME = re.compile(r"不一致|不相同|不同|并非|not the same|disagree|differ", re.IGNORECASE)
_EMPTY = frozenset("的了是在有和与人不一为其该这那之及或于上下中第" + "abcdefghijklmnopqrstuvwxyz")
_WORD = re.compile(r"[\u3400-\u9fff]{2,}|[a-z]{3,}")


def misquoted(claim: Claim, units: Units, spans: Sequence[Span]) -> str | None:
    """What the sentence puts between quotation marks and its source does not have.

    In a table it must stand in a row of the claim's own figures, or in a row of none (the head).
    """
    cited = _cited(units, spans)
    own = [unit for unit in cited if not (_is_row(unit) and unit.facts) or _states_any(unit, claim.hard)]
    plain = comparable("\n".join(unit.text for unit in (own if claim.hard else cited)))
    terms = (next(one for one in groups if one) for groups in _QUOTED.findall(claim.text))
    return next((term for term in terms if comparable(term) not in plain), None)


def of_something_else(claim: Claim, units: Units, spans: Sequence[Span]) -> str | None:
    """A date or figure whose own sentence speaks of other things than the claim does.

    "Handed in on 20 May" is no date of a contract, though both stand in one list. A sentence that is nothing but
    the figure takes its sense from what is around it and passes.
    """
    cited = _cited(units, spans)
    for fact in claim.hard:
        stating = [unit for unit in cited if _states_any(unit, (fact,))]
        if stating and not any(_speaks_of(claim, unit) for unit in stating):
            return fact.text
    return None


def not_in_each(claim: Claim, units: Units, _spans: Sequence[Span] = ()) -> str | None:
    """Said to be the same in several documents, but one of those that are named doesn't have it."""
    if not claim.hard or not _SAME.search(claim.text) or _NOT_SAME.search(claim.text):
        return None
    named = [source for source in dict.fromkeys(unit.source for unit in units.items) if _is_named(claim, units, source)]
    if len({units.sources[source].document_id for source in named}) < 2:
        return None
    for document in dict.fromkeys(units.sources[source].document_id for source in named):
        known = [f for unit in units.items if units.sources[unit.source].document_id == document for f in unit.facts]
        if missing := _missing(claim.hard, known):
            return missing.text
    return None


def _cited(units: Units, spans: Sequence[Span]) -> list[Unit]:
    return [unit for span in spans for unit in units.items[span.first : span.last + 1]]


def _is_row(unit: Unit) -> bool:
    return " | " in unit.text or "\t" in unit.text


def _states_any(unit: Unit, facts: Sequence[Fact]) -> bool:
    return any(supports(known, fact) for known in unit.facts for fact in facts)


def _speaks_of(claim: Claim, unit: Unit) -> bool:
    words, said = _words(unit.tokens), _words(claim.tokens)
    return len(words) < 2 or not said or bool(words & said) or bool(_characters(words) & _characters(said))


def _characters(words: Iterable[str]) -> frozenset[str]:
    """Han characters: 已还 and 还了 speak of the same, though a dictionary cuts them into different words."""
    return frozenset("".join(words)) - _EMPTY if words else frozenset()


def _words(tokens: Iterable[str]) -> frozenset[str]:
    return frozenset(token for token in tokens if _WORD.fullmatch(token))


def _is_named(claim: Claim, units: Units, source: int) -> bool:
    """Does the claim call this document by a word of its name that no other document's name has?"""
    own = _name_words(units.sources[source].document)
    document = units.sources[source].document_id
    others = {w for s in units.sources if s.document_id != document for w in _name_words(s.document)}
    said = settled(claim.text)
    return any(word in said for word in own - others)


def _name_words(name: str) -> frozenset[str]:
    return _words(query_tokens(name.rsplit(".", 1)[0].replace("_", " ")))


def _missing(facts: Sequence[Fact], known: Sequence[Fact]) -> Fact | None:
    return next((fact for fact in facts if not any(supports(one, fact) for one in known)), None)
