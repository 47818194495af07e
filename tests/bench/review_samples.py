"""The three samples reviewed by their templates, checked against key facts and a sheet worked by hand.

    python -m tests.bench.review_samples [--sample lending] [--model NAME] [--keep DIR] [--again]

Prints the findings that are not as the sheet says, and a table a sample: of the questions' key facts, how many stand
in a supported finding; of the sheet's items, right and supported, missing (not found, in doubt, unsupported), and
wrong but shown as supported. `--again` reviews once more from nothing, with the case remembered. `--asked` takes
templates without what code looks for, so that every question goes to the model.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from aipc_app.answer.expected import stands
from aipc_app.operations.samples import Sample, list_samples
from aipc_app.review.templates import SHIPPED
from tests.bench.sample_questions import run

TEMPLATES = {"lending": "judge", "loan": "credit", "paper": "paper"}
SHEET = Path(__file__).parent / "review_sheet.toml"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", action="append", default=[])
    parser.add_argument("--model")
    parser.add_argument("--keep", type=Path, help="keep the data folder and the reviews here")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--asked", action="store_true")
    options = parser.parse_args()
    sheet = tomllib.loads(SHEET.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="aipc-reviews-") as folder:
        home = options.keep or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        if options.model:
            run(home, "models", "use", options.model)
        names = {id_: asked_only(home, name) if options.asked else name for id_, name in TEMPLATES.items()}
        for sample in list_samples():
            if not options.sample or sample.id in options.sample:
                add(home, sample)
                for number in range(2 if options.again else 1):
                    name = sample.id if number == 0 else f"{sample.id} again"
                    report(sample, name, review(home, sample, name, names[sample.id]), sheet[sample.id], home)
    return 0


def add(home: Path, sample: Sample) -> None:
    folder = Path(sample.folder)
    if sample.library:
        run(home, "add", "--library", *(str(folder / name) for name in sample.library))
    run(home, "add", "--case", sample.id, *(str(folder / name) for name in sample.documents))


def asked_only(home: Path, template: str) -> str:
    """A user's copy of the template whose items with a question have no look."""
    raw = tomllib.loads((SHIPPED / f"{template}.toml").read_text(encoding="utf-8"))
    for item in (item for section in raw["sections"] for item in section["items"] if "question" in item):
        item.pop("look", None)
    raw["id"] = f"{template}-asked"
    (home / "templates").mkdir(exist_ok=True)
    (home / "templates" / f"{raw['id']}.toml").write_text(tomli_w.dumps(raw), encoding="utf-8")
    return str(raw["id"])


def review(home: Path, sample: Sample, name: str, template: str) -> dict[str, Any]:
    """Under another name it is the same documents in a case without a review."""
    if name != sample.id:
        folder = Path(sample.folder)
        run(home, "add", "--case", name, *(str(folder / document) for document in sample.documents))
    began = time.monotonic()
    (done,) = run(home, "review", "--case", name, "--template", template)
    done["wall_s"] = time.monotonic() - began
    return done


def report(sample: Sample, name: str, done: dict[str, Any], sheet: dict[str, list[str]], home: Path) -> None:
    (home / f"{name}.review.json").write_text(json.dumps(done, ensure_ascii=False, indent=1), encoding="utf-8")
    findings = {finding["item"]: finding for finding in done["findings"]}
    supported = "\n".join(text_of(f) for f in findings.values() if f["status"] == "supported")
    asked = [question for question in sample.questions if question.answerable]
    told = [q for q in asked if all(any(stands(form, supported) for form in forms) for forms in q.key_facts)]
    right, missing, wrong = [], [], []
    for item, facts in sheet.items():
        finding = findings[item]
        if finding["status"] != "supported":
            (right if not facts else missing).append(item)
        elif facts and all(any(stands(form, text_of(finding)) for form in fact.split("|")) for fact in facts):
            right.append(item)
        else:
            wrong.append(item)
            print(f"WRONG {item}: {text_of(finding)[:200]}")
    for item in missing:
        print(f"missing {item}: {findings[item]['status']} {findings[item]['value'][:100]} {findings[item]['reason']}")
    for question in (q for q in asked if q not in told):
        print(f"not told: {question.question}")
    shown = sum(1 for finding in findings.values() if finding["status"] == "supported")
    figures = {
        "sample": name,
        "template": done["template"],
        "model": done["model"],
        "wall_s": round(done["wall_s"], 1),
        "load_s": round(done["timing"]["load_s"], 1),
        "total_s": round(done["timing"]["total_s"], 1),
        "tokens": {key: done["timing"][f"{key}_tokens"] for key in ("prefilled", "restored", "generated")},
        "findings": len(findings),
        "supported": shown,
        "sheet": len(sheet),
        "right": len(right),
        "missing": len(missing),
        "wrong_but_supported": len(wrong),
        "wrong_share_of_supported": round(len(wrong) / max(1, shown), 3),
        "questions_told_by_a_supported_finding": f"{len(told)}/{len(asked)}",
    }
    print(json.dumps(figures, ensure_ascii=False), flush=True)


def text_of(finding: dict[str, Any]) -> str:
    """All that a reader of the finding sees of it, its quotes included."""
    cells = (cell["text"] for row in finding["rows"] for cell in row)
    return "\n".join((finding["value"], *finding["working"], *cells))


if __name__ == "__main__":
    raise SystemExit(main())
