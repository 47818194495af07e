"""The draft of a review: the template's parts filled with proved findings, what is missing first. Pure.

Nothing is written freely: a line holds what the template says and what a finding holds. A line whose findings are
not there, not proved or rejected is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.domain.review import (
    Decision,
    DraftPart,
    DraftSection,
    Finding,
    FindingStatus,
    Item,
    Review,
    ReviewDraft,
)

_PLACE = re.compile(r"\{(\w+)\}")


class Markers:
    """Numbers the citations of many findings through, each place once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, int, int], int] = {}
        self.citations: list[Citation] = []

    def of(self, finding: Finding, markers: tuple[int, ...]) -> tuple[int, ...]:
        """The finding's markers as those of the whole."""
        by_marker = {one.marker: one for one in finding.citations}
        return tuple(dict.fromkeys(self._number(by_marker[m]) for m in markers if m in by_marker))

    def _number(self, one: Citation) -> int:
        key = (one.document_id, one.page, one.start, one.end)
        if key not in self._known:
            self._known[key] = len(self._known) + 1
            self.citations.append(replace(one, marker=self._known[key]))
        return self._known[key]


def draft_of(review: Review, *, accepted_only: bool = False) -> ReviewDraft:
    """Assembled from what the findings and decisions are now; `accepted_only`: what nobody accepted is left out."""
    missed = tuple(missing(review))
    if accepted_only:
        kept = tuple(f for f in review.findings if f.decision in (Decision.ACCEPTED, Decision.EDITED))
        review = replace(review, findings=kept)
    markers = Markers()
    sections = tuple(
        DraftSection(title=part.title.of(review.language), sentences=tuple(_sentences(review, part, markers)))
        for part in review.template.draft
    )
    return ReviewDraft(
        notice=review.template.notice.of(review.language),
        missing=missed,
        sections=tuple(section for section in sections if section.sentences),
        citations=tuple(markers.citations),
    )


def missing(review: Review) -> Iterator[str]:
    """Labels of items that were not found, not proved or failed, and that nobody accepted."""
    for item in review.template.items:
        finding = review.finding(item.id)
        if finding is None or not (stands(finding) or finding.decision is Decision.REJECTED):
            yield item.label.of(review.language)


def stands(finding: Finding) -> bool:
    """May it be said? Proved, or accepted by the user; never when rejected."""
    if finding.decision is Decision.REJECTED:
        return False
    return finding.status is FindingStatus.SUPPORTED or finding.decision is not Decision.NONE


def lines_of(finding: Finding, markers: Markers) -> tuple[Sentence, ...]:
    """A finding's lines as sentences of the whole; the user's own text in their place where it was edited."""
    everything = tuple(one.marker for one in finding.citations)
    if finding.decision is Decision.EDITED:
        text = Sentence(text=finding.edited, state=SentenceState.SUPPORTED, citations=everything)
        return (replace(text, citations=markers.of(finding, everything)),)
    accepted = finding.decision is Decision.ACCEPTED
    kept = (s for s in finding.sentences if accepted or s.state is SentenceState.SUPPORTED)
    return tuple(replace(s, citations=markers.of(finding, s.citations)) for s in kept)


def _sentences(review: Review, part: DraftPart, markers: Markers) -> Iterator[Sentence]:
    items = {item.id: item for item in review.template.items}
    for line in part.text.of(review.language).split("\n"):
        yield from _line(review, line, items, markers)


def _line(review: Review, line: str, items: dict[str, Item], markers: Markers) -> Iterator[Sentence]:
    names = _PLACE.findall(line)
    found = {name: review.finding(name) for name in names}
    told = {name: lines_of(f, markers) for name, f in found.items() if f is not None and stands(f)}
    if len(told) < len(found) or not all(told.values()):
        return
    if not names:
        yield Sentence(text=line, state=SentenceState.SUPPORTED)
    elif len(names) == 1 and (line == f"{{{names[0]}}}" or len(told[names[0]]) > 1):
        head = line.split("{")[0].strip()
        if head:
            yield Sentence(text=head, state=SentenceState.SUPPORTED)
        yield from told[names[0]]
    else:
        text = _PLACE.sub(lambda place: told[place[1]][0].text, line)
        yield Sentence(
            text=text, state=SentenceState.SUPPORTED,
            citations=tuple(dict.fromkeys(m for name in names for m in told[name][0].citations)),
        )  # fmt: skip
