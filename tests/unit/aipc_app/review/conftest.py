from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.paths import Home
from aipc_app.text import tokens


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    tokens.configure(made.caches)
    return made
