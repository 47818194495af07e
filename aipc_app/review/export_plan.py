"""A review as a document to be written: what could not be found, the draft, then every finding. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from aipc_app.domain.answers import Citation, Sentence, SentenceState
from aipc_app.domain.exporting import (
    Block,
    DocumentPlan,
    ExportSection,
    Footnote,
    Heading,
    Paragraph,
    Run,
    Table,
)
from aipc_app.domain.exporting import Cell as ExportCell
from aipc_app.domain.review import Cell, Decision, Finding, FindingStatus, Item, Review, Section
from aipc_app.review.draft import draft_of, stands
from aipc_app.review.wording import said
from aipc_app.text.facts import FactKind, Quantity, find_facts
from aipc_app.text.normalise import comparable

_WIDTHS = (0.3, 0.5, 0.2)
_FIGURES = (FactKind.AMOUNT, FactKind.NUMBER)


def plan_of(review: Review, case: str, *, accepted_only: bool = False) -> DocumentPlan:
    """`accepted_only`: findings that the user accepted or edited; else all, with their state. Rejected ones never."""
    language = review.language
    return DocumentPlan(
        title=review.template.title.of(language),
        language=language,
        subtitle=_subtitle(review, case),
        notice=review.template.notice.of(language),
        typography=review.template.typography,
        sections=(
            *_missing(review),
            *_draft(review, accepted_only),
            *_sections(review, accepted_only),
        ),
    )


def _subtitle(review: Review, case: str) -> tuple[str, ...]:
    day = datetime.fromtimestamp(review.changed).strftime("%Y-%m-%d")
    return (case, said("made_with", review.language).format(review.model, day))


def _missing(review: Review) -> Iterator[ExportSection]:
    labels = draft_of(review).missing
    if labels:
        head = Paragraph((Run(said("missing_head", review.language)),), remark=True)
        lines = tuple(Paragraph((Run(f"· {label}"),), remark=True) for label in labels)
        yield ExportSection(said("missing_title", review.language), (head, *lines))


def _draft(review: Review, accepted_only: bool) -> Iterator[ExportSection]:
    draft = draft_of(review, accepted_only=accepted_only)
    blocks: list[Block] = []
    for part in draft.sections:
        blocks.append(Heading(part.title))
        blocks += [Paragraph((_run(sentence, draft.citations),)) for sentence in part.sentences]
    if blocks:
        yield ExportSection(said("draft_title", review.language), tuple(blocks))


def _sections(review: Review, accepted_only: bool) -> Iterator[ExportSection]:
    for section in review.template.sections:
        blocks = tuple(_blocks(review, section, accepted_only))
        if blocks:
            yield ExportSection(section.title.of(review.language), blocks)


def _blocks(review: Review, section: Section, accepted_only: bool) -> Iterator[Block]:
    """Findings of one line go into tables together; lists, tables and workings stand by themselves."""
    short: list[tuple[Item, Finding]] = []
    for item in section.items:
        finding = review.finding(item.id)
        if finding is None or not _wanted(finding, accepted_only):
            continue
        if _is_short(finding):
            short.append((item, finding))
            continue
        yield from _short_table(review, short)
        short = []
        yield Heading(item.label.of(review.language))
        yield from _long(review, item, finding)
    yield from _short_table(review, short)


def _wanted(finding: Finding, accepted_only: bool) -> bool:
    if finding.decision is Decision.REJECTED:
        return False
    return finding.decision is not Decision.NONE or not accepted_only


def _is_short(finding: Finding) -> bool:
    return not finding.rows and not finding.working and len(finding.sentences) <= 1


def _short_table(review: Review, found: Sequence[tuple[Item, Finding]]) -> Iterator[Block]:
    if not found:
        return
    language = review.language
    header = (said("item", language), said("finding", language), said("state", language))
    rows = tuple(
        (
            ExportCell((Run(item.label.of(language)),)),
            _value_cell(finding),
            ExportCell((Run(_state(finding, language)),)),
        )
        for item, finding in found
    )
    yield Table(header, rows, _WIDTHS)


def _value_cell(finding: Finding) -> ExportCell:
    notes = tuple(_note(one, finding.shown) for one in finding.citations)
    return ExportCell((Run(finding.shown or finding.reason, notes=notes if finding.shown else ()),), _number(finding))


def _number(finding: Finding) -> float | None:
    """What a spreadsheet can calculate with, where the value is one figure."""
    facts = find_facts(finding.shown)
    if len(facts) != 1 or facts[0].kind not in _FIGURES or not isinstance(facts[0].value, Quantity):
        return None
    return float(facts[0].value.amount)


def _long(review: Review, item: Item, finding: Finding) -> Iterator[Block]:
    language = review.language
    if not stands(finding):
        yield Paragraph((Run(_state(finding, language)),), remark=True)
    if finding.decision is Decision.EDITED:
        yield Paragraph((Run(finding.edited, notes=tuple(_note(one, finding.edited) for one in finding.citations)),))
        return
    if finding.rows:
        header = tuple(column.label.of(language) for column in item.columns)
        yield Table(header, tuple(_row(row, finding) for row in finding.rows))
    for sentence in finding.sentences if not finding.rows else ():
        doubt = said(sentence.state.value, language) if sentence.state is not SentenceState.SUPPORTED else ""
        runs = (_run(sentence, finding.citations), *([Run(f"（{doubt}）")] if doubt else []))
        yield Paragraph(runs)
    if finding.working:
        yield Paragraph((Run(said("working", language), bold=True),))
        for line in finding.working:
            yield Paragraph((Run(line),))
    if finding.comment:
        yield Paragraph((Run(f"{said('comment', language)}{finding.comment}"),), remark=True)


def _run(sentence: Sentence, citations: Sequence[Citation]) -> Run:
    by_marker = {one.marker: one for one in citations}
    return Run(
        sentence.text, notes=tuple(_note(by_marker[m], sentence.text) for m in sentence.citations if m in by_marker)
    )


def _row(row: Sequence[Cell], finding: Finding) -> tuple[ExportCell, ...]:
    """A place that several cells of the row rest on is noted at the first of them, with what isn't shown of it."""
    by_marker = {one.marker: one for one in finding.citations}
    shown = " ".join(cell.text for cell in row)
    noted: set[int] = set()
    cells = []
    for cell in row:
        fresh = [marker for marker in cell.citations if marker in by_marker and marker not in noted]
        noted.update(fresh)
        cells.append(ExportCell((Run(cell.text, notes=tuple(_note(by_marker[m], shown) for m in fresh)),)))
    return tuple(cells)


def _note(one: Citation, shown: str) -> Footnote:
    """A quote that is shown word for word is not repeated below."""
    quote = "" if comparable(one.quote) in comparable(shown) else one.quote
    return Footnote(document=one.document, page=one.page, quote=quote, page_label=one.page_label)


def _state(finding: Finding, language: str) -> str:
    if finding.decision is not Decision.NONE:
        return said(finding.decision.value, language)
    told = said(f"status_{finding.status.value}", language)
    return f"{told}（{finding.reason}）" if finding.reason and finding.status is not FindingStatus.NOT_FOUND else told
