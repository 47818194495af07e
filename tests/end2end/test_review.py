"""aipc review: the real program on the small model; its engine and itself killed half way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.end2end.conftest import AIPC, Aipc, files

pytestmark = [pytest.mark.model, pytest.mark.long]
NAME = "陈国梁诉赵立新"


@pytest.fixture
def lending(asking: Aipc) -> Aipc:
    """The lending sample's documents and library, indexed."""
    asking.json("add", "--case", NAME, *(str(path) for path in files("lending")))
    asking.json("add", "--library", *(str(path) for path in files("lending", room="library")))
    return asking


def begin(aipc: Aipc) -> subprocess.Popen[str]:
    """A review that prints a line for each finding as it is stored."""
    command = [*AIPC, "--home", str(aipc.home), "review", "--case", NAME, "--template", "judge"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def lines(process: subprocess.Popen[str], wanted: int) -> list[str]:
    """The items of the next findings."""
    assert process.stdout is not None
    return [process.stdout.readline().split(":")[0].split()[-1] for _ in range(wanted)]


def review(aipc: Aipc, *more: str) -> dict[str, Any]:
    (done,) = aipc.json("review", "--case", NAME, "--template", "judge", *more)
    return done


def test_a_review_has_the_fields_of_the_contract_and_quotes_that_are_the_page(lending: Aipc, tmp_path: Path) -> None:
    out = tmp_path / "review.json"
    done = review(lending, "--out", str(out))
    assert json.loads(out.read_text(encoding="utf-8"))["findings"] == done["findings"]
    assert done["template"] == "judge" and done["timing"]["total_s"] > 0
    assert {f["status"] for f in done["findings"]} <= {"supported", "in_doubt", "unsupported", "not_found", "failed"}
    value = {f["item"]: f["value"] for f in done["findings"]}
    assert value["claimed_principal"] == "500,000元" and value["delivered"] == "450,000元"
    assert value["applied_rate"] == "年利率15.4%"
    assert value["account"] == "截至2024年4月16日（不含当日）：本金350,115.66元，未付利息94,688.54元"
    for finding in done["findings"]:
        for citation in finding["citations"][:2]:
            (told,) = lending.json("pages", str(citation["document_id"]), "--page", str(citation["page"]))
            assert told["pages"][0]["text"][citation["start"] : citation["end"]] == citation["quote"]
    markers = {citation["marker"] for citation in done["citations"]}
    assert markers >= {m for section in done["sections"] for s in section["sentences"] for m in s["citations"]}


def test_a_killed_review_goes_on_with_what_is_left(lending: Aipc) -> None:
    process = begin(lending)
    first = lines(process, 12)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    again = lending.run("review", "--case", NAME, "--template", "judge")
    assert again.returncode == 0, again.stderr
    redone = [line.split(":")[0].split()[-1] for line in again.stdout.splitlines() if line[:2] in ("+ ", "- ", "? ")]
    assert not set(first[:-1]) & set(redone)  # the last may have been printed before its commit was seen
    assert len(set(redone)) == len(redone)


def test_a_killed_engine_is_started_again_and_nothing_is_lost(lending: Aipc) -> None:
    process = begin(lending)
    lines(process, 5)
    engines = [
        child for child in psutil.Process(process.pid).children(recursive=True) if "engine" in child.cmdline()[-1:]
    ]
    for engine in engines:
        engine.kill()
    _, errors = process.communicate(timeout=600)
    assert engines and process.returncode == 0, errors
    assert {f["status"] for f in review(lending)["findings"]} <= {"supported", "in_doubt", "unsupported", "not_found"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--case", NAME, "--template", "nope"), "There is no template 'nope'"),
        (("--case", "nobody", "--template", "judge"), "There is no case named 'nobody'"),
        (("--case", NAME, "--template", "judge", "--out", "x.odt"), "ends otherwise"),
    ],
)
def test_mistakes_are_told_in_one_sentence(lending: Aipc, arguments: tuple[str, ...], sentence: str) -> None:
    done = lending.run("review", *arguments, environment={"LANG": "en_US.UTF-8", "LC_ALL": "en_US.UTF-8"})
    assert done.returncode == 1 and sentence in done.stderr and len(done.stderr.strip().splitlines()) == 1
