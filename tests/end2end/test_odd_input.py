"""Odd arguments and a broken home end in one sentence and the promised exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end2end.conftest import Aipc
from tests.end2end.test_command_line import contract


def one_sentence(aipc: Aipc, *arguments: str, status: int = 1, **environment: str) -> str:
    done = aipc.run(*arguments, environment=environment)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("pages", "0"),
        ("pages", "9" * 30),
        ("search", "--library", "x", "-k", "0"),
        ("ask", "--library", "x", "--max-tokens", "-5"),
        ("ask", "--case", "x", "y", "--documents", ""),
    ],
)
def test_numbers_out_of_bounds_are_wrong_usage(aipc: Aipc, arguments: tuple[str, ...]) -> None:
    one_sentence(aipc, *arguments, status=2)


def test_json_may_stand_before_the_verb(aipc: Aipc) -> None:
    assert aipc.run("models", "--json", "list").stdout.startswith('{"models"')


def test_nothing_taken_in_leaves_no_empty_case(aipc: Aipc) -> None:
    one_sentence(aipc, "add", "--case", "Q", "/no/such/file")
    assert aipc.json("cases") == [{"cases": []}]


def test_the_answer_is_utf8_whatever_the_terminal_says(aipc: Aipc, tmp_path: Path) -> None:
    aipc.json("add", "--case", "案件", contract(tmp_path))
    done = aipc.run("documents", "--case", "案件", environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "借款合同.txt" in done.stdout


def test_no_display_is_said_in_a_sentence(aipc: Aipc) -> None:
    said = one_sentence(aipc, DISPLAY="", WAYLAND_DISPLAY="", QT_QPA_PLATFORM="")
    assert "no display" in said


def test_an_empty_question_is_one_sentence(aipc: Aipc) -> None:
    assert "question is empty" in one_sentence(aipc, "ask", "--library", "？？？")
