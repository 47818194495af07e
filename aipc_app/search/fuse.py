"""Several rankings made one: a weighted sum of what each stage says, brought to one scale.

By scores rather than by ranks alone, which is better where stages say how sure they are: Bruch, Gai and Ingber, "An
Analysis of Fusion Functions for Hybrid Retrieval", ACM TOIS 2023. Figures in decisions/0001.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from aipc_app.domain.documents import Stage

Hit = tuple[int, float]  # passage id, score in its stage
WEIGHTS: Mapping[Stage, float] = {Stage.KEYWORD: 1.0, Stage.VECTOR: 1.5, Stage.EXACT: 1.5}
AUTHORITY_WEIGHT = 0.8
CERTAIN_WEIGHT = 5.0  # on top, for what was asked for by its very number: beats the first place of all other stages
_LEAST_SPREAD = 0.2  # of similarities: among a few passages that are all alike small differences mean little
_RANK_HALF = 30  # exact matches count half at this place
_MOST = sum(WEIGHTS.values()) + CERTAIN_WEIGHT


class Fused(Struct, frozen=True):
    """`score` from 0 to 1 (first in every stage); `ranks` count from 1; `shares`: each stage's part of the score."""

    passage_id: int
    score: float
    ranks: dict[Stage, int]
    shares: dict[Stage, float]


def fuse(
    lists: Mapping[Stage, Sequence[Hit]],
    *,
    certain: Sequence[int] = (),
    foreign: Collection[int] = (),
    authority: Mapping[int, float] | None = None,
) -> tuple[Fused, ...]:
    """All passages of the lists (each best first), best first; ties in the order of the passages' ids.

    `certain`: what was asked for by its number. `foreign`: passages in another language than the query. Words say
    nothing about those, so their nearness in meaning speaks for words too; otherwise every passage that shares a
    word with the query would come before them. `authority`: what passages weigh by themselves, 1 for
    those not in it; None: all alike.
    """
    parts: dict[int, dict[Stage, float]] = {}
    ranks: dict[int, dict[Stage, int]] = {}
    for stage, hits in lists.items():
        levels = _levels(stage, hits)
        for rank, ((passage_id, _), level) in enumerate(zip(hits, levels, strict=True), 1):
            doubled = stage is Stage.VECTOR and passage_id in foreign
            weight = WEIGHTS[stage] + (WEIGHTS[Stage.KEYWORD] if doubled else 0.0)
            parts.setdefault(passage_id, {})[stage] = weight * level
            ranks.setdefault(passage_id, {})[stage] = rank
    scores = {id_: sum(part.values()) for id_, part in parts.items()}
    if authority is not None:
        scores = {id_: score + AUTHORITY_WEIGHT * authority.get(id_, 1.0) for id_, score in scores.items()}
    for rank, passage_id in enumerate(certain, 1):
        scores[passage_id] = scores.get(passage_id, 0.0) + CERTAIN_WEIGHT * _fading(rank)
    order = sorted(scores, key=lambda passage_id: (-scores[passage_id], passage_id))
    most = _MOST if authority is None else _MOST + AUTHORITY_WEIGHT
    return tuple(Fused(id_, max(0.0, scores[id_] / most), ranks.get(id_, {}), parts.get(id_, {})) for id_ in order)


def _levels(stage: Stage, hits: Sequence[Hit]) -> list[float]:
    """What a stage says of each of its hits, from 0 to 1."""
    if not hits:
        return []
    best = hits[0][1]
    if stage is Stage.EXACT:
        return [_fading(rank) for rank in range(1, len(hits) + 1)]
    if stage is Stage.KEYWORD:
        return [score / best if best > 0 else 1.0 for _, score in hits]
    floor = min(hits[-1][1], best - _LEAST_SPREAD)
    return [(score - floor) / (best - floor) for _, score in hits]


def _fading(rank: int) -> float:
    return _RANK_HALF / (_RANK_HALF + rank - 1)
