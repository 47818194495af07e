"""aipc search and ask."""

from __future__ import annotations

import argparse
import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from aipc_app.cli.arguments import case_id, case_or_library, document_ids, natural
from aipc_app.cli.output import Output
from aipc_app.domain.answers import Answer, AnswerCleared, AnswerDelta, Citation, Mode, Question, Reading, SentenceState
from aipc_app.domain.documents import Along, Evidence, ForceState, Passage, Related, SearchResult
from aipc_app.errors import AipcError, Cancelled, UserMistake
from aipc_app.log import ENGINE
from aipc_app.operations.asking import ask, prepare_search, rerank_passages, search_passages
from aipc_app.operations.cases import find_case
from aipc_app.operations.models import ensure_loaded
from aipc_app.operations.remembering import settle_remembered
from aipc_app.operations.services import Services
from engine.errors import EngineError

_WHY = {
    Along.CITED: "it names it",
    Along.PREVIOUS: "it refers to the article before",
    Along.REST: "its rest",
    Along.DEFINITION: "it says what a word means",
}

_AGAINST = {
    ForceState.SUPERSEDED: "there is a newer version of {by}",
    ForceState.REPEALED: "repealed by {by}",
    ForceState.TO_COME: "in force from {by}",
}


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    search = commands.add_parser("search", parents=[common], help="find passages")
    case_or_library(search)
    search.add_argument("query", metavar="QUERY")
    search.add_argument("-k", type=natural, default=10, metavar="N", help="how many (10)")
    search.add_argument("--rerank", action="store_true", help="sort the best anew by the reranking model (settings)")
    search.set_defaults(action=_search)
    asking = commands.add_parser("ask", parents=[common], help="ask, get an answer with its sources")
    asking.add_argument("--case", action="append", default=[], metavar="NAME", help="may be given several times")
    asking.add_argument("--library", action="store_true", help="ask the law library alone")
    asking.add_argument("question", nargs="?", metavar="QUESTION")
    asking.add_argument("--questions", type=Path, metavar="FILE", help="a question a line, over one load of the model")
    asking.add_argument("--mode", choices=[str(mode) for mode in Mode], default="auto")
    asking.add_argument("--documents", type=document_ids, metavar="ID,…", help="only these documents of the cases")
    asking.add_argument("--no-library", action="store_true", help="leave the law library out")
    asking.add_argument("--conversation", type=natural, metavar="ID", help="go on with this conversation")
    asking.add_argument("--max-tokens", type=natural, default=512, metavar="N")
    asking.set_defaults(action=_ask, parser=asking)


