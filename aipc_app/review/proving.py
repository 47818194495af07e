"""Proves what the model replied for an item, as sentences of answers are proved, and has the model judge the quotes."""

from __future__ import annotations

import threading
from collections.abc import Callable

import msgspec

from aipc_app.answer import judge as judging
from aipc_app.answer.bars import Bars
from aipc_app.answer.calibration import JudgeBars
from aipc_app.answer.meaning import Meaning
from aipc_app.answer.prompt import replace_question
from aipc_app.answer.proof import Proof, keep_cited
from aipc_app.answer.units import Units
from aipc_app.answer.wording import wording
from aipc_app.domain.answers import SentenceState
from aipc_app.domain.review import Finding, Item, ItemType
from aipc_app.review.asking import Reply, shape
from aipc_app.review.findings import found, not_found
from aipc_app.store import Store
from engine.client.base import EngineClient
from engine.types.prompt import Prompt


class Prover:
    """Of one review. Not for two threads at once. `judge` gives the bars for the model's own check, None if that is
    not to be believed; it is called only where there is something to check."""

    def __init__(
        self,
        store: Store,
        engine: EngineClient,
        meaning: Meaning,
        language: str,
        *,
        bars: Bars,
        judge: Callable[[], JudgeBars | None],
        owner: str,
    ) -> None:
        self._store, self._engine, self._meaning = store, engine, meaning
        self._language, self._words, self._judge, self._owner = language, wording(language), judge, owner
        self._bars = bars

    def prove(self, item: Item, reply: Reply, units: Units, prompt: Prompt, cancel: threading.Event) -> Finding:
        """Each line is a claim; a short answer is claimed together with the item's label. Blocks for the judge."""
        assert item.question is not None
        question = item.question.of(self._language)
        proof = Proof(self._store, self._meaning, units, question, self._bars)
        for line in reply.lines:
            proof.add(self._claim(item, line))
        self._lower(proof, question, units, prompt, cancel)
        if not proof.sentences:
            return not_found(item, self._language)
        sentences, citations = keep_cited(proof)
        shown = tuple(
            msgspec.structs.replace(sentence, text=line) for sentence, line in zip(sentences, reply.lines, strict=True)
        )
        return found(item, shown, (), citations)

    def _claim(self, item: Item, line: str) -> str:
        if shape(item) != "short":
            return line
        words = item.question if item.type is ItemType.CHOICE else item.label
        assert words is not None
        return (" " if item.type is ItemType.CHOICE else "：").join((words.of(self._language), line))

    def _lower(self, proof: Proof, question: str, units: Units, prompt: Prompt, cancel: threading.Event) -> None:
        """As AnswerRun checks: the model's own view of quote and material can only lower a state."""
        supported = [i for i, s in enumerate(proof.sentences) if s.state is SentenceState.SUPPORTED]
        bars = self._judge() if supported and not cancel.is_set() else None
        if bars is None or cancel.is_set():
            return
        whole = judging.probability_of_yes(
            self._engine, replace_question(prompt, judging.material_question(question, self._words)), self._words,
            owner=self._owner,
        )  # fmt: skip
        for index in supported:
            quote = judging.quote_prompt(proof.evidence(index), question, self._words)
            yes = (whole + judging.probability_of_yes(self._engine, quote, self._words, owner=self._owner)) / 2
            if yes < bars.support:
                proof.lower(index, SentenceState.IN_DOUBT if yes >= bars.doubt else SentenceState.UNSUPPORTED)
