"""Answer sentence + material → state, spans, reason. Pure; the check by the model comes after (judge.py).

What a state promises: `supported`, every number, date, amount, article and named body of the sentence stands in
the cited text, and so do its words, by a measured share; `in_doubt`, the facts stand there, the words hardly do;
`unsupported`, a fact or a name stands nowhere in the material, or nothing in it says anything like this.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.answer import checks
from aipc_app.answer.align import Alignment, Span, align, words_of
from aipc_app.answer.arithmetic import Checked, check_arithmetic
from aipc_app.answer.bars import BALANCED, Bars
from aipc_app.answer.claim import Claim
from aipc_app.answer.conflict import contradicted
from aipc_app.answer.nearly import differs
from aipc_app.answer.polarity import turned_word
from aipc_app.answer.units import Units
from aipc_app.domain.answers import SentenceState
from aipc_app.text.bounds import bound_of
from aipc_app.text.normalise import comparable
from aipc_app.text.romanised import romanise, unknown_name

_Wrong = tuple[str, str]  # kind of reason, and what
_DOUBTFUL = ("turned", "thing")  # may be another way to say it


class Verdict(Struct, frozen=True, kw_only=True):
    """`reason` is "" for a supported sentence."""

    state: SentenceState
    spans: tuple[Span, ...]
    reason: str = ""


def attribute(
    claim: Claim, units: Units, similarities: Mapping[int, float] | None = None, bars: Bars = BALANCED
) -> Verdict:
    """Prove one sentence. `similarities` as in `align`."""
    if claim.text.endswith(("?", "？")):
        return _unsupported(claim, "nothing", "")  # a question says nothing that could be proved
    claim = _but_file_names(claim, units)
    sums = check_arithmetic(claim.text, claim.hard, lambda: _limits(claim, units))
    if sums.wrong and not sums.doubtful:
        return _unsupported(claim, sums.kind, sums.wrong)
    claim = replace(claim, hard=tuple(fact for fact in claim.hard if fact not in sums.derived))
    found = align(claim, units, similarities)
    if found.missing:
        return _unsupported(claim, "fact", "、".join(fact.text for fact in found.missing))
    foreign = similarities is not None
    stranger = _romanised_stranger(claim, units) if foreign else _stranger(claim, units)
    if stranger is not None:
        return _unsupported(claim, "name", stranger)
    state = _state(claim, found, foreign, bars)
    if state is SentenceState.UNSUPPORTED:
        return _unsupported(claim, "nothing", "")
    wrong = None if foreign else _wrong(claim, units, found)
    if wrong and wrong[0] not in _DOUBTFUL:
        return _unsupported(claim, *wrong)
    if state is SentenceState.IN_DOUBT:
        return verdict_of(claim, state, found.spans, "weak")
    if doubt := _doubt(claim, units, found, sums, wrong):
        return doubt
    return Verdict(state=state, spans=found.spans)


def _doubt(claim: Claim, units: Units, found: Alignment, sums: Checked, wrong: _Wrong | None) -> Verdict | None:
    """Facts and words bear the sentence out; what else speaks against it, or None."""
    doubted, spans = SentenceState.IN_DOUBT, found.spans
    quote = "\n".join(units.sources[span.source].page_text[span.start : span.end] for span in spans)
    if wrong:
        return verdict_of(claim, doubted, spans, *wrong)
    if turned_word(claim.text, quote, claim.tokens):
        return verdict_of(claim, doubted, spans, "turned")
    if sums.wrong:
        return verdict_of(claim, doubted, spans, sums.kind, sums.wrong)
    clash = None if checks.says_they_differ(claim) else contradicted(claim, units, spans)
    if clash is not None:
        both = (clash.document, clash.said, clash.other_document, clash.other)
        return verdict_of(claim, doubted, (*spans, clash.span), "conflict", *both)
    if all(units.sources[span.source].aside for span in spans):
        return verdict_of(claim, doubted, spans, "elsewhere")
    return None


def _limits(claim: Claim, units: Units) -> tuple[str, ...]:
    """The sentence with a floor or a ceiling that shares most with the claim."""
    bounded = [unit for unit in units.items if any(bound_of(unit.text, f.start, f.end) for f in unit.facts)]
    own = words_of(claim.tokens | claim.asked)
    best = max(bounded, key=lambda unit: units.total(own & unit.tokens), default=None)
    return (best.text,) if best is not None and own & words_of(best.tokens) else ()


def _but_file_names(claim: Claim, units: Units) -> Claim:
    """The 05 of 05_memo.docx is no figure the sentence states."""
    places = [
        (at, at + len(name))
        for name in {source.document for source in units.sources}
        if (at := claim.text.find(name)) >= 0
    ]
    hard = (fact for fact in claim.hard if not any(start <= fact.start and fact.end <= end for start, end in places))
    return replace(claim, hard=tuple(hard)) if places else claim


def _state(claim: Claim, found: Alignment, by_similarity: bool, bars: Bars) -> SentenceState:
    if by_similarity:
        support, doubt = bars.lift_with_facts if claim.hard else bars.lift, bars.doubt_lift
        value = found.lift
    else:
        support, doubt = bars.coverage_with_facts if claim.hard else bars.coverage, bars.doubt_coverage
        value = found.coverage
    if value >= support:
        return SentenceState.SUPPORTED
    return SentenceState.IN_DOUBT if value >= doubt else SentenceState.UNSUPPORTED


def _stranger(claim: Claim, units: Units) -> str | None:
    """A name that the material never mentions, in the claim's own language."""
    for name in claim.names:
        if comparable(name) not in units.plain:
            return name
    return None


