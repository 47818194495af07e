"""The sample cases as the program itself takes them in, with the questions that their documents answer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from aipc_app.bench.retrieval_sets import CaseQuestion
from aipc_app.errors import AipcError
from aipc_app.operations.samples import Sample


def sample_case(folder: Path, sample: Sample) -> tuple[Path, tuple[CaseQuestion, ...]]:
    """A home that has the sample as a case of its id, and its answerable questions. Raises AipcError."""
    home = folder / sample.id
    files = [str(Path(sample.folder) / name) for name in sample.documents]
    added = subprocess.run(
        [sys.executable, "-P", "-m", "aipc_app", "--home", str(home), "add", "--case", sample.id, *files],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if added.returncode:
        raise AipcError(f"The sample case {sample.id} can't be taken in: {added.stderr.strip()[-200:]}")
    questions = tuple(
        CaseQuestion(one.question, one.key_facts, one.documents) for one in sample.questions if one.answerable
    )
    return home, questions
