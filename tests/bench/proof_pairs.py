"""Sentence and material pairs made by rule from the samples and the statutes: which state does each one get?

    python -m tests.bench.proof_pairs [--set tuned|fresh|held-out] [--data DIR] [--show KIND] [--curve]

True pairs say what their sentence says in other numerals, dates, scripts, words or with a reporting head; false ones
change a number, a date, a name, a party, a subject, an article, a negation, a bound or a unit (proof_changes.py).
Only rules decide here; the model's own check comes on top of it in the product. Prints the figures as JSON.

`tuned`: the samples and four statutes that the rules were made on. `fresh`: samples and other statutes, looked at for
what to mend. `held-out`: statutes that nobody looked at; only their figures are read. With --curve each pair is
judged at a row of bars, from hardly any words asked for to nearly all: what strictness costs and what it buys.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

from msgspec.structs import replace

from aipc_app.answer.attribute import attribute
from aipc_app.answer.bars import BALANCED, Bars
from aipc_app.answer.claim import make_claim
from aipc_app.answer.material import Source
from aipc_app.answer.units import cut_units
from aipc_app.domain.answers import SentenceState
from tests.bench.proof_changes import MOST, SEED, pairs_of

__all__ = ["pairs_of", "samples"]

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "assets" / "samples"
# How many statutes, how many sentences of each, and whether the samples are among the materials.
SETS = {"tuned": (4, 40, True), "fresh": (24, 12, True), "held-out": (24, 12, False)}
CURVE = tuple(
    replace(BALANCED, coverage=coverage, coverage_with_facts=with_facts, doubt_coverage=min(0.22, with_facts))
    for coverage, with_facts in ((0.3, 0.15), (0.45, 0.28), (0.6, 0.45), (0.75, 0.6), (0.9, 0.85))
)
Counts = dict[tuple[bool, str], Counter[str]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--set", choices=SETS, default="tuned")
    parser.add_argument("--show", help="print each wrongly judged pair of this kind, or 'all'")
    parser.add_argument("--curve", action="store_true", help="true and false support at a row of bars")
    options = parser.parse_args()
    _, most, with_samples = SETS[options.set]
    materials = {**(samples() if with_samples else {}), **laws(options.data, options.set)}
    if options.curve:
        for line in curve(materials, most):
            print(json.dumps(line))
        return 0
    counts: Counts = defaultdict(Counter)
    for name, sources in materials.items():
        judge(name, sources, most, options.show or "", counts)
    print(json.dumps({"set": options.set, "materials": len(materials), **table(counts)}, ensure_ascii=False, indent=1))
    return 0


def judge(name: str, sources: tuple[Source, ...], most: int, show: str, counts: Counts) -> None:
    """Count the states that the pairs of one material get."""
    units = cut_units(sources)
    for pair in pairs_of(name, sources, most):
        verdict = attribute(make_claim(pair.sentence), units)
        counts[pair.true, pair.kind][str(verdict.state)] += 1
        if show in (pair.kind, "all") and (verdict.state is SentenceState.SUPPORTED) is not pair.true:
            print(f"{pair.kind}: {pair.sentence}\n    of: {pair.of}\n    {verdict.state} {verdict.reason}")


def curve(materials: dict[str, tuple[Source, ...]], most: int) -> list[dict[str, float]]:
    """Share of true and of false pairs that are supported, by the share of words that must stand in the quote."""
    shown: dict[Bars, Counter[bool]] = {bars: Counter() for bars in CURVE}
    total: Counter[bool] = Counter()
    for name, sources in materials.items():
        units = cut_units(sources)
        for pair in pairs_of(name, sources, most):
            claim = make_claim(pair.sentence)
            total[pair.true] += 1
            for bars, counts in shown.items():
                counts[pair.true] += attribute(claim, units, None, bars).state is SentenceState.SUPPORTED
    return [
        {
            "coverage": bars.coverage,
            "coverage_with_facts": bars.coverage_with_facts,
            "true_supported": _share(counts[True], total[True]),
            "false_supported": _share(counts[False], total[False]),
        }
        for bars, counts in shown.items()
    ]


def table(counts: Counts) -> dict[str, object]:
    """Counts by kind, and what they come to: each state's precision (of those that got it) and recall (of those
    that should), a true pair's right state being supported, a false one's unsupported or in doubt."""
    total = {truth: sum((c for (t, _), c in counts.items() if t is truth), Counter[str]()) for truth in (True, False)}
    true, false = total[True], total[False]
    refused = {state: true[state] + false[state] for state in ("in_doubt", "unsupported")}
    return {
        "kinds": {f"{'true' if t else 'false'}: {kind}": dict(c) for (t, kind), c in sorted(counts.items(), key=str)},
        "true_pairs": true.total(),
        "false_pairs": false.total(),
        "supported": {
            "precision": _share(true["supported"], true["supported"] + false["supported"]),
            "recall": _share(true["supported"], true.total()),
        },
        "in_doubt": {
            "precision": _share(false["in_doubt"], refused["in_doubt"]),
            "recall": _share(false["in_doubt"], false.total()),
        },
        "unsupported": {
            "precision": _share(false["unsupported"], refused["unsupported"]),
            "recall": _share(false["unsupported"], false.total()),
        },
        "false_support": _share(false["supported"], false.total()),
    }


def _share(part: int, whole: int) -> float:
    return round(part / max(1, whole), 4)


def samples() -> dict[str, tuple[Source, ...]]:
    """The text documents of the samples, as they were written."""
    found: dict[str, tuple[Source, ...]] = {}
    for case in ("lending", "loan", "paper"):
        folders = (SAMPLES / "sources" / case / "documents", SAMPLES / case / "documents")
        files = [file for folder in folders for file in sorted(folder.glob("*")) if file.suffix in (".md", ".txt")]
        found[case] = tuple(_source(number, file) for number, file in enumerate(files, 1))
    return found


def laws(data: Path, which: str) -> dict[str, tuple[Source, ...]]:
    """Some statutes of the test data, each a material of its own, in no other set; none where there is no folder."""
    files = sorted((data / "laws" / "cn").glob("**/*.md"))
    if not files:
        return {}
    tuned = random.Random(SEED).sample(files, SETS["tuned"][0])
    rest = [file for file in files if file not in tuned and file.name != "_index.md"]
    random.Random(SEED + 1).shuffle(rest)
    fresh, held_out = SETS["fresh"][0], SETS["held-out"][0]
    chosen = {"tuned": tuned, "fresh": rest[:fresh], "held-out": rest[fresh : fresh + held_out]}[which]
    return {file.stem: (_source(1, file, MOST * 60),) for file in chosen}


def _source(number: int, file: Path, most: int = 1_000_000) -> Source:
    text = file.read_text(encoding="utf-8")[:most]
    return Source(document_id=number, document=file.name, page=1, page_text=text, start=0, end=len(text))


if __name__ == "__main__":
    sys.exit(main())
