"""Proves an answer sentence by sentence while it streams, and numbers its citations."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from aipc_app.answer.align import Span, context
from aipc_app.answer.attribute import attribute, judged_reason
from aipc_app.answer.bars import BALANCED, Bars
from aipc_app.answer.claim import Claim, make_reply
from aipc_app.answer.law import Judged, check_law
from aipc_app.answer.material import Source
from aipc_app.answer.meaning import Meaning
from aipc_app.answer.units import Units
from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.domain.boxes import span_boxes
from aipc_app.domain.documents import Passage
from aipc_app.errors import AipcError
from aipc_app.log import ANSWER
from aipc_app.search.lawbook import LawBook
from aipc_app.store import Store

_SAME_LANGUAGE_SHARE = 0.3  # with fewer units in the claim's language, words alone can't find the source


class Proof:
    """One answer's sentences and citations so far. Not for two threads at once."""

    def __init__(
        self, store: Store, meaning: Meaning, units: Units, question: str, bars: Bars = BALANCED
    ) -> None:
        self._bars = bars
        self._store, self._meaning, self._units, self._question = store, meaning, units, question
        self._markers: dict[tuple[int, int, int, int], int] = {}
        self._claims: list[Claim] = []
        self._rests_on: list[Judged] = []
        self._book = LawBook(store)
        self.sentences: list[Sentence] = []
        self.citations: list[Citation] = []

    def add(self, text: str) -> tuple[Sentence, tuple[Citation, ...]]:
        """Prove the next sentence; its new citations come with it."""
        claim = make_reply(text, self._question)
        verdict = attribute(claim, self._units, self._similarities(claim), self._bars)
        found = check_law(claim, Judged(verdict=verdict, units=self._units), self._book, self._page_text)
        verdict = found.verdict
        known = len(self.citations)
        markers = tuple(dict.fromkeys(self._cite(found.units.sources[s.source], s) for s in verdict.spans))
        sentence = Sentence(text=text, state=verdict.state, citations=markers, reason=verdict.reason)
        self._claims.append(claim)
        self._rests_on.append(found)
        self.sentences.append(sentence)
        return sentence, tuple(self.citations[known:])

    def lower(self, index: int, state: SentenceState, *, unchecked: bool = False) -> Sentence:
        """The model's own check did not bear sentence `index` out, or could not be made."""
        reason = judged_reason(self._claims[index].language, unchecked=unchecked)
        self.sentences[index] = msgspec.structs.replace(self.sentences[index], state=state, reason=reason)
        return self.sentences[index]

    def evidence(self, index: int) -> str:
        """What sentence `index` cites, with the document's name and some of the page around it."""
        found = self._rests_on[index]
        return "\n".join(
            f"【{found.units.sources[span.source].document}】\n{context(found.units, span)}"
            for span in found.verdict.spans
        )

    def claim(self, index: int) -> Claim:
        return self._claims[index]

    def _similarities(self, claim: Claim) -> Mapping[int, float] | None:
        units = self._units.items
        same = sum(1 for unit in units if unit.language == claim.language)
        if not units or same / len(units) >= _SAME_LANGUAGE_SHARE:
            return None
        try:
            return self._meaning.similarities(claim.text, self._units)
        except AipcError as error:
            ANSWER.warning("no vectors for attribution: %s", type(error).__name__)
            return None

    def _page_text(self, passage: Passage) -> str:
        return self._store.documents.page(passage.document_id, passage.page, boxes=False).text

    def _cite(self, source: Source, span: Span) -> int:
        key = (source.document_id, source.page, span.start, span.end)
        if key not in self._markers:
            self._markers[key] = len(self.citations) + 1
            self.citations.append(cite(self._store, source, span.start, span.end, self._markers[key]))
        return self._markers[key]


def cite(store: Store, source: Source, start: int, end: int, marker: int) -> Citation:
    """`start` to `end` of the source's page as a citation: the quote is the stored text."""
    page = store.documents.page(source.document_id, source.page)
    return Citation(
        marker=marker,
        document=source.document,
        document_id=source.document_id,
        page=source.page,
        start=start,
        end=end,
        quote=page.text[start:end],
        boxes=span_boxes(page.boxes, start, end),
        page_label=page.label,
    )


def keep_cited(proof: Proof) -> tuple[tuple[Sentence, ...], tuple[Citation, ...]]:
    """The sentences and the citations they still use, numbered from 1 without gaps."""
    used = sorted({marker for sentence in proof.sentences for marker in sentence.citations})
    number = {marker: position for position, marker in enumerate(used, 1)}
    sentences = tuple(
        msgspec.structs.replace(s, citations=tuple(number[m] for m in s.citations)) for s in proof.sentences
    )
    citations = tuple(
        msgspec.structs.replace(c, marker=number[c.marker]) for c in proof.citations if c.marker in number
    )
    return sentences, citations
