"""aipc task: a task in the user's own words."""

from __future__ import annotations

import argparse
import threading
from typing import Any

import msgspec

from aipc_app.cli.asking import make_ready, settle
from aipc_app.cli.output import Output
from aipc_app.domain.review import FindingReady, FindingStatus, Review, ReviewBegun, ReviewState
from aipc_app.errors import Cancelled
from aipc_app.operations.cases import find_case
from aipc_app.operations.reviewing import do_task
from aipc_app.operations.services import Services
from aipc_app.review.tasks.as_json import answer_of, step_of
from aipc_app.review.tasks.plan import ANSWER, steps_of


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    task = commands.add_parser("task", parents=[common], help="a task in your own words, done step by step")
    task.add_argument("--case", required=True, metavar="NAME")
    task.add_argument("task", metavar="TASK")
    task.set_defaults(action=_task)


def _task(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    """With --json one object a step, as it is done, then one for the result."""
    case = find_case(services, name=options.case).run()
    load_s = make_ready(services, output, cancel)
    shown = _Shown(output)
    review = do_task(services, case_id=case.id, task=options.task).run(shown.take, cancel)
    settle(services, (case.id,))
    if review.state is ReviewState.STOPPED:
        raise Cancelled
    review = msgspec.structs.replace(review, timing=msgspec.structs.replace(review.timing, load_s=load_s))
    if output.json:
        output.object(answer_of(review))
    else:
        _tell(review, output)
    return 0


class _Shown:
    """Prints each step once, when it is done."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._review: Review | None = None
        self._told: set[str] = set()

    def take(self, event: Any) -> None:
        if isinstance(event, ReviewBegun):
            self._review = event.review
            for finding in event.review.findings:  # of a task that is gone on with
                self._step(event.review, finding.item)
        elif isinstance(event, FindingReady) and event.finding.item != ANSWER and self._review is not None:
            found = (*self._review.findings, event.finding)
            self._step(msgspec.structs.replace(self._review, findings=found), event.finding.item)

    def _step(self, review: Review, item: str) -> None:
        if item in self._told or item == ANSWER:
            return
        self._told.add(item)
        if self._output.json:
            self._output.object(step_of(review, item))
            return
        finding = review.finding(item)
        label = next(step.label.of(review.language) for step in steps_of(review.template) if step.id == item)
        self._output.line(f"· {label}")
        told = finding.value or finding.reason if finding is not None else ""
        for line in told.splitlines():
            self._output.line(f"    {line}")


def _tell(review: Review, output: Output) -> None:
    finding = review.finding(ANSWER)
    assert finding is not None
    output.line()
    if finding.status is FindingStatus.NOT_FOUND:
        output.line(finding.reason)
        return
    for sentence in finding.sentences:
        marks = "".join(f"[{marker}]" for marker in sentence.citations)
        doubt = "" if sentence.state == "supported" else f"  ({sentence.state.value}: {sentence.reason})"
        output.line(f"{sentence.text}{marks}{doubt}")
    for line in finding.working:
        output.line(f"  = {line}")
    for citation in finding.citations:
        output.line(f"  [{citation.marker}] {citation.document}, page {citation.page}: {citation.quote[:100]}")
