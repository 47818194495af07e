"""A free task as contract.md names such fields. Pure."""

from __future__ import annotations

import msgspec

from aipc_app.domain.review import FindingStatus, Review
from aipc_app.review.tasks import calls
from aipc_app.review.tasks.plan import ANSWER, steps_of, task_of, written_of
from aipc_app.review.tasks.wording import said


def step_of(review: Review, item: str) -> dict[str, object]:
    """One step that is done: the call as it was made, and what came of it. KeyError for no step."""
    steps = {step.id: (number, step) for number, step in enumerate(steps_of(review.template), 1)}
    number, step = steps[item]
    call, finding = calls.read_call(written_of(step)), review.finding(item)
    assert finding is not None
    arguments = msgspec.to_builtins(call) if call is not None else {}
    arguments.pop("tool", None)
    return {
        "step": number,
        "tool": step.compute,
        "why": arguments.pop("why", ""),
        "arguments": arguments,
        "done": finding.status is FindingStatus.SUPPORTED,
        "result": finding.value or finding.reason,
        "working": list(finding.working),
        "citations": msgspec.to_builtins(finding.citations),
        "seconds": finding.seconds,
    }


def answer_of(review: Review) -> dict[str, object]:
    """The result of a task that is done."""
    finding = review.finding(ANSWER)
    assert finding is not None
    refused = finding.status is FindingStatus.NOT_FOUND
    return {
        "task": task_of(review.template),
        "review": review.id,
        "answer": said("refused", review.language) if refused else " ".join(s.text for s in finding.sentences),
        "language": review.language,
        "refused": refused,
        "sentences": [
            {
                "text": sentence.text,
                "state": sentence.state.value,
                "supported": sentence.state.value == "supported",
                "citations": list(sentence.citations),
                "reason": sentence.reason,
            }
            for sentence in finding.sentences
        ],
        "citations": msgspec.to_builtins(finding.citations),
        "working": list(finding.working),
        "steps": len(steps_of(review.template)),
        "model": review.model,
        "timing": msgspec.to_builtins(review.timing),
    }
