"""Sentences that name a law and an article, held to the library: how many true ones pass, how many false ones?

    python -m tests.bench.cited_pairs [--set fresh|held-out] [--data DIR] [--show]

Each statute of the set is in a real library. True: the article's own sentence after 《law》第N条规定，, as it stands
and with other numerals and words; false: another article's number, one beyond the last, another law's name, a changed
figure, a turned verb. Prints the figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from aipc_app.answer.attribute import attribute
from aipc_app.answer.claim import make_claim
from aipc_app.answer.law import Judged, check_law
from aipc_app.answer.units import cut_units
from aipc_app.domain.answers import SentenceState
from aipc_app.domain.documents import LIBRARY_ID, Passage
from aipc_app.paths import Home
from aipc_app.search.lawbook import Law, LawBook
from aipc_app.store import Store
from aipc_app.text import tokens
from tests.bench.proof_changes import SEED, arabic_figures, negation, number_in_characters, other_words
from tests.bench.proof_pairs import ROOT, SETS, laws, table
from tests.unit.aipc_app.answer.material import CONTRACT, source
from tests.unit.aipc_app.answer.shelf import put_text

ARTICLES = 8  # of each law
LEAST, MOST = 14, 110


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=SETS, default="fresh")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--show", action="store_true", help="print each wrongly judged pair")
    options = parser.parse_args()
    counts: dict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder))
        tokens.configure(home.caches)
        store = Store.open(home)
        statutes = laws(options.data, options.set)
        for name, (whole,) in statutes.items():
            put_text(store, LIBRARY_ID, f"{name}.md", whole.page_text)
        book = LawBook(store)
        for true, kind, sentence in pairs(book, sorted(statutes)):
            judged = judge(store, book, sentence)
            counts[true, kind][str(judged.verdict.state)] += 1
            if options.show and (judged.verdict.state is SentenceState.SUPPORTED) is not true:
                print(f"{kind}: {sentence}\n    {judged.verdict.state} {judged.verdict.reason}")
        store.close()
    print(json.dumps({"set": options.set, "laws": len(statutes), **table(counts)}, ensure_ascii=False, indent=1))
    return 0


def judge(store: Store, book: LawBook, sentence: str) -> Judged:
    """As an answer about a case that says nothing of it."""
    claim, units = make_claim(sentence), cut_units((source(CONTRACT),))

    def page_text(passage: Passage) -> str:
        return store.documents.page(passage.document_id, passage.page).text

    return check_law(claim, Judged(verdict=attribute(claim, units), units=units), book, page_text)


def pairs(book: LawBook, names: list[str]) -> Iterator[tuple[bool, str, str]]:
    rng = random.Random(SEED)
    known = {name: law for name in names if (law := book.law(name)) is not None and len(law.articles) > 2}
    for name, law in known.items():
        for article in rng.sample(sorted(law.articles), min(ARTICLES, len(law.articles))):
            said = _sentence(book, law, article)
            if said is None:
                continue
            other = rng.choice([number for number in law.articles if number != article])
            elsewhere = rng.choice([one for one in known if one != name])
            yield True, "as it stands", _cited(name, article, said)
            for kind, make in (("arabic figures", arabic_figures), ("other words", other_words)):
                if (made := make(said)) and made != said:
                    yield True, kind, _cited(name, article, made)
            yield False, "another article", _cited(name, other, said)
            if law.complete:
                yield False, "no such article", _cited(name, str(len(law.articles) + 37), said)
            yield False, "another law", _cited(elsewhere, article, said)
            for kind, make in (("number", number_in_characters), ("negation", negation)):
                if (made := make(said)) and made != said:
                    yield False, kind, _cited(name, article, made)


def _cited(name: str, article: str, said: str) -> str:
    return f"《{name}》第{article}条规定，{said}"


def _sentence(book: LawBook, law: Law, article: str) -> str | None:
    """The article's first sentence of a usual length."""
    text = "".join(passage.text for passage in book.passages(law, article))
    _, _, body = text.partition("条")
    first = body.strip(" 　\n").split("。")[0]
    return f"{first}。" if LEAST <= len(first) <= MOST and "\n" not in first else None


if __name__ == "__main__":
    sys.exit(main())
