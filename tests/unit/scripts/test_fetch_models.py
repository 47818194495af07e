"""What a person sees while models are fetched."""

from __future__ import annotations

import pytest
from fetch_models import Terminal, main

from engine.models.assembly import FetchProgress


def progress(stage: str, done: int) -> FetchProgress:
    return FetchProgress(model="little", stage=stage, done_bytes=done, total_bytes=1000, part=1, parts=1)  # type: ignore[arg-type]


def test_in_a_log_there_is_a_line_every_ten_percent(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    for done in (0, 5, 99, 100, 150, 1000):
        terminal(progress("downloading", done))
    terminal(progress("finished", 1000))
    assert capsys.readouterr().out.splitlines() == [
        "    downloading little (0 MB): 0%",
        "    downloading little (0 MB): 10%",
        "    downloading little (0 MB): 100%",
        "    little is there and verified",
    ]


def test_a_model_that_was_there_already_is_not_talked_about(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal()(progress("finished", 1000))
    assert capsys.readouterr().out == ""


def test_a_mistyped_role_is_a_sentence_and_exit_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chat-defualt"]) == 1
    assert "did you mean 'chat-default'" in capsys.readouterr().err
