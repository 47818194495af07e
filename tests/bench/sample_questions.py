"""Every question of the samples through `aipc ask --questions --json`, checked against its key facts.

    python -m tests.bench.sample_questions [--sample lending] [--model NAME] [--keep DIR]

Prints a line a question and a table at the end. Right: every key fact stands in a supported sentence (numbers,
dates and amounts compared as values, the rest as normalised text). Nothing here decides a test; the figures are
for people.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aipc_app.answer.expected import stands
from aipc_app.operations.samples import Sample, SampleQuestion, list_samples

AIPC = [sys.executable, "-m", "aipc_app"]


@dataclass
class Tally:
    """Counts over one sample."""

    right: int = 0
    answerable: int = 0
    refused_rightly: int = 0
    unanswerable: int = 0
    refused_wrongly: int = 0
    false_quotes: int = 0
    citations: int = 0
    seconds: float = 0.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", action="append", default=[])
    parser.add_argument("--model")
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--only", help="question ids, separated by commas")
    parser.add_argument("--keep", type=Path, help="keep the data folder and the answers here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aipc-samples-") as folder:
        home = options.keep or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        if options.model:
            run(home, "models", "use", options.model)
        for sample in list_samples():
            if not options.sample or sample.id in options.sample:
                report(sample, ask_all(home, sample, options.mode, options.only), home)
    return 0


def run(home: Path, *arguments: str) -> list[dict[str, Any]]:
    """One command; its JSON lines."""
    done = subprocess.run(
        [*AIPC, "--home", str(home), *arguments, "--json"], stdout=subprocess.PIPE, text=True, check=False
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def ask_all(home: Path, sample: Sample, mode: str, only: str | None) -> list[tuple[SampleQuestion, dict[str, Any]]]:
    """Add the sample's files, then ask its questions over one load of the model."""
    folder = Path(sample.folder)
    if sample.library:
        run(home, "add", "--library", *(str(folder / name) for name in sample.library))
    run(home, "add", "--case", sample.id, *(str(folder / name) for name in sample.documents))
    wanted = [q for q in sample.questions if not only or q.id in only.split(",")]
    questions = home / f"{sample.id}.questions.txt"
    questions.write_text("\n".join(q.question for q in wanted), encoding="utf-8")
    answers = run(home, "ask", "--case", sample.id, "--questions", str(questions), "--mode", mode)
    (home / f"{sample.id}.answers.jsonl").write_text(
        "\n".join(json.dumps(a, ensure_ascii=False) for a in answers), encoding="utf-8"
    )
    return list(zip(wanted, answers, strict=True))


def report(sample: Sample, asked: list[tuple[SampleQuestion, dict[str, Any]]], home: Path) -> None:
    """Print each question and the sample's table."""
    tally = Tally()
    for question, answer in asked:
        verdict = judge(question, answer, tally)
        check_quotes(answer, home, tally)
        tally.seconds += answer["timing"]["total_s"]
        states = "".join(
            {"supported": "S", "in_doubt": "d", "unsupported": "u"}[s["state"]] for s in answer["sentences"]
        )
        print(
            f"{verdict:16} {question.id:12} {question.language} {states:6} {answer['timing']['total_s']:5.1f}s "
            f"{question.question}\n{'':36}→ {' '.join(answer['answer'].split())[:300]}",
            flush=True,
        )
        for sentence in answer["sentences"]:
            if not sentence["supported"]:
                print(f"{'':40}{sentence['state']}: {sentence['text'][:80]} — {sentence['reason']}")
    print(
        json.dumps(
            {
                "sample": sample.id,
                "model": asked[0][1]["model"] if asked else "",
                "key_facts_in_supported_sentences": f"{tally.right}/{tally.answerable}",
                "refused_rightly": f"{tally.refused_rightly}/{tally.unanswerable}",
                "refused_wrongly": tally.refused_wrongly,
                "quotes_that_are_not_the_page": tally.false_quotes,
                "citations": tally.citations,
                "seconds_a_question": round(tally.seconds / max(1, len(asked)), 1),
            },
            ensure_ascii=False,
        ),
        flush=True,
    )


def judge(question: SampleQuestion, answer: dict[str, Any], tally: Tally) -> str:
    """Right or wrong, and how."""
    if not question.answerable:
        tally.unanswerable += 1
        tally.refused_rightly += answer["refused"]
        return "refused (right)" if answer["refused"] else "ANSWERED ANYWAY"
    tally.answerable += 1
    if answer["refused"]:
        tally.refused_wrongly += 1
        return "REFUSED (wrong)"
    supported = "\n".join(s["text"] for s in answer["sentences"] if s["supported"])
    if all(any(stands(alternative, supported) for alternative in fact) for fact in question.key_facts):
        tally.right += 1
        return "right"
    return "FACTS MISSING"


def check_quotes(answer: dict[str, Any], home: Path, tally: Tally) -> None:
    """A quote must be exactly the stored page's text. Counted, never repaired."""
    for citation in answer["citations"]:
        tally.citations += 1
        pages = run(home, "pages", str(citation["document_id"]), "--page", str(citation["page"]))
        text = pages[0]["pages"][0]["text"]
        if text[citation["start"] : citation["end"]] != citation["quote"]:
            tally.false_quotes += 1


if __name__ == "__main__":
    sys.exit(main())
