"""Does a free task: the model names a tool, code uses it, until the model answers; then the answer is proved.

Each step is stored the moment it is done. One that was killed or stopped goes on after its last step: what the steps
before it read is read again, the model is not asked again for them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from aipc_app.answer.bars import bars_of
from aipc_app.answer.cancelling import cancelling
from aipc_app.answer.meaning import Embeds, Meaning
from aipc_app.answer.proof import cite
from aipc_app.domain.answers import Reading
from aipc_app.domain.remembering import owner_of
from aipc_app.domain.review import (
    Finding,
    FindingReady,
    FindingStatus,
    ItemsBegun,
    Review,
    ReviewBegun,
    ReviewedDocument,
    ReviewEnded,
    ReviewEvent,
    ReviewState,
    ReviewTiming,
)
from aipc_app.errors import UserMistake
from aipc_app.log import ANSWER as LOG
from aipc_app.review.findings import found
from aipc_app.review.tasks import calls, plan
from aipc_app.review.tasks.answering import AnswerProof
from aipc_app.review.tasks.desk import Desk, Placed
from aipc_app.review.tasks.focus import SEARCHES, first_tools
from aipc_app.review.tasks.prompting import Taken, prompt_of
from aipc_app.review.tasks.seen import Seen
from aipc_app.review.tasks.tools import Outcome, Toolbox
from aipc_app.review.tasks.wording import said
from aipc_app.review.tasks.worked import Worked
from aipc_app.search.service import SearchService
from aipc_app.settings.model import Settings
from aipc_app.store import Store
from aipc_app.text.numbers import parse_number
from engine.client.base import EngineClient
from engine.errors import EngineDied
from engine.types.generation import FinishReason, Generated, GenerateRequest, PrefillProgress, Priority, Timing
from engine.types.model import LoadedModel

MOST_STEPS = 10
_MOST_PROBLEMS = 3  # steps without a result; then it must answer
_MAX_TOKENS = 640  # the longest answer that the grammar allows
_CONTENTS_TABLES = 16
_CAPABLE_PARAMETERS = 7_000_000_000  # smaller models are led to the tools that the task's words ask for
_CHARACTERS_A_TOKEN = 1.1  # fewest, in Chinese

Emit = Callable[[ReviewEvent], None]


class TaskRunner:
    """Over one home. `run` blocks; several tasks may run, the engine serves them in order."""

    def __init__(
        self, store: Store, search: SearchService, engine: EngineClient, encoder: Embeds,
        settings: Callable[[], Settings],
    ) -> None:  # fmt: skip
        self._store, self._search, self._engine, self._settings = store, search, engine, settings
        self._meaning = Meaning(encoder)

    def run(self, review: Review, model: LoadedModel, emit: Emit, cancel: threading.Event) -> Review:
        """Do what the task still lacks. Raises UserMistake for an empty case, EngineError when the engine can't go
        on; cancel and errors keep the steps that are done."""
        run = _Run(self._store, self._search, self._engine, review, model, emit, cancel)
        return run.work(lambda: AnswerProof(
            self._store, self._meaning, run.seen, run.task, run.language,
            bars_of(self._settings().answers.strictness), run.worked, run.tables,
        ))  # fmt: skip


class _Run:
    """One task being done."""

    def __init__(
        self, store: Store, search: SearchService, engine: EngineClient, review: Review, model: LoadedModel,
        emit: Emit, cancel: threading.Event,
    ) -> None:  # fmt: skip
        self._store, self._engine, self._review, self._model = store, engine, review, model
        self._emit, self._cancel = emit, cancel
        self.task, self.language = plan.task_of(review.template), review.language
        self.seen = Seen(self.task)
        self._desk = Desk(store, review.case_id)
        self._tools = Toolbox(store, search, review.case_id, self._desk, self.seen, self.language)
        self._contents = self._tools.contents(most_tables=_CONTENTS_TABLES)
        self._owner = owner_of((review.case_id,))
        self._taken: list[Taken] = []
        self._results: dict[int, Outcome] = {}
        self.worked: list[Worked] = []
        self._problems = 0
        self._doubts = ""  # why the answer that was given was not borne out
        self._failing: set[str] = set()  # tools that brought nothing since the last step that brought something
        self._repeated: set[str] = set()  # tools that were called twice for the same
        self._timing = review.timing
        self._began = time.monotonic()

    def work(self, proof: Callable[[], AnswerProof]) -> Review:
        if not self._desk.total:
            raise UserMistake("This case has no documents that can be read; add some first.")
        self._begin()
        try:
            while not self._cancel.is_set():
                call = self._next()
                if call is None:
                    break
                read = calls.read_call(call)
                if isinstance(read, calls.Answer) or self._must_answer:
                    if self._answered(read, proof()):
                        break
                    continue
                self._step(call)
        finally:
            self._end()
        return self._review

    @property
    def tables(self) -> Sequence[Placed]:
        return self._desk.tables

    # -- steps -----------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Take the steps again that are done: what they read is what the next ones stand on."""
        reviews = self._store.reviews
        reviews.set_template(self._review.id, plan.without_step(self._review))
        named = tuple(ReviewedDocument(id=d.id, name=d.name, sha256=d.sha256) for d in self._desk.documents)
        reviews.set_state(self._review.id, ReviewState.RUNNING, documents=named)
        self._reload()
        for step in plan.steps_of(self._review.template):
            self._note(plan.written_of(step), self._use(plan.written_of(step)))
        self._emit(ReviewBegun(self._review))

    def _next(self) -> str | None:
        """The next call as it is written; None when the user stopped. The first is a search for the task itself."""
        if not self._taken:
            return calls.written(calls.SearchCase(query=self.task[:400]))
        return self._ask()

    def _step(self, written: str) -> None:
        began = time.monotonic()
        self._store.reviews.set_template(self._review.id, plan.with_step(self._review.template, written))
        self._reload()
        item = plan.steps_of(self._review.template)[-1]
        self._emit(ReviewBegun(self._review))
        self._emit(ItemsBegun((item.id,)))
        outcome = self._use(written)
        self._note(written, outcome)
        self._keep(self._finding(item.id, outcome, time.monotonic() - began))

    def _use(self, written: str) -> Outcome:
        call = calls.read_call(written)
        if call is None:
            return Outcome(problem=said("unreadable", self.language))
        same = self._same(call)
        if same is not None:
            self._repeated.add(calls.name_of(type(call)))
            return Outcome(problem=said("same_again", self.language).format(same))
        return self._tools.use(call, self._results)

    def _same(self, call: calls.Call) -> int | None:
        """The number of the step that did just this, or came to the one figure that this names."""
        plain = replace(call, why="")
        figure = parse_number(call.expression) if isinstance(call, calls.Calculate) else None
        for number, outcome in self._results.items():
            if figure is not None and outcome.value == figure:
                return number
        for number, step in enumerate(self._taken, 1):
            before = calls.read_call(step.written)
            if before is not None and replace(before, why="") == plain:
                return number
        return None

    def _note(self, written: str, outcome: Outcome) -> None:
        self._taken.append(Taken(written, outcome.text or outcome.problem))
        call = calls.read_call(written)
        if outcome.problem:
            self._problems += 1
            self._failing |= {calls.name_of(type(call))} if call is not None else set()
        else:
            self._failing.clear()
        if outcome.value is not None:
            self._results[len(self._taken)] = outcome
        if outcome.working:
            self.worked.append(Worked(
                outcome.value, outcome.text, outcome.working, outcome.spots, outcome.calendar, outcome.inputs,
                outcome.basis,
            ))  # fmt: skip

    def _finding(self, item: str, outcome: Outcome, seconds: float) -> Finding:
        if outcome.problem:
            return Finding(item=item, status=FindingStatus.NOT_FOUND, reason=outcome.problem, seconds=seconds)
        sources = {(s.document_id, s.page): s for s in self.seen.sources}
        citations = tuple(
            cite(self._store, sources[spot.document_id, spot.page], spot.start, spot.end, number)
            for number, spot in enumerate(outcome.spots, 1)
        )
        working = (outcome.working,) if outcome.working else ()
        return Finding(
            item=item, status=FindingStatus.SUPPORTED, value=outcome.text, citations=citations, working=working,
            seconds=seconds,
        )  # fmt: skip

    # -- the model -------------------------------------------------------------------------------

    @property
    def _must_answer(self) -> bool:
        return len(self._taken) >= MOST_STEPS or self._problems >= _MOST_PROBLEMS

    def _ask(self) -> str | None:
        only_answer = self._must_answer
        room = int(self._model.plan.context_tokens * _CHARACTERS_A_TOKEN / 2)
        prompt = prompt_of(
            self.task, self.language, self._contents, self._taken, room=room, only_answer=only_answer,
            doubts=self._doubts,
        )  # fmt: skip
        grammar = calls.grammar_of(
            self._desk.document_names, self._desk.table_names, without=self._aside(), only_answer=only_answer
        )
        request = GenerateRequest(
            prompt, max_tokens=_MAX_TOKENS, grammar=grammar, priority=Priority.BACKGROUND, owner=self._owner
        )
        try:
            end = self._generate(request)
        except EngineDied as error:  # it is started again by the next try
            LOG.warning("the engine ended in a task: %s", type(error).__name__)
            end = self._generate(request)
        self._count(end.timing)
        return None if end.reason is FinishReason.CANCELLED else end.text

    def _aside(self) -> set[str]:
        """Tools not offered now: a small model that was told no writes the very same call again, and one that has
        read what the task asks about goes on searching."""
        aside = self._failing | self._repeated
        if not 0 < self._model.parameters < _CAPABLE_PARAMETERS:
            return aside
        first = first_tools(self.task) if len(self._taken) == 1 and not self._problems else frozenset()
        unasked = {calls.name_of(kind) for kind in calls.TOOLS} - first if first else set()
        return aside | unasked | (SEARCHES if self.worked else set())

    def _generate(self, request: GenerateRequest) -> Generated:
        generation = self._engine.generate(request)
        with cancelling(self._cancel, generation.cancel):
            for event in generation:
                match event:
                    case PrefillProgress() as told:
                        self._emit(
                            Reading(told.done_tokens, told.total_tokens, told.restored_tokens, told.seconds_left)
                        )
                    case Generated():
                        return event
        raise AssertionError("a generation ends with Generated or raises")

    # -- the end ---------------------------------------------------------------------------------

    def _answered(self, call: calls.Call | None, proof: AnswerProof) -> bool:
        """What can't be read as an answer says nothing. False for one that isn't borne out, the first time: the model
        is told why."""
        item = self._review.template.sections[0].items[0]
        proved = proof.prove(call.sentences if isinstance(call, calls.Answer) and call.found else ())
        finding = found(item, proved.sentences, (), proved.citations)
        if finding.status is not FindingStatus.SUPPORTED:  # nothing is said that nothing bears out
            if proved.sentences and not self._doubts and not self._must_answer:
                self._doubts = "；".join(dict.fromkeys(sentence.reason for sentence in proved.sentences))
                return False
            finding = Finding(item=item.id, status=FindingStatus.NOT_FOUND, reason=said("refused", self.language))
        self._keep(replace(finding, working=proved.working if finding.sentences else ()))
        return True

    def _keep(self, finding: Finding) -> None:
        self._store.reviews.save_finding(self._review.id, finding, "")
        self._reload()
        total = len(self._review.template.items)
        self._emit(FindingReady(finding, len(self._review.findings), total, None))

    def _end(self) -> None:
        done = self._review.finding(plan.ANSWER) is not None
        timing = replace(self._timing, total_s=self._timing.total_s + time.monotonic() - self._began)
        state = ReviewState.DONE if done else ReviewState.STOPPED
        self._store.reviews.set_state(self._review.id, state, timing=timing)
        self._reload()
        self._emit(ReviewEnded(self._review))

    def _reload(self) -> None:
        self._review = self._store.reviews.get(self._review.id)

    def _count(self, one: Timing) -> None:
        now = self._timing
        self._timing = ReviewTiming(
            load_s=now.load_s,
            total_s=now.total_s,
            prompt_tokens=now.prompt_tokens + one.prompt_tokens,
            restored_tokens=now.restored_tokens + one.restored_tokens,
            prefilled_tokens=now.prefilled_tokens + one.prefilled_tokens,
            generated_tokens=now.generated_tokens + one.generated_tokens,
        )
