"""Golden questions: keep them for a case, ask them all again after a change, see what came out otherwise."""

from __future__ import annotations

import threading
import time

from msgspec import Struct

from aipc_app.answer.expected import missing_from
from aipc_app.domain.answers import Answer, Question, SentenceState
from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.domain.golden import GoldenQuestion, GoldenResult, GoldenTable
from aipc_app.domain.jobs import Changes
from aipc_app.errors import Cancelled, UserMistake
from aipc_app.operations.models import ensure_loaded
from aipc_app.operations.op import Emit, Op, ignore, simply
from aipc_app.operations.services import Services
from aipc_app.text.facts import FactKind, find_facts

LONGEST = 2_000  # characters of a question, and of what is expected


class GoldenProgress(Struct, frozen=True):
    """`done` of `total` questions are answered."""

    done: int
    total: int


def golden_table(services: Services, *, case_id: int) -> Op[GoldenTable]:
    """A case's golden questions with their results in the last two runs."""
    return simply("golden table", lambda: services.store.golden.table(case_id))


def keep_golden(services: Services, *, case_id: int, question: str, expected: str) -> Op[GoldenQuestion]:
    """Keep a question with the facts its answer must state, a line each; none: it must be refused.

    Raises UserMistake for an empty or overlong one.
    """

    def work() -> GoldenQuestion:
        text = " ".join(question.split())
        if not any(character.isalnum() for character in text):
            raise UserMistake("The question is empty; write what you want to know.")
        if max(len(text), len(expected)) > LONGEST:
            raise UserMistake(
                f"A golden question and what is expected of it have at most {LONGEST} characters; shorten them."
            )
        services.store.cases.get(case_id)
        kept = services.store.golden.keep(case_id, text, expected.strip())
        _tell(services, case_id)
        return kept

    return simply("keep golden question", work)


def remove_golden(services: Services, *, question_id: int) -> Op[None]:
    """Its results go with it. Raises UserMistake for one that is not there."""

    def work() -> None:
        case_id = services.store.golden.get(question_id).case_id
        services.store.golden.remove(question_id)
        _tell(services, case_id)

    return simply("remove golden question", work)


def run_golden(services: Services, *, case_id: int) -> Op[GoldenTable]:
    """Ask all of a case's golden questions. Emits GoldenProgress; cancelled, what was asked so far is kept.

    Loads the model if need be. The answers are in no conversation. Raises UserMistake where there is no question.
    """
    return Op("run golden questions", lambda emit, cancel: _run(services, case_id, emit, cancel))


def suggest_expected(answer: Answer) -> str:
    """What an answer proves, as the expectation of a golden question: the figures of its supported sentences."""
    said = [s.text for s in answer.sentences if s.state is SentenceState.SUPPORTED]
    facts = [fact.text.strip() for text in said for fact in find_facts(text) if fact.kind is not FactKind.ORDINAL]
    return "\n".join(dict.fromkeys(facts or said))


def _run(services: Services, case_id: int, emit: Emit, cancel: threading.Event) -> GoldenTable:
    questions = services.store.golden.of_case(case_id)
    if not questions:
        raise UserMistake("No golden questions are kept for this case; add one first.")
    with services.ahead.question((case_id,)):
        model = ensure_loaded(services).run(ignore, cancel)
        run = services.store.golden.start_run(case_id, model.name, _settings_line(services))
        for done, question in enumerate(questions):
            emit(GoldenProgress(done, len(questions)))
            if cancel.is_set() or not _ask(services, question, run, cancel):
                raise Cancelled
            _tell(services, case_id)
    return services.store.golden.table(case_id)


def _ask(services: Services, golden: GoldenQuestion, run: int, cancel: threading.Event) -> bool:
    """False when it was stopped: half an answer is no result."""
    started = time.monotonic()
    alone = golden.case_id == LIBRARY_ID
    asked = Question(
        text=golden.question,
        cases=() if alone else (golden.case_id,),
        max_tokens=services.settings().answers.max_tokens,
    )
    answer = services.answers.ask(asked, ignore, cancel)
    services.store.conversations.delete(answer.conversation)
    if answer.stopped or cancel.is_set():
        return False
    services.store.golden.save_result(run, _result(golden, answer, time.monotonic() - started))
    return True


def _result(golden: GoldenQuestion, answer: Answer, took: float) -> GoldenResult:
    missing = missing_from(answer, golden.expected)
    return GoldenResult(
        question_id=golden.id,
        passed=missing is None,
        refused=answer.refused,
        text=answer.text,
        missing=missing or "",
        sources=tuple(dict.fromkeys(f"{c.document}, {c.page}" for c in answer.citations)),
        seconds=took,
    )


def _settings_line(services: Services) -> str:
    settings = services.settings()
    answers, backend = settings.answers, settings.embedding.backend
    return f"{answers.strictness.value}, {answers.passages}, {backend.value}"


def _tell(services: Services, case_id: int) -> None:
    services.changes.publish(Changes(golden=frozenset({case_id})))
