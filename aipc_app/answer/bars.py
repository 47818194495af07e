"""How much of a sentence must stand in its quote, at each strictness: decisions/0007."""

from __future__ import annotations

from msgspec import Struct

from aipc_app.settings.model import Strictness


class Bars(Struct, frozen=True, kw_only=True):
    """Shares of a sentence's words, by weight, that the quote must have; `with_facts`: every figure stands there, so
    few words need to. Lifts are for another language than the source's (align.Alignment)."""

    coverage: float
    coverage_with_facts: float
    doubt_coverage: float
    lift: float
    lift_with_facts: float
    doubt_lift: float


# BALANCED was chosen on the samples' questions (tests/bench); STRICT is further up and not measured yet.
# Below the doubt bars a sentence shares words with its source by chance. Across languages multilingual-e5 puts every
# sentence between 0.7 and 0.9, so only the lift over the middle tells.
BALANCED = Bars(
    coverage=0.45, coverage_with_facts=0.28, doubt_coverage=0.22, lift=0.055, lift_with_facts=0.02, doubt_lift=0.01
)
STRICT = Bars(
    coverage=0.6, coverage_with_facts=0.45, doubt_coverage=0.3, lift=0.07, lift_with_facts=0.03, doubt_lift=0.02
)


def bars_of(strictness: Strictness) -> Bars:
    return STRICT if strictness is Strictness.STRICT else BALANCED
