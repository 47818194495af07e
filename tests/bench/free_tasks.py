"""Free tasks over the samples through `aipc task --json`, checked against figures worked out by hand.

    python -m tests.bench.free_tasks [--sample lending] [--only ID,…] [--file FILE] [--model NAME] [--keep DIR]

Prints each task with its steps, and a table: how many are right (the expected result stands in a supported sentence),
refused rightly, refused wrongly, and wrong although a sentence is shown as supported. `--keep` keeps the data folder;
one that was kept is used again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from aipc_app.answer.expected import stands
from aipc_app.operations.samples import list_samples
from tests.bench.review_samples import add
from tests.bench.sample_questions import run

TASKS = Path(__file__).parent / "free_tasks.toml"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", action="append", default=[])
    parser.add_argument("--only", help="ids of tasks, separated by commas")
    parser.add_argument("--file", type=Path, default=TASKS)
    parser.add_argument("--model")
    parser.add_argument("--keep", type=Path, help="keep the data folder and the results here")
    options = parser.parse_args()
    wanted = tomllib.loads(options.file.read_text(encoding="utf-8"))["task"]
    wanted = [task for task in wanted if not options.sample or task["sample"] in options.sample]
    wanted = [task for task in wanted if not options.only or task["id"] in options.only.split(",")]
    with tempfile.TemporaryDirectory(prefix="aipc-tasks-") as folder:
        home = options.keep or Path(folder)
        prepare(home, {task["sample"] for task in wanted}, options.model)
        counts = Counter(do(home, task) for task in wanted)
    print(json.dumps({"tasks": len(wanted), **counts}, ensure_ascii=False))
    return 0


def prepare(home: Path, samples: set[str], model: str | None) -> None:
    """The samples as cases; those that are there already stay."""
    home.mkdir(parents=True, exist_ok=True)
    if model:
        run(home, "models", "use", model)
    there = {case["case"] for found in run(home, "cases") for case in found["cases"]}
    for sample in list_samples():
        if sample.id in samples - there:
            add(home, sample)


def do(home: Path, task: dict[str, Any]) -> str:
    """One task, its steps printed; the verdict."""
    began = time.monotonic()
    *steps, result = run(home, "task", "--case", task["sample"], task["text"]) or [{}]
    seconds = time.monotonic() - began
    verdict = judge(task, result)
    print(f"{verdict:20} {task['id']} {seconds:.0f} s: {task['text']}", flush=True)
    for step in steps:
        told = " / ".join(step["result"].split("\n"))[:160]
        print(f"    {step['step']}. {step['tool']} {json.dumps(step['arguments'], ensure_ascii=False)} → {told}")
    for sentence in result.get("sentences", ()):
        print(f"    {sentence['state']}: {sentence['text']} {sentence['citations']} {sentence['reason']}")
    for line in result.get("working", ()):
        print(f"    = {line}")
    (home / f"{task['id']}.task.json").write_text(
        json.dumps([*steps, result], ensure_ascii=False, indent=1), encoding="utf-8"
    )
    return verdict


def judge(task: dict[str, Any], result: dict[str, Any]) -> str:
    """Right, refused, or wrong, and how. The result stands in a supported sentence; what it was worked out from stands
    there or in the working below."""
    if not result:
        return "NO RESULT"
    if result["refused"]:
        return "refused rightly" if not task["facts"] else "REFUSED WRONGLY"
    if not task["facts"]:
        return "ANSWERED ANYWAY"
    supported = "\n".join(s["text"] for s in result["sentences"] if s["supported"])
    shown = "\n".join((supported, *result["working"]))
    *inputs, outcome = task["facts"]
    told = _stands(outcome, supported) and all(_stands(fact, shown) for fact in inputs)
    return "right" if told else "WRONG OR LACKING"


def _stands(fact: str, text: str) -> bool:
    return any(stands(form, text) for form in fact.split("|"))


if __name__ == "__main__":
    raise SystemExit(main())
