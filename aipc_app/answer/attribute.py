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
from aipc_app.answer.align import Alignment, Span, align
from aipc_app.answer.claim import Claim
from aipc_app.answer.nearly import differs
from aipc_app.answer.polarity import turned_word
from aipc_app.answer.units import Units
from aipc_app.domain.answers import SentenceState
from aipc_app.text.normalise import comparable
from aipc_app.text.romanised import romanise, unknown_name

# Measured on the samples' questions (tests/bench): below DOUBT a sentence shares words with its source by chance.
SUPPORT_COVERAGE = 0.45
SUPPORT_COVERAGE_WITH_FACTS = 0.28  # every figure stands in the quote, so few words need to
DOUBT_COVERAGE = 0.22
# Across languages: multilingual-e5 puts every sentence between 0.7 and 0.9, so only the lift over the middle tells.
SUPPORT_LIFT = 0.055
SUPPORT_LIFT_WITH_FACTS = 0.02
DOUBT_LIFT = 0.01


class Verdict(Struct, frozen=True, kw_only=True):
    """`reason` is "" for a supported sentence."""

    state: SentenceState
    spans: tuple[Span, ...]
    reason: str = ""


def attribute(claim: Claim, units: Units, similarities: Mapping[int, float] | None = None) -> Verdict:
    """Prove one sentence. `similarities` as in `align`."""
    if claim.text.endswith(("?", "？")):
        return _unsupported(claim, "nothing", "")  # a question says nothing that could be proved
    claim = _but_file_names(claim, units)
    found = align(claim, units, similarities)
    if found.missing:
        return _unsupported(claim, "fact", "、".join(fact.text for fact in found.missing))
    foreign = similarities is not None
    stranger = _romanised_stranger(claim, units) if foreign else _stranger(claim, units)
    if stranger is not None:
        return _unsupported(claim, "name", stranger)
    state = _state(claim, found, foreign)
    if state is SentenceState.UNSUPPORTED:
        return _unsupported(claim, "nothing", "")
    kind = "weak"
    quote = "\n".join(units.sources[span.source].page_text[span.start : span.end] for span in found.spans)
    wrong = None if foreign else _wrong(claim, units, found)
    if wrong and wrong[0] != "turned":
        return _unsupported(claim, *wrong)
    if state is SentenceState.SUPPORTED and (wrong or turned_word(claim.text, quote, claim.tokens)):
        state, kind = SentenceState.IN_DOUBT, "turned"
    if state is SentenceState.SUPPORTED and all(units.sources[s.source].aside for s in found.spans):
        state, kind = SentenceState.IN_DOUBT, "elsewhere"
    reason = "" if state is SentenceState.SUPPORTED else _REASONS[claim.language][kind]
    return Verdict(state=state, spans=found.spans, reason=reason)


def _but_file_names(claim: Claim, units: Units) -> Claim:
    """The 05 of 05_memo.docx is no figure the sentence states."""
    places = [
        (at, at + len(name))
        for name in {source.document for source in units.sources}
        if (at := claim.text.find(name)) >= 0
    ]
    hard = (fact for fact in claim.hard if not any(start <= fact.start and fact.end <= end for start, end in places))
    return replace(claim, hard=tuple(hard)) if places else claim


def _state(claim: Claim, found: Alignment, by_similarity: bool) -> SentenceState:
    if by_similarity:
        support = SUPPORT_LIFT_WITH_FACTS if claim.hard else SUPPORT_LIFT
        value, doubt = found.lift, DOUBT_LIFT
    else:
        support = SUPPORT_COVERAGE_WITH_FACTS if claim.hard else SUPPORT_COVERAGE
        value, doubt = found.coverage, DOUBT_COVERAGE
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


def _wrong(claim: Claim, units: Units, found: Alignment) -> tuple[str, str] | None:
    """(kind of reason, what) when the facts stand there but are said of something else, or by nearly these words."""
    if term := checks.misquoted(claim, units, found.spans):
        return "fact", term
    if fact := checks.not_in_each(claim, units):
        return "each", fact
    if fact := checks.not_in_that_document(claim, units) or checks.of_another_column(claim, units, found.spans):
        return "fact", fact
    return differs(claim, units)


def _unsupported(claim: Claim, kind: str, detail: str) -> Verdict:
    return Verdict(state=SentenceState.UNSUPPORTED, spans=(), reason=_REASONS[claim.language][kind].format(detail))


_REASONS = {
    "zh": {
        "fact": "材料中没有“{}”，或不在所述之处",
        "name": "材料中没有出现“{}”",
        "party": "引文说的不是“{}”",
        "each": "并非每份所说的文件都写着“{}”",
        "nothing": "材料中没有与此相符的文字",
        "weak": "引文与这句话只是部分相符",
        "judge": "引文没有写明这句话所说的内容",
        "turned": "引文的说法正好相反（肯定与否定不同）",
        "unchecked": "在核对完成之前已停止",
        "elsewhere": "这只见于法律库中其他案件的文书，不是本案的材料",
    },
    "en": {
        "fact": "“{}” does not stand in the material, or not where this is said",
        "name": "“{}” is not named in the material",
        "party": "the quote does not say this of “{}”",
        "each": "not every document named here has “{}”",
        "nothing": "no text of the material says this",
        "weak": "the quote agrees with this only in part",
        "judge": "the quote does not state what this says",
        "turned": "the quote says the opposite: one says no where the other says yes",
        "unchecked": "stopped before this was checked",
        "elsewhere": "only a document of another matter, in the library, says this",
    },
}


def judged_reason(language: str, *, unchecked: bool = False) -> str:
    """Why the model's own check lowered a sentence."""
    return _REASONS[language]["unchecked" if unchecked else "judge"]
