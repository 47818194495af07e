"""What a true figure and shared words don't show: is this said of the same thing? Pure.

Each check names what is wrong, or gives None. They look at claims in the material's own language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aipc_app.answer.align import Span
from aipc_app.answer.claim import Claim
from aipc_app.answer.units import Unit, Units
from aipc_app.text.bounds import bound_of
from aipc_app.text.facts import DateValue, Fact, find_facts, supports
from aipc_app.text.normalise import comparable, settled

_QUOTED = re.compile(r"“([^”]{1,30})”|「([^」]{1,30})」|‘([^’]{1,30})’|\"([^\"]{1,30})\"")
_CLAUSE = re.compile(r"[，；;。]|,(?!\d)")
_HAN_ONLY = re.compile(r"[\u3400-\u9fff]+")
_NAME_END = 3  # characters that tell one document's kind from another's: 起诉状, 款合同
_HEAD_WITHIN = 40  # rows above
_SAME = re.compile(r"一致|均为|均是|都是|都为|相同|\b(?:both|same|identical|agree)\b", re.IGNORECASE)
_NOT_SAME = re.compile(r"不一致|不相同|不同|并非|not the same|disagree|differ", re.IGNORECASE)


def misquoted(claim: Claim, units: Units, spans: Sequence[Span]) -> str | None:
    """What the sentence puts between quotation marks and its source does not have.

    In a table it must stand in a row of the claim's own figures, or in a row of none (the head).
    """
    cited = _cited(units, spans)
    own = [unit for unit in cited if not (_is_row(unit) and unit.facts) or _states_any(unit, claim.hard)]
    plain = comparable("\n".join(unit.text for unit in (own if claim.hard else cited)))
    terms = (next(one for one in groups if one) for groups in _QUOTED.findall(claim.text))
    return next((term for term in terms if comparable(term) not in plain), None)


def says_they_differ(claim: Claim) -> bool:
    """The sentence itself tells that documents disagree."""
    return _NOT_SAME.search(claim.text) is not None


def not_in_each(claim: Claim, units: Units) -> str | None:
    """Said to be the same in several documents, but one of those that are named doesn't have it."""
    if not claim.hard or not _SAME.search(claim.text) or _NOT_SAME.search(claim.text):
        return None
    named = _named(claim.text, units) or _named(claim.question, units)
    lacking = (_missing(claim.hard, _facts_of(units, document)) for document in named) if len(named) > 1 else ()
    return next((fact.text for fact in lacking if fact), None)


def not_in_that_document(claim: Claim, units: Units) -> str | None:
    """A clause that names one document and gives a figure that only another one has."""
    for clause in _CLAUSE.split(claim.text):
        named = _named(clause, units)
        if len(named) == 1:
            facts = [fact for fact in claim.hard if fact.text in clause]
            if missing := _missing(facts, _facts_of(units, named[0])):
                return missing.text
    return None


def of_another_column(claim: Claim, units: Units, spans: Sequence[Span]) -> str | None:
    """A figure of a table that stands under another year than the claim's."""
    years = {f.value.year for f in claim.hard if isinstance(f.value, DateValue) and f.value.year}
    if len(years) != 1:
        return None
    for span in spans:
        for index in range(span.first, span.last + 1):
            columns = _year_columns(units, index) if _is_row(units.items[index]) else {}
            wanted = columns.get(next(iter(years)))
            if wanted is not None and (wrong := _outside(claim.hard, units.items[index].text, wanted, columns)):
                return wrong.text
    return None


def of_another_bound(claim: Claim, units: Units, spans: Sequence[Span]) -> str | None:
    """A figure that is the least that may be where every quote that has it makes it the most, or the other way."""
    cited = _cited(units, spans)
    for fact in claim.hard:
        said = bound_of(claim.text, fact.start, fact.end)
        known = {
            bound_of(unit.text, one.start, one.end) for unit in cited for one in unit.facts if supports(one, fact)
        }
        if said is not None and known and None not in known and said not in known:
            return fact.text
    return None


def _year_columns(units: Units, index: int) -> dict[int, int]:
    """Year → cell of the nearest head above that names at least two years and has as many cells as the row."""
    row = _cells(units.items[index].text)
    for unit in reversed(units.items[max(0, index - _HEAD_WITHIN) : index]):
        head = _cells(unit.text) if unit.source == units.items[index].source else ()
        if len(head) == len(row):
            years = {year: i for i, cell in enumerate(head) if (year := _year(cell))}
            if len(years) > 1:
                return years
    return {}


def _outside(facts: Sequence[Fact], row: str, wanted: int, columns: dict[int, int]) -> Fact | None:
    """A fact that stands under another year of the head and not under the wanted one."""
    cells = [find_facts(cell) for cell in _cells(row)]
    for fact in facts:
        at = {i for i, known in enumerate(cells) if any(supports(one, fact) for one in known)}
        if at and wanted not in at and at <= set(columns.values()):
            return fact
    return None


def _cells(row: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.strip().strip("|").split("|"))


def _year(cell: str) -> int | None:
    return next((f.value.year for f in find_facts(cell) if isinstance(f.value, DateValue) and f.value.year), None)


def _named(text: str, units: Units) -> list[int]:
    """Documents that the text calls by the end of their name: 起诉状 for 01_民事起诉状.docx. Their ids."""
    said = settled(text).lower()
    found = {s.document_id for s in units.sources if any(end in said for end in _name_ends(s.document))}
    return sorted(found)


def _name_ends(name: str) -> Iterator[str]:
    stem = settled(name).lower().rsplit("/", 1)[-1].rsplit(".", 1)[0]
    for part in stem.split("_"):
        if len(part) >= _NAME_END and _HAN_ONLY.fullmatch(part):
            yield part[-_NAME_END:]
    words = re.findall(r"[a-z]{3,}", stem)
    if len(words) > 1:
        yield " ".join(words[-2:])


def _facts_of(units: Units, document: int) -> list[Fact]:
    return [f for unit in units.items if units.sources[unit.source].document_id == document for f in unit.facts]


def _cited(units: Units, spans: Sequence[Span]) -> list[Unit]:
    return [unit for span in spans for unit in units.items[span.first : span.last + 1]]


def _is_row(unit: Unit) -> bool:
    return " | " in unit.text or "\t" in unit.text


def _states_any(unit: Unit, facts: Sequence[Fact]) -> bool:
    return any(supports(known, fact) for known in unit.facts for fact in facts)


def _missing(facts: Sequence[Fact], known: Sequence[Fact]) -> Fact | None:
    return next((fact for fact in facts if not any(supports(one, fact) for one in known)), None)