def _romanised_stranger(claim: Claim, units: Units) -> str | None:
    """A Chinese name, in Latin letters, that the Chinese material never mentions."""
    if claim.language != "en":
        return None
    names = [name for name in claim.names if comparable(name) not in units.plain]
    unknown = (unknown_name(name, romanise(units.plain)) for name in names)
    return next((name for name in unknown if name), None)


def _wrong(claim: Claim, units: Units, found: Alignment) -> _Wrong | None:
    """(kind of reason, what) when the facts stand there but are said of something else, or by nearly these words."""
    if term := checks.misquoted(claim, units, found.spans):
        return "fact", term
    if fact := checks.not_in_each(claim, units):
        return "each", fact
    if fact := checks.not_in_that_document(claim, units) or checks.of_another_column(claim, units, found.spans):
        return "fact", fact
    if fact := checks.of_another_bound(claim, units, found.spans):
        return "bound", fact
    return differs(claim, units, found.spans)


def _unsupported(claim: Claim, kind: str, detail: str) -> Verdict:
    return verdict_of(claim, SentenceState.UNSUPPORTED, (), kind, detail)


def verdict_of(claim: Claim, state: SentenceState, spans: tuple[Span, ...], kind: str, *detail: object) -> Verdict:
    """A verdict with its reason in the claim's language; `kind` is a key of _REASONS."""
    return Verdict(state=state, spans=spans, reason=_REASONS[claim.language][kind].format(*detail))


_REASONS = {
    "zh": {
        "fact": "材料中没有“{}”，或不在所述之处",
        "name": "材料中没有出现“{}”",
        "bound": "引文在“{}”处说的正好相反（至少与至多、高与低、前与后）",
        "party": "引文说的不是“{}”",
        "thing": "引文在此处说的不是“{}”",
        "each": "并非每份所说的文件都写着“{}”",
        "nothing": "材料中没有与此相符的文字",
        "weak": "引文与这句话只是部分相符",
        "judge": "引文没有写明这句话所说的内容",
        "turned": "引文的说法正好相反（肯定与否定不同）",
        "unchecked": "在核对完成之前已停止",
        "no_article": "法律库中没有“{}”：该法共{}条",
        "other_article": "“{}”没有写这句话所说的内容",
        "repealed": "“{}”已被“{}”废止",
        "not_yet": "“{}”自{}起才施行",
        "sum": "算得不对：{}",
        "floor": "与数字不符：{}",
        "conflict": "材料说法不一：“{}”写“{}”，“{}”写“{}”",
        "elsewhere": "这只见于法律库中其他案件的文书，不是本案的材料",
    },
    "en": {
        "fact": "“{}” does not stand in the material, or not where this is said",
        "name": "“{}” is not named in the material",
        "bound": "the quote says the opposite at “{}”: least and most, high and low, before and after",
        "party": "the quote does not say this of “{}”",
        "thing": "the quote speaks of something else than “{}” here",
        "each": "not every document named here has “{}”",
        "nothing": "no text of the material says this",
        "weak": "the quote agrees with this only in part",
        "judge": "the quote does not state what this says",
        "turned": "the quote says the opposite: one says no where the other says yes",
        "unchecked": "stopped before this was checked",
        "no_article": "the library has no “{}”: that law has {} articles",
        "other_article": "“{}” does not say what this says",
        "repealed": "“{}” is repealed by “{}”",
        "not_yet": "“{}” comes into force only on {}",
        "sum": "the calculation is wrong: {}",
        "floor": "the figures say otherwise: {}",
        "conflict": "the documents disagree: “{}” has “{}”, “{}” has “{}”",
        "elsewhere": "only a document of another matter, in the library, says this",
    },
}


def judged_reason(language: str, *, unchecked: bool = False) -> str:
    """Why the model's own check lowered a sentence."""
    return _REASONS[language]["unchecked" if unchecked else "judge"]
