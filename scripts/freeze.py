"""Writes requirements/constraints.txt: every version now in .venv, as tried together.

Run it after changing a pin in pyproject.toml and testing the result."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = """\
# Every version that was installed together and passed the tests; written by scripts/freeze.py.
# Pins of direct dependencies are in pyproject.toml; pip's own is in pip.txt.
"""
# The project itself, what llama_wheel.py installs by file, and what builds or installs others.
LEFT_OUT = ("aipc", "llama-cpp-python", "pip", "setuptools", "wheel")


def constraints(frozen: Iterable[str]) -> list[str]:
    """Lines `name==version` from those of `pip freeze`, without the marks of local builds (+cpu), sorted."""
    pins = {}
    for line in frozen:
        found = re.fullmatch(r"([A-Za-z0-9._-]+)==([^+\s]+)(\+\S+)?", line.strip())
        if found and (name := re.sub(r"[-_.]+", "-", found[1]).lower()) not in LEFT_OUT:
            pins[name] = f"{name}=={found[2]}"
    return [pins[name] for name in sorted(pins)]


def main() -> int:
    """Rewrites the file."""
    frozen = subprocess.check_output([sys.executable, "-m", "pip", "freeze", "--all"], text=True).splitlines()
    text = HEADER + "\n".join(constraints(frozen)) + "\n"
    (ROOT / "requirements" / "constraints.txt").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
