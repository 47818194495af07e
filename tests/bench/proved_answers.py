"""The samples' questions through the whole program: right answers, refusals and false support at several bars.

    python -m tests.bench.proved_answers --model FILE.gguf --keep DIR [--sample lending] [--strict] [--show]

The model's words and probabilities are kept in DIR (recorded_engine.py): asked again, the program is measured anew
without the model, as far as it puts the same prompts; so the same answers are proved with --strict as well. Whole
mode, so that nothing hangs on how fast this PC reads.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from aipc_app.answer.expected import stands
from aipc_app.app import opened
from aipc_app.domain.answers import Answer, Mode, Question
from aipc_app.operations.asking import prepare_search
from aipc_app.operations.samples import Sample, SampleQuestion, list_samples, open_sample
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from aipc_app.settings.model import Strictness
from aipc_app.workers.spawn import child_command
from engine.client.process import ProcessEngine
from tests.bench.recorded_engine import RecordedEngine


@dataclass
class Tally:
    """Counts over questions. `lacking`: answered, but a key fact is in no supported sentence."""

    answerable: int = 0
    right: int = 0
    lacking: int = 0
    refused_wrongly: int = 0
    unanswerable: int = 0
    refused_rightly: int = 0
    answered_anyway: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--sample", action="append", default=[])
    parser.add_argument("--show", action="store_true", help="print each question")
    parser.add_argument("--strict", action="store_true", help="prove with the strict bars")
    options = parser.parse_args()
    whole = Tally()
    for sample in list_samples():
        if not options.sample or sample.id in options.sample:
            tally = measure(sample, options)
            for name, value in asdict(tally).items():
                setattr(whole, name, getattr(whole, name) + value)
    print(json.dumps({"model": options.model.name, **asdict(whole)}))
    return 0


def measure(sample: Sample, options: argparse.Namespace) -> Tally:
    """One sample in a home of its own, so that the same is found for a question each time."""
    keep = options.keep
    home = Home(keep / sample.id)
    home.create()
    tally = Tally()
    engine = RecordedEngine(ProcessEngine(child_command("engine"), keep / "engine.log"), options.model, keep)
    with opened(home, engine) as services:
        settle(services, Strictness.STRICT if options.strict else Strictness.BALANCED)
        prepare_search(services).run()
        for question, answer in asked(services, sample):
            verdict = count(question, answer, tally)
            if options.show or verdict not in ("right", "refused rightly"):
                show(question, answer, verdict)
    print(json.dumps({"sample": sample.id, **asdict(tally), "asked_of_the_model": engine.missed}), flush=True)
    return tally


def settle(services: Services, strictness: Strictness) -> None:
    """Whole mode however long reading cold takes, at this strictness."""
    settings = services.settings()
    answers = msgspec.structs.replace(settings.answers, cold_read_seconds=86_400, strictness=strictness)
    services.settings.replace(msgspec.structs.replace(settings, answers=answers))


def asked(services: Services, sample: Sample) -> Iterator[tuple[SampleQuestion, Answer]]:
    """Add the sample, wait until it is indexed, ask each of its questions."""
    found = open_sample(services, sample=sample, language="zh").run()
    services.ingest.wait(found.added)
    for question in sample.questions:
        wanted = Question(text=question.question, cases=(found.case.id,), mode=Mode.WHOLE, max_tokens=256)
        yield question, services.answers.ask(wanted, lambda _event: None, threading.Event())


def count(question: SampleQuestion, answer: Answer, tally: Tally) -> str:
    """Right or wrong, and how."""
    if not question.answerable:
        tally.unanswerable += 1
        tally.refused_rightly += answer.refused
        tally.answered_anyway += not answer.refused
        return "refused rightly" if answer.refused else "ANSWERED ANYWAY"
    tally.answerable += 1
    if answer.refused:
        tally.refused_wrongly += 1
        return "REFUSED WRONGLY"
    said = "\n".join(s.text for s in answer.sentences if s.state == "supported")
    right = all(any(stands(alternative, said) for alternative in fact) for fact in question.key_facts)
    tally.right += right
    tally.lacking += not right
    return "right" if right else "FACTS LACKING"


def show(question: SampleQuestion, answer: Answer, verdict: str) -> None:
    print(f"{verdict:16} {question.id:12} {question.question}\n    → {' '.join(answer.text.split())[:300]}")
    for sentence in answer.sentences:
        print(f"        {sentence.state}: {sentence.text[:90]} {sentence.reason and '— ' + sentence.reason}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
