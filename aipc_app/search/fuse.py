"""Several rankings made one: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from aipc_app.domain.documents import Stage

# Chosen on tests/bench/retrieval.py. The paper's K is 60; with 30 the first places count a little more, which was
# better by one point for lay questions about statutes and nowhere worse. Exact matches count as much as meaning.
K = 30
WEIGHTS: Mapping[Stage, float] = {Stage.KEYWORD: 1.0, Stage.VECTOR: 2.0, Stage.EXACT: 2.0}
CERTAIN_WEIGHT = 3.0  # on top, for what was asked for by its very number: beats the first place of all other stages
_MOST = (sum(WEIGHTS.values()) + CERTAIN_WEIGHT) / (K + 1)


class Fused(Struct, frozen=True):
    """`score` from 0 to 1 (first in every stage); `ranks` count from 1."""

    passage_id: int
    score: float
    ranks: dict[Stage, int]


def fuse(
    lists: Mapping[Stage, Sequence[int]], *, certain: Sequence[int] = (), foreign: Collection[int] = ()
) -> tuple[Fused, ...]:
    """All passages of the lists (each best first), best first; ties in the order of the passages' ids.

    `certain`: what was asked for by its number. `foreign`: passages in another language than the query. Words say
    nothing about those, so their nearness in meaning speaks for words too; otherwise every passage that shares a
    word with the query would come before them.
    """
    scores: dict[int, float] = {}
    ranks: dict[int, dict[Stage, int]] = {}
    for stage, ids in lists.items():
        for rank, passage_id in enumerate(ids, 1):
            scores[passage_id] = scores.get(passage_id, 0.0) + WEIGHTS[stage] / (K + rank)
            if stage is Stage.VECTOR and passage_id in foreign:
                scores[passage_id] += WEIGHTS[Stage.KEYWORD] / (K + rank)
            ranks.setdefault(passage_id, {})[stage] = rank
    for rank, passage_id in enumerate(certain, 1):
        scores[passage_id] = scores.get(passage_id, 0.0) + CERTAIN_WEIGHT / (K + rank)
        ranks.setdefault(passage_id, {})
    order = sorted(scores, key=lambda passage_id: (-scores[passage_id], passage_id))
    return tuple(Fused(id_, scores[id_] / _MOST, ranks[id_]) for id_ in order)
