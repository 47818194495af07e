"""The coverage floor holds and only rises."""

from __future__ import annotations

import coverage_floor
import pytest
from coverage_floor import Counted, complaints, count, lowered, parse_floors


def file(lines: int, run: int, branches: int = 0, run_branches: int = 0) -> dict[str, dict[str, int]]:
    return {
        "summary": {
            "num_statements": lines,
            "covered_lines": run,
            "num_branches": branches,
            "covered_branches": run_branches,
        }
    }


def test_lines_and_branches_are_summed_by_package() -> None:
    report = {"files": {"engine/a.py": file(10, 5, 4, 1), "engine/b/c.py": file(6, 6), "aipc_app/d.py": file(1, 1)}}
    assert count(report) == [Counted("aipc_app", 1, 1), Counted("engine", 20, 12)]
    assert count(report)[1].percent == 60.0


def test_a_package_under_its_floor_fails_and_one_on_it_does_not() -> None:
    assert complaints({"engine": 60.0}, [Counted("engine", 20, 12)]) == []
    assert "floor is 60.01%" in complaints({"engine": 60.01}, [Counted("engine", 20, 12)])[0]


def test_a_package_nobody_measured_or_without_a_floor_fails() -> None:
    assert "Nothing was measured for engine" in complaints({"engine": 0.0}, [])[0]
    assert "engine has no floor" in complaints({}, [Counted("engine", 1, 1)])[0]


def test_a_floor_may_rise_and_not_fall() -> None:
    assert lowered([{"engine": 50.0}, {"engine": 60.0}]) == []
    assert lowered([{"engine": 50.0}, {"engine": 60.0}, {"engine": 55.0}]) == [
        "The floor of engine fell from 60.00% to 55.00%; it may only rise."
    ]
    assert lowered([{"engine": 50.0}, {"aipc_app": 60.0}]) != []


@pytest.mark.parametrize("text", ["", "[floors]\n", "[floors]\nengine = 101\n", "[floor]\nengine = 1\n"])
def test_a_file_that_says_something_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_floors(text)


def test_the_shipped_floors_are_readable() -> None:
    text = (coverage_floor.ROOT / coverage_floor.FLOOR).read_text(encoding="utf-8")
    assert set(parse_floors(text)) == {"aipc_app", "engine"}
