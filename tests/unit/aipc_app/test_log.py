"""The log, where there is no room for it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from aipc_app import log

FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no disk that is always full")
def test_a_full_disk_loses_lines_of_the_log_and_nobody_is_shown_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger("aipc"), "propagate", True)  # and back afterwards
    (tmp_path / "aipc.log").symlink_to(FULL)
    handler = log.to_file(tmp_path / "aipc.log")
    log.STORE.error("sqlite: %s", "SQLITE_FULL")
    log.stop(handler)
    assert capsys.readouterr().err == ""
