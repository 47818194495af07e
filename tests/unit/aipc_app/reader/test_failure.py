"""Every exception becomes a sentence, and the log learns nothing of a document."""

from __future__ import annotations

import logging

import pytest

from aipc_app.reader.failure import FailureKind, ReadingError, failure_of


@pytest.mark.parametrize(
    ("error", "kind", "word"),
    [
        (MemoryError(), FailureKind.LIMIT, "memory"),
        (RecursionError("x"), FailureKind.DAMAGED, "nested"),
        (FileNotFoundError(2, "No such file", "/a/b"), FailureKind.ERROR, "still there"),
        (KeyError("secret name"), FailureKind.ERROR, "could not be read"),
        (ReadingError(FailureKind.PASSWORD, "A sentence."), FailureKind.PASSWORD, "A sentence."),
    ],
)
def test_an_exception_is_a_sentence(error: Exception, kind: FailureKind, word: str) -> None:
    failure = failure_of(error)
    assert failure.kind is kind and word in failure.reason and failure.reason.endswith(".")
    assert "secret" not in failure.reason


def test_the_log_has_the_place_but_not_the_message(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    try:
        raise ValueError("words of the document")
    except ValueError as error:
        failure_of(error)
    assert "ValueError at test_failure.py" in caplog.text
    assert "words" not in caplog.text
