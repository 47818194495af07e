"""A sentence in nearly its source's words: what matters must not differ, however well the rest agrees."""

from __future__ import annotations

import pytest

from aipc_app.answer.attribute import attribute
from aipc_app.answer.claim import make_claim
from aipc_app.answer.units import Units, cut_units
from aipc_app.domain.answers import SentenceState
from tests.bench.proof_pairs import pairs_of, samples
from tests.unit.aipc_app.answer.material import source

STATEMENT = (
    "第六条　还款　乙方应于借款到期日一次性归还本金。\n第七条　提前还款　乙方可以提前还款，须提前15日书面通知甲方。\n"
    "原告林秀兰未在合同签订当日交付借款，尚欠利息30,000元。\n"
    "判令被告承担律师费20,000元。\n没有约定或者约定不明确的，保证期间为六个月。\n"
)


def material() -> Units:
    hearing = source("周大海于当日到场，林秀兰在场。", document_id=2, name="笔录.txt")
    return cut_units((source(STATEMENT, name="材料.md"), hearing))


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ("判令被告承担律师费20,000元。", SentenceState.SUPPORTED),
        ("判令被告承担律师费30,000元。", SentenceState.UNSUPPORTED),  # the figure of another sentence
        ("判令被告承担律师费2万美元。", SentenceState.UNSUPPORTED),
        ("判令原告承担律师费20,000元。", SentenceState.UNSUPPORTED),
        ("乙方应于借款到期日一次性归还本金。", SentenceState.SUPPORTED),
        ("第七条 乙方应于借款到期日一次性归还本金。", SentenceState.UNSUPPORTED),
        ("第六条 乙方应于借款到期日一次性归还本金。", SentenceState.SUPPORTED),
        ("乙方不可以提前还款，须提前15日书面通知甲方。", SentenceState.IN_DOUBT),
        ("原告林秀兰已在合同签订当日交付借款。", SentenceState.IN_DOUBT),
        ("原告周大海未在合同签订当日交付借款。", SentenceState.UNSUPPORTED),
        ("没有约定保证期间的，保证期间为六个月。", SentenceState.SUPPORTED),  # a clause less is no turn
    ],
)
def test_the_state_follows_what_was_changed(said: str, state: SentenceState) -> None:
    verdict = attribute(make_claim(said), material())
    assert verdict.state is state, verdict.reason


def test_of_pairs_made_by_rule_hardly_a_false_one_is_supported_and_hardly_a_true_one_is_not() -> None:
    """The English paper and the loan file; all materials: tests/bench/proof_pairs.py."""
    counts = {True: [0, 0], False: [0, 0]}
    for name, sources in samples().items():
        if name == "lending":
            continue
        units = cut_units(sources)
        for pair in pairs_of(name, sources, most=12):
            counts[pair.true][0] += 1
            counts[pair.true][1] += attribute(make_claim(pair.sentence), units).state is SentenceState.SUPPORTED
    assert counts[True][0] > 50 and counts[False][0] > 15
    assert counts[True][1] / counts[True][0] > 0.9
    assert counts[False][1] / counts[False][0] <= 0.08
