"""aipc review and templates."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import Any

import msgspec

from aipc_app.cli.asking import make_ready, read_questions, settle
from aipc_app.cli.output import Output
from aipc_app.domain.answers import Reading
from aipc_app.domain.review import Finding, FindingReady, FindingStatus, Review, ReviewState
from aipc_app.errors import Cancelled, UserMistake
from aipc_app.operations.cases import find_case
from aipc_app.operations.op import Op
from aipc_app.operations.reviewing import (
    ask_each_document,
    ask_questions,
    check_export,
    copy_template,
    export_review,
    list_templates,
    review_case,
)
from aipc_app.operations.services import Services
from aipc_app.review.as_json import as_json

_MARKS = {FindingStatus.SUPPORTED: "+", FindingStatus.NOT_FOUND: "-", FindingStatus.FAILED: "!"}
_SHOWN_CHARACTERS = 120


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    review = commands.add_parser("review", parents=[common], help="work a case out by a template, with sources")
    review.add_argument("--case", required=True, metavar="NAME")
    what = review.add_mutually_exclusive_group(required=True)
    what.add_argument("--template", metavar="NAME", help="judge, credit, paper, or one of your own")
    what.add_argument("--each", metavar="QUESTION", help="one question, asked of every document")
    what.add_argument("--questions", type=Path, metavar="FILE", help="a question a line, over the whole case")
    review.add_argument("--out", type=Path, metavar="FILE", help="write it as .docx, .xlsx, .pdf or .json")
    review.add_argument("--accepted", action="store_true", help="write accepted findings only")
    review.add_argument("--language", choices=["zh", "en"], help="else that of the documents")
    review.set_defaults(action=_review)
    templates = commands.add_parser("templates", parents=[common], help="templates of reviews; copy one to edit it")
    templates.add_argument("--copy", nargs=2, metavar=("TEMPLATE", "NAME"), help="a copy under a new name")
    templates.set_defaults(action=_templates)


def _review(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    if options.out is not None:
        check_export(options.out)
    case = find_case(services, name=options.case).run()
    load_s = make_ready(services, output, cancel)
    run = _wanted(services, case.id, options)
    review = run.run(lambda event: _show(event, output), cancel)
    settle(services, (case.id,))
    review = msgspec.structs.replace(review, timing=msgspec.structs.replace(review.timing, load_s=load_s))
    if output.json:
        output.object(as_json(review))
    if options.out is not None:
        export_review(services, review_id=review.id, path=options.out, accepted_only=options.accepted).run(
            cancel=cancel
        )
    if review.state is ReviewState.STOPPED:
        if cancel.is_set():
            raise Cancelled
        raise UserMistake("Some items could not be worked out; run the same command again to try them once more.")
    _sum_up(review, options.out, output)
    return 0


def _wanted(services: Services, case_id: int, options: argparse.Namespace) -> Op[Review]:
    if options.each is not None:
        return ask_each_document(services, case_id=case_id, question=options.each, language=options.language)
    if options.questions is not None:
        asked = read_questions(options.questions)
        return ask_questions(services, case_id=case_id, asked=asked, language=options.language)
    return review_case(services, case_id=case_id, template=options.template, language=options.language)


def _show(event: Any, output: Output) -> None:
    if isinstance(event, Reading):
        output.status(
            f"Reading {event.done_tokens} of {event.total_tokens} tokens, about {event.seconds_left:.0f} s left"
        )
    elif isinstance(event, FindingReady):
        _line(event.finding, output)
        left = f", about {event.seconds_left:.0f} s left" if event.seconds_left is not None else ""
        output.status(f"{event.done} of {event.total} items{left}")


def _line(finding: Finding, output: Output) -> None:
    text = " ".join((finding.shown or finding.reason).split())[:_SHOWN_CHARACTERS]
    sources = {f"{one.document}, page {one.page}" for one in finding.citations[:2]}
    place = f"  [{'; '.join(sorted(sources))}]" if sources else ""
    output.line(f"{_MARKS.get(finding.status, '?')} {finding.item}: {text}{place}")


def _sum_up(review: Review, out: Path | None, output: Output) -> None:
    supported = sum(1 for f in review.findings if f.status is FindingStatus.SUPPORTED)
    output.line(f"{supported} of {len(review.findings)} findings are supported ({review.timing.total_s:.0f} s).")
    if out is not None:
        output.line(f"Written to {out}.")


def _templates(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    if options.copy:
        path = copy_template(services, template=options.copy[0], name=options.copy[1]).run()
        output.object({"path": str(path)}) if output.json else output.line(f"Written to {path}; edit it there.")
        return 0
    found = list_templates(services).run()
    if output.json:
        described = [{"template": t.id, "title": t.title.en, "items": len(t.items), "own": t.own} for t in found]
        output.object({"templates": described})
    for template in found:
        output.line(f"{template.id}  {template.title.en} / {template.title.zh} ({len(template.items)} items)")
    return 0
