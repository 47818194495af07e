"""Articles and past cases from the law library, quoted as they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from aipc_app.answer.gather import read_whole
from aipc_app.answer.material import Source, passage_source
from aipc_app.answer.units import Unit, Units, cut_units
from aipc_app.domain.answers import Sentence, SentenceState
from aipc_app.domain.documents import LIBRARY_ID, Document, Passage
from aipc_app.domain.fields import DocumentKind, FieldName
from aipc_app.domain.review import Cell, Finding, Item
from aipc_app.review.findings import Citing, found, not_found
from aipc_app.review.wording import said
from aipc_app.search.service import SearchService
from aipc_app.store import Store
from aipc_app.text.tokens import query_tokens

_OUTCOME = ("判决如下", "裁定如下", "it is ordered", "judgment for")
_REASONS = ("本院认为", "the court finds", "we hold", "the court holds")
_OUTCOME_ENDS = ("案件受理费", "如不服本判决", "审判员", "审判长", "如果未按本判决")
_MOST_OUTCOME, _MOST_REASONS = 4, 3
_SHARE = 0.34  # of an issue's telling words


class Library:
    """Looks things up for one review. Any thread."""

    def __init__(self, store: Store, search: SearchService) -> None:
        self._store, self._search = store, search

    def articles(self, item: Item, queries: Sequence[str], language: str) -> Finding:
        """The articles that are found for the queries, in full, best first."""
        ranked = self._ranked(queries, articles=True)[: item.limit]
        if not ranked:
            return not_found(item, language)
        sources = [self._source(passage) for passage in ranked]
        citing = Citing(self._store, sources)
        lines = tuple(
            Sentence(
                text=f"《{_stem(source.document)}》{_article_text(source.text)}",
                state=SentenceState.SUPPORTED,
                citations=(citing.mark(i, source.start, source.end),),
            )
            for i, source in enumerate(sources)
        )
        return found(item, lines, (), tuple(citing.citations))

    def past_cases(self, item: Item, queries: Sequence[str], issues: Sequence[str], language: str) -> Finding:
        """Judgments near the queries: name, outcome, grounds, and which of this case's issues they deal with."""
        judgments = self._judgments(queries)[: item.limit]
        sources = [source for document in judgments for source in read_whole(self._store, (document,))]
        if not sources:
            return not_found(item, language)
        citing = Citing(self._store, sources)
        units = cut_units(sources)
        rows = tuple(_row(document, units, citing, issues, queries, language) for document in judgments)
        return found(item, (), rows, tuple(citing.citations))

    def _ranked(self, queries: Sequence[str], *, articles: bool) -> list[Passage]:
        """Each query's passages in turn, the best of every query first."""
        lists = [
            [e.passage for e in self._search.search(query, cases=(LIBRARY_ID,), limit=12).evidence] for query in queries
        ]
        lists = [[p for p in passages if (p.article is not None) == articles] for passages in lists]
        seen: dict[int, Passage] = {}
        for rank in range(max(map(len, lists), default=0)):
            for passages in lists:
                if rank < min(len(passages), 3):
                    seen.setdefault(passages[rank].id, passages[rank])
        return list(seen.values())

    def _judgments(self, queries: Sequence[str]) -> list[Document]:
        fields = self._store.fields.of_case(LIBRARY_ID)
        documents = {
            d.id: d
            for d in self._store.documents.of_case(LIBRARY_ID)
            if d.status.readable
            and any(f.name is FieldName.KIND and f.value == DocumentKind.JUDGMENT for f in fields.get(d.id, ()))
        }
        worth: dict[int, float] = defaultdict(float)
        for query in queries:
            found_here = self._search.search(query, cases=(LIBRARY_ID,), documents=frozenset(documents), limit=12)
            for rank, one in enumerate(found_here.evidence, 1):
                worth[one.passage.document_id] += 1 / (10 + rank)
        return [documents[id_] for id_ in sorted(worth, key=lambda id_: -worth[id_]) if id_ in documents]

    def _source(self, passage: Passage) -> Source:
        page = self._store.documents.page(passage.document_id, passage.page, boxes=False)
        return passage_source(passage, page.text, library=True)


def _article_text(text: str) -> str:
    """Without the headings above it and the empty lines in it."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _row(
    document: Document, units: Units, citing: Citing, issues: Sequence[str], queries: Sequence[str], language: str
) -> tuple[Cell, ...]:
    own = [unit for unit in units.items if units.sources[unit.source].document_id == document.id]
    outcome = _outcome(own)
    grounds = _grounds(own, [*issues, *queries])
    touched = [issue for issue in issues if _deals_with(own, issue)]
    others = [issue for issue in issues if issue not in touched]
    halves = (("touches", touched), ("touches_not", others))
    told = "；".join(said(key, language).format("；".join(some)) for key, some in halves if some)
    return (Cell(text=_stem(document.name)), _cell(outcome, citing), _cell(grounds, citing), Cell(text=told))


def _cell(units: Sequence[Unit], citing: Citing) -> Cell:
    markers = tuple(citing.mark(unit.source, unit.start, unit.end) for unit in units)
    return Cell(text="".join(unit.text for unit in units), citations=markers)


def _outcome(own: Sequence[Unit]) -> list[Unit]:
    """What follows 判决如下, to the costs."""
    start = next((i for i, unit in enumerate(own) if any(word in unit.text.lower() for word in _OUTCOME)), None)
    if start is None:
        return []
    kept: list[Unit] = []
    for unit in own[start + 1 :]:
        if len(kept) >= _MOST_OUTCOME or unit.text.startswith(_OUTCOME_ENDS):
            break
        kept.append(unit)
    return kept or [own[start]]


def _grounds(own: Sequence[Unit], wanted: Sequence[str]) -> list[Unit]:
    """The sentences of the court's reasoning that share most with what is looked for, in their order."""
    start = next((i for i, unit in enumerate(own) if any(word in unit.text.lower() for word in _REASONS)), None)
    if start is None:
        return []
    end = next(
        (i for i, unit in enumerate(own) if i > start and any(word in unit.text.lower() for word in _OUTCOME)), len(own)
    )
    tokens = {token for text in wanted for token in query_tokens(text)}
    ranked = sorted(own[start:end], key=lambda unit: -len(tokens & unit.tokens))[:_MOST_REASONS]
    return sorted(ranked, key=lambda unit: (unit.source, unit.start))


def _deals_with(own: Sequence[Unit], issue: str) -> bool:
    words = {token for token in query_tokens(issue) if len(token) > 1 and not any(c.isdigit() for c in token)}
    said_there = frozenset[str]().union(*(unit.tokens for unit in own)) if own else frozenset()
    return bool(words) and len(words & said_there) / len(words) >= _SHARE


def _stem(name: str) -> str:
    return name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