def _search(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    scope = case_id(services, options)
    prepare_search(services).run(cancel=cancel)
    result = search_passages(services, query=options.query, cases=(scope,), limit=options.k).run()
    if options.rerank:
        result = rerank_passages(services, query=options.query, result=result).run(cancel=cancel)
    if output.json:
        output.object(
            {
                "passages": [passage(item) for item in result.evidence],
                "seconds": result.seconds,
                "missing": [str(stage) for stage in result.missing],
                "related": [
                    place_of(one.passage) | {"why": str(one.why), "of": _number_of(one, result)}
                    for one in result.related
                ],
            }
        )
    for item in result.evidence:
        found = item.passage
        place = " ".join(part for part in (found.heading, found.article) if part)
        against = f", {_AGAINST[item.force.state].format(by=item.force.by)}" if item.force else ""
        output.line(f"{found.document}, page {found.page} {place} ({item.score:.3f}{against})")
        output.line(f"    {' '.join(found.text.split())[:200]}")
    for one in result.related:
        output.line(f"with {_number_of(one, result)} ({_WHY[one.why]}): {one.passage.document} {one.passage.article}")
        output.line(f"    {' '.join(one.passage.text.split())[:200]}")
    return 0


def _number_of(related: Related, result: SearchResult) -> int:
    """The place, from 1, of what a passage comes along with."""
    return next(place for place, item in enumerate(result.evidence, 1) if item.passage.id == related.of)


def passage(item: Evidence) -> dict[str, object]:
    """A passage as contract.md names its fields."""
    force = None if item.force is None else {"state": str(item.force.state), "by": item.force.by}
    return place_of(item.passage) | {"score": item.score, "force": force}


def place_of(p: Passage) -> dict[str, object]:
    """Where a passage stands, and its text."""
    return {
        "document": p.document,
        "document_id": p.document_id,
        "page": p.page,
        "page_label": p.page_label,
        "article": p.article,
        "heading": p.heading,
        "text": p.text,
        "start": p.start,
        "end": p.end,
    }


def _ask(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    questions = _questions(options)
    cases = tuple(find_case(services, name=name).run().id for name in options.case)
    load_s = make_ready(services, output, cancel)
    failed = False
    for text in questions:
        question = Question(
            text=text,
            cases=cases,
            library=options.library or not options.no_library,
            mode=Mode(options.mode),
            documents=options.documents,
            conversation=options.conversation,
            max_tokens=options.max_tokens,
        )
        if not output.json and len(questions) > 1:
            output.line(f"\n> {text}")
        try:
            answer = ask(services, question=question).run(lambda event: _stream(event, output), cancel)
        except (AipcError, EngineError) as error:
            if len(questions) == 1 or isinstance(error, Cancelled):
                raise
            failed = True  # the other questions go on
            output.error(error.message)
            if output.json:
                output.object({"question": text, "error": error.message})
            continue
        answer = msgspec.structs.replace(answer, timing=msgspec.structs.replace(answer.timing, load_s=load_s))
        load_s = 0.0
        settle(services, cases)
        output.object(as_json(answer)) if output.json else show(answer, output)
        if cancel.is_set():
            raise Cancelled
    return 1 if failed else 0


def make_ready(services: Services, output: Output, cancel: threading.Event) -> float:
    """Load the model and the search, with progress; the seconds that took. Raises EngineError, Cancelled."""
    began = time.monotonic()
    ensure_loaded(services).run(
        lambda f: output.status(f"Opening the model … {f:.0%}") if isinstance(f, float) else None, cancel
    )
    prepare_search(services).run(cancel=cancel)
    return time.monotonic() - began


def settle(services: Services, cases: tuple[int, ...]) -> None:
    """What was read for the answer is on disk; an engine that ended meanwhile doesn't take the answer along."""
    try:
        settle_remembered(services, cases=cases).run()
    except EngineError as error:
        ENGINE.warning("what was read may not be kept: %s", type(error).__name__)


def _questions(options: argparse.Namespace) -> list[str]:
    if bool(options.case) == options.library:
        options.parser.error("say what to ask: --case NAME (several are fine), or --library")
    if (options.question is None) == (options.questions is None):
        options.parser.error("give a question, or --questions FILE")
    if options.question is not None:
        return [options.question]
    return read_questions(options.questions)


def read_questions(file: Path) -> list[str]:
    """A file with a question a line. Raises UserMistake."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserMistake(f"{file} can't be read as UTF-8 text; check the file.") from error
    questions = [line.strip() for line in lines if line.strip()]
    if not questions:
        raise UserMistake(f"{file} has no question in it; write one a line.")
    return questions


def _stream(event: Any, output: Output) -> None:
    if isinstance(event, Reading):
        output.status(
            f"Reading {event.done_tokens} of {event.total_tokens} tokens, about {event.seconds_left:.0f} s left"
        )
    elif isinstance(event, AnswerDelta):
        output.write(event.text)
    elif isinstance(event, AnswerCleared):
        output.line("\n(not borne out by the case's material; asking the library too)")


def show(answer: Answer, output: Output) -> None:
    """An answer's sources under what was streamed; a refusal says what was nearest."""
    output.line()
    if answer.refused:
        if answer.timing.generated_tokens:
            output.line("(withdrawn: the material does not bear out what stands above)")
        output.line(answer.text)
        for item in answer.nearest[:3]:
            output.line(f"  not evidence: {item.passage.document}, page {item.passage.page}")
        return
    doubtful = [s.text for s in answer.sentences if s.state is not SentenceState.SUPPORTED]
    for citation in answer.citations:
        printed = f" (printed {citation.page_label})" if citation.page_label else ""
        output.line(f"  [{citation.marker}] {citation.document}, page {citation.page}{printed}: {_short(citation)}")
    for text in doubtful:
        output.line(f"  not supported by the material: {text.strip()}")


def _short(citation: Citation) -> str:
    return "“" + " ".join(citation.quote.split())[:160] + "”"


def as_json(answer: Answer) -> dict[str, object]:
    """An answer as contract.md names its fields."""
    return {
        "question": answer.question,
        "answer": answer.text,
        "language": answer.language,
        "mode": str(answer.mode),
        "refused": answer.refused,
        "stopped": answer.stopped,
        "sentences": [
            {
                "text": s.text,
                "state": str(s.state),
                "supported": s.state is SentenceState.SUPPORTED,
                "citations": list(s.citations),
                "reason": s.reason,
            }
            for s in answer.sentences
        ],
        "citations": [msgspec.to_builtins(citation) for citation in answer.citations],
        "nearest": [passage(item) for item in answer.nearest],
        "timing": msgspec.to_builtins(answer.timing),
        "model": answer.model,
        "conversation": answer.conversation,
    }
