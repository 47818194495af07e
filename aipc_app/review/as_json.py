"""A review as contract.md names its fields. Pure."""

from __future__ import annotations

import msgspec

from aipc_app.domain.answers import Sentence, SentenceState
from aipc_app.domain.review import Cell, Decision, Finding, Item, Review
from aipc_app.review.draft import draft_of


def as_json(review: Review, *, accepted_only: bool = False) -> dict[str, object]:
    """`findings` with their own citations, `sections` of the draft whose markers count through `citations`."""
    draft = draft_of(review, accepted_only=accepted_only)
    shown = [f for f in review.findings if f.decision in (Decision.ACCEPTED, Decision.EDITED) or not accepted_only]
    items = {item.id: item for item in review.template.items}
    return {
        "template": review.template.id,
        "review": review.id,
        "language": review.language,
        "state": review.state.value,
        "model": review.model,
        "template_hash": review.template.hash,
        "documents": msgspec.to_builtins(review.documents),
        "notice": draft.notice,
        "missing": list(draft.missing),
        "findings": [_finding(finding, items[finding.item], review.language) for finding in shown],
        "sections": [
            {"title": section.title, "sentences": [_sentence(s) for s in section.sentences]}
            for section in draft.sections
        ],
        "citations": msgspec.to_builtins(draft.citations),
        "timing": msgspec.to_builtins(review.timing),
    }


def _finding(finding: Finding, item: Item, language: str) -> dict[str, object]:
    return {
        "item": finding.item,
        "label": item.label.of(language),
        "type": item.type.value,
        "value": finding.shown,
        "status": finding.status.value,
        "reason": finding.reason,
        "citations": msgspec.to_builtins(finding.citations),
        "sentences": [_sentence(sentence) for sentence in finding.sentences],
        "columns": [column.label.of(language) for column in item.columns] if finding.rows else [],
        "rows": [[_cell(cell) for cell in row] for row in finding.rows],
        "working": list(finding.working),
        "decision": finding.decision.value,
        "comment": finding.comment,
        "seconds": finding.seconds,
    }


def _sentence(sentence: Sentence) -> dict[str, object]:
    return {
        "text": sentence.text,
        "state": sentence.state.value,
        "supported": sentence.state is SentenceState.SUPPORTED,
        "citations": list(sentence.citations),
        "reason": sentence.reason,
    }


def _cell(cell: Cell) -> dict[str, object]:
    return {"text": cell.text, "citations": list(cell.citations), "state": cell.state.value}
