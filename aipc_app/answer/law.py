"""A sentence that names 《X法》第N条 is checked against that very article, where the library has the law.

Pure but for the book it asks. What the library doesn't have is left to the other checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from aipc_app.answer.attribute import Verdict, attribute, verdict_of
from aipc_app.answer.claim import Claim, make_claim
from aipc_app.answer.material import Source, passage_source
from aipc_app.answer.units import Units, cut_units
from aipc_app.domain.answers import SentenceState
from aipc_app.domain.documents import Passage
from aipc_app.search.lawbook import Law
from aipc_app.text.facts import Fact, FactKind, supports
from aipc_app.text.language import language_of
from aipc_app.text.values import ArticleNumber

_TITLE_BEFORE = re.compile(
    r"《(?P<name>[^《》\n]{1,60})》(?:\s?[（(][^（）()]{1,30}[）)])?\s?(?:的|之|中的?|规定的?)?\s?$"
)
_LISTED = re.compile(r"\s?(?:[、，,和及与或]|以及|and|or)\s?")
_OF_THE = re.compile(
    r"\s+of\s+(?:the\s+)?(?P<name>[A-Z][\w'’&\- ]{3,80}?)(?=[,.;:)]|\s(?:provides|states|says|requires|sets)|$)"
)
_LINK = re.compile(r"[》的之中\s]*$")
_ACCORDING = re.compile(r"(?:根据|依据|依照|按照|[Aa]ccording to|[Uu]nder)\s?$")
_PROVIDES = re.compile(r"^\s?的?(?:明确)?(?:规定|要求|provides(?: that)?|says(?: that)?)?\s?[，,：:]?\s?")
_FEWEST_WORDS = 4  # a sentence that only names the article says nothing that it could be held to


class Book(Protocol):
    """What this needs of the law library."""

    def law(self, name: str) -> Law | None: ...
    def name_before(self, text: str) -> str: ...
    def passages(self, law: Law, article: str) -> tuple[Passage, ...]: ...


class CitedArticle(Struct, frozen=True, kw_only=True):
    """An article that a text cites of a law that the library has; `start` to `end` with the law's name."""

    law: Law
    article: str
    fact: Fact
    start: int
    end: int

    @property
    def exists(self) -> bool:
        return self.article in self.law.articles


class Judged(Struct, frozen=True, kw_only=True):
    """A verdict, and the units its spans are of: the material's or the article's."""

    verdict: Verdict
    units: Units


def check_law(claim: Claim, found: Judged, book: Book, page_text: Callable[[Passage], str]) -> Judged:
    """Hold the sentence to the articles it names; `found` is what the material says of it."""
    cited = tuple(_cited(claim, book))
    if not cited:
        return found
    absent = next((one for one in cited if not one.exists and one.law.complete), None)
    if absent is not None:
        return _lowered(claim, found, "no_article", _place(claim, absent), len(absent.law.articles))
    checked = _against_articles(claim, found, [one for one in cited if one.exists], book, page_text)
    old = next((one for one in cited if one.law.repealed_by or one.law.from_date), None)
    if old is None or checked.verdict.state is not SentenceState.SUPPORTED:
        return checked
    kind, detail = ("repealed", old.law.repealed_by) if old.law.repealed_by else ("not_yet", old.law.from_date)
    doubted = verdict_of(claim, SentenceState.IN_DOUBT, checked.verdict.spans, kind, old.law.name, detail)
    return Judged(verdict=doubted, units=checked.units)


def _against_articles(
    claim: Claim, found: Judged, cited: Sequence[CitedArticle], book: Book, page_text: Callable[[Passage], str]
) -> Judged:
    rest = _without(claim, cited)
    sources = tuple(source for one in cited for source in _sources(book.passages(one.law, one.article), page_text))
    if not sources or len(rest.tokens) < _FEWEST_WORDS or rest.language != language_of(sources[0].text):
        return found
    units = cut_units(sources)
    verdict = attribute(rest, units)
    if verdict.state is SentenceState.SUPPORTED:
        return Judged(verdict=verdict, units=units)
    if _case_says_it(found, cited):
        return found
    if verdict.state is SentenceState.IN_DOUBT:
        return Judged(verdict=verdict, units=units)
    return _lowered(claim, found, "other_article", _place(claim, cited[0]))


def _case_says_it(found: Judged, cited: Sequence[CitedArticle]) -> bool:
    """A document of the case states it in a sentence that cites the article itself: then it is a true report."""
    if found.verdict.state is not SentenceState.SUPPORTED or not found.verdict.spans:
        return False
    first = found.verdict.spans[0]
    if found.units.sources[first.source].library:
        return False
    facts = [fact for unit in found.units.items[first.first : first.last + 1] for fact in unit.facts]
    return all(any(supports(known, one.fact) for known in facts) for one in cited)


def _lowered(claim: Claim, found: Judged, kind: str, *detail: object) -> Judged:
    """Unsupported; in doubt where a document of the case says it all the same."""
    reported = found.verdict.state is SentenceState.SUPPORTED and kind == "no_article"
    state = SentenceState.IN_DOUBT if reported else SentenceState.UNSUPPORTED
    spans = found.verdict.spans if reported else ()
    return Judged(verdict=verdict_of(claim, state, spans, kind, *detail), units=found.units)


def _cited(claim: Claim, book: Book) -> Iterator[CitedArticle]:
    text, law, end = claim.text, None, -1
    for fact in claim.hard:
        if fact.kind is not FactKind.ARTICLE or not isinstance(fact.value, ArticleNumber) or not fact.value.article:
            continue
        start = fact.start
        if law is None or end < 0 or not _LISTED.fullmatch(text[end : fact.start]):
            law, start = _named(text, fact, book)
        end = fact.end
        if law is not None:
            yield CitedArticle(law=law, article=fact.value.article, fact=fact, start=start, end=end)


def _named(text: str, fact: Fact, book: Book) -> tuple[Law | None, int]:
    """The law that the article is said to be of, and where its name begins."""
    before = text[: fact.start]
    if titled := _TITLE_BEFORE.search(before):
        return book.law(titled["name"]), titled.start()
    if behind := _OF_THE.match(text, fact.end):
        return book.law(behind["name"]), fact.start
    bare = _LINK.sub("", before)
    name = book.name_before(bare)
    return (book.law(name), max(0, len(bare) - len(name))) if name else (None, fact.start)


def _without(claim: Claim, cited: Sequence[CitedArticle]) -> Claim:
    """What the sentence says besides naming the articles."""
    text = claim.text
    for one in sorted(cited, key=lambda each: -each.start):
        text = _ACCORDING.sub("", text[: one.start]) + _PROVIDES.sub("", text[one.end :])
    return make_claim(text, claim.question)


def _sources(passages: Sequence[Passage], page_text: Callable[[Passage], str]) -> Iterator[Source]:
    """Passages of one article; those of the same page are one stretch of it."""
    by_page: dict[tuple[int, int], list[Passage]] = {}
    for passage in passages:
        by_page.setdefault((passage.document_id, passage.page), []).append(passage)
    for found in by_page.values():
        whole = passage_source(found[0], page_text(found[0]), library=True)
        yield Source(
            document_id=whole.document_id,
            document=whole.document,
            page=whole.page,
            page_text=whole.page_text,
            start=min(passage.start for passage in found),
            end=max(passage.end for passage in found),
            library=True,
            label=whole.label,
        )


def _place(claim: Claim, cited: CitedArticle) -> str:
    return claim.text[cited.start : cited.end]
