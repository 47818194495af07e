"""Fails when the last tests covered less than scripts/coverage_floor.toml asks, or when a floor was lowered.

Reads the .coverage file that pytest left."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FLOOR = "scripts/coverage_floor.toml"
WORTH_RAISING = 1.0


@dataclass(frozen=True)
class Counted:
    """Lines and branches of one package: how many there are, how many were run."""

    package: str
    total: int
    run: int

    @property
    def percent(self) -> float:
        return 100 * self.run / self.total if self.total else 100.0


def parse_floors(text: str) -> dict[str, float]:
    """Floors by package. Raises ValueError when the file says something else."""
    tables = tomllib.loads(text)
    floors = tables.pop("floors", None)
    if tables or not isinstance(floors, dict) or not floors:
        raise ValueError(f"{FLOOR} must hold one table, [floors].")
    for package, percent in floors.items():
        if not isinstance(percent, int | float) or not 0 <= percent <= 100:
            raise ValueError(f"The floor of {package} must be between 0 and 100.")
    return {package: float(percent) for package, percent in floors.items()}


def complaints(floors: Mapping[str, float], counted: Sequence[Counted]) -> list[str]:
    """A sentence for each package under its floor, and for each with no floor or nothing counted."""
    measured = {package.package: package.percent for package in counted}
    texts = [f"{name} has no floor in {FLOOR}." for name in measured if name not in floors]
    for name, floor in floors.items():
        if name not in measured:
            texts.append(f"Nothing was measured for {name}: did the tests run with --cov?")
        elif measured[name] < floor:
            texts.append(f"The tests run {measured[name]:.2f}% of {name}, its floor is {floor:.2f}%.")
    return texts


def lowered(history: Sequence[Mapping[str, float]]) -> list[str]:
    """A sentence for each floor that is lower than an earlier one; `history` runs from the oldest to now."""
    texts = []
    for name in dict.fromkeys(name for floors in history for name in floors):
        highest = max(floors[name] for floors in history if name in floors)
        now = history[-1].get(name, 0.0)
        if now < highest:
            texts.append(f"The floor of {name} fell from {highest:.2f}% to {now:.2f}%; it may only rise.")
    return texts


def count(report: Mapping[str, Any]) -> list[Counted]:
    """Lines and branches of the packages, from the files of coverage's JSON report."""
    packages: dict[str, list[int]] = {}
    for path, file in report["files"].items():
        summary = file["summary"]
        sums = packages.setdefault(PurePath(path).parts[0], [0, 0])
        sums[0] += summary["num_statements"] + summary.get("num_branches", 0)
        sums[1] += summary["covered_lines"] + summary.get("covered_branches", 0)
    return [Counted(package=name, total=total, run=run) for name, (total, run) in sorted(packages.items())]


def last_report() -> dict[str, Any]:
    """What coverage says of the last run. Raises CalledProcessError when there was none."""
    command = [sys.executable, "-m", "coverage", "json", "--quiet", "-o", "-"]
    report: dict[str, Any] = json.loads(subprocess.check_output(command, cwd=ROOT))
    return report


def committed_floors() -> list[dict[str, float]]:
    """The floors of every commit that touched the file, oldest first; none outside a git checkout."""
    commits = _git("log", "--reverse", "--format=%H", "--", FLOOR).split()
    return [parse_floors(_git("show", f"{commit}:{FLOOR}")) for commit in commits]


def _git(*arguments: str) -> str:
    found = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    return found.stdout if found.returncode == 0 else ""


def main() -> int:
    """0 when all floors hold, else 1 with a sentence each."""
    floors = parse_floors((ROOT / FLOOR).read_text(encoding="utf-8"))
    counted = count(last_report())
    for package in counted:
        floor = floors.get(package.package, 0.0)
        advice = "; raise the floor" if package.percent >= floor + WORTH_RAISING else ""
        print(f"{package.package}: {package.percent:.2f}% of lines and branches, floor {floor:.2f}%{advice}")
    texts = complaints(floors, counted) + lowered([*committed_floors(), floors])
    for text in texts:
        print(text, file=sys.stderr)
    return 1 if texts else 0


if __name__ == "__main__":
    sys.exit(main())
