"""The real program in its own processes, on the small model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from aipc_app import paths
from aipc_app.app import opened
from aipc_app.operations.models import use_model
from aipc_app.operations.services import Services

SAMPLES = paths.assets() / "samples"
AIPC = (sys.executable, "-m", "aipc_app")
TIMEOUT_S = 240


class Aipc:
    """The command line over one home."""

    def __init__(self, home: Path, prefix: tuple[str, ...] = ()) -> None:
        self.home, self.prefix = home, prefix

    def run(self, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """One command to its end."""
        return subprocess.run(
            [*self.prefix, *AIPC, "--home", str(self.home), *arguments],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            env={**os.environ, **(environment or {})},
        )

    def json(self, *arguments: str) -> list[dict[str, Any]]:
        """One command's JSON lines; fails with what it said when it exits otherwise than 0."""
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def aipc(tmp_path: Path) -> Aipc:
    return Aipc(tmp_path / "home")


@pytest.fixture
def asking(aipc: Aipc, small_model: Path) -> Aipc:
    """A home that answers with the small model."""
    aipc.json("models", "use", str(small_model))
    return aipc


@contextmanager
def services_with(home: Path, model: Path) -> Iterator[Services]:
    """Everything in this process, with real children, on the given model."""
    with opened(paths.home(str(home))) as services:
        use_model(services, name=str(model)).run()
        yield services


def files(sample: str, *, room: str = "documents") -> list[Path]:
    return sorted((SAMPLES / sample / room).iterdir())
