"""A review's questions together, as branches over one prefix, against one after another: time and findings.

    python -m tests.bench.review_branches [--sample paper] [--model NAME] [--keep DIR]

In one process over one load of the model. A first review, not counted, reads the documents, so that both ways find
them remembered. Prints one object: seconds of each way, how often they are told, and the items whose findings differ.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from pathlib import Path

from aipc_app import paths
from aipc_app.app import opened
from aipc_app.domain.review import Finding, Review, Template
from aipc_app.operations.asking import prepare_search
from aipc_app.operations.cases import find_case
from aipc_app.operations.models import ensure_loaded, use_model
from aipc_app.operations.samples import list_samples
from aipc_app.operations.services import Services
from aipc_app.review import branches
from aipc_app.review.templates import shipped_templates
from engine.types.model import LoadedModel
from tests.bench.review_samples import TEMPLATES, add
from tests.bench.sample_questions import run

TOGETHER = branches.MOST_TOGETHER


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", default="paper", choices=sorted(TEMPLATES))
    parser.add_argument("--model", default="qwen2.5-coder-0.5b-instruct")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aipc-branches-") as folder:
        home = options.keep or Path(folder)
        home.mkdir(parents=True, exist_ok=True)
        if not any(case["case"] == options.sample for found in run(home, "cases") for case in found["cases"]):
            add(home, next(sample for sample in list_samples() if sample.id == options.sample))
        template = next(one for one in shipped_templates() if one.id == TEMPLATES[options.sample])
        with opened(paths.home(str(home))) as services:
            use_model(services, name=options.model).run()
            print(json.dumps(compare(services, options.sample, template), ensure_ascii=False))
    return 0


def compare(services: Services, sample: str, template: Template) -> dict[str, object]:
    """Both ways, in turn, after one that is not counted."""
    case = find_case(services, name=sample).run()
    model = ensure_loaded(services).run()
    prepare_search(services).run()
    ways = [review(services, case.id, template, model, most) for most in (TOGETHER, TOGETHER, 1)]
    (_, _), (together, together_s), (alone, alone_s) = ways
    different = [one.item for one in together.findings if not same(one, alone.finding(one.item))]
    asked = [one.item for one in together.findings if one.seconds > 0]
    return {
        "sample": sample,
        "model": model.name,
        "items": len(together.findings),
        "asked_of_the_model": len(asked),
        "together_s": round(together_s, 1),
        "one_by_one_s": round(alone_s, 1),
        "times_faster": round(alone_s / together_s, 2),
        "tokens_together": tokens(together),
        "tokens_one_by_one": tokens(alone),
        "equal_findings": len(together.findings) - len(different),
        "different": {
            item: [f"{f.status}: {f.value}" for f in (together.finding(item), alone.finding(item)) if f is not None]
            for item in different
        },
    }


def review(
    services: Services, case_id: int, template: Template, model: LoadedModel, most: int
) -> tuple[Review, float]:
    """A review from nothing, and its seconds."""
    branches.MOST_TOGETHER = most
    language = "en" if template.id == "paper" else "zh"
    begun = services.store.reviews.create(case_id, template, language=language, model=model.name, documents=())
    began = time.monotonic()
    done = services.reviews.run(begun, model, lambda _event: None, threading.Event())
    return done, time.monotonic() - began


def same(one: Finding, other: Finding | None) -> bool:
    return other is not None and (one.status, one.value) == (other.status, other.value)


def tokens(done: Review) -> dict[str, int]:
    timing = done.timing
    return {
        "prefilled": timing.prefilled_tokens, "restored": timing.restored_tokens, "generated": timing.generated_tokens,
    }  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
