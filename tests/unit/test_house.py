"""The map is complete: every module is in a room that the import contracts know."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_LINES = 600


def modules() -> list[str]:
    files = [*ROOT.glob("aipc_app/**/*.py"), *ROOT.glob("engine/**/*.py")]
    return [".".join(f.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for f in files]


def contracts() -> list[dict[str, object]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(project["tool"]["importlinter"]["contracts"])


def test_every_module_lies_in_a_room_of_the_import_contracts() -> None:
    rooms: set[str] = {"aipc_app", "engine"}
    for contract in contracts():
        for key in ("layers", "source_modules", "forbidden_modules"):
            for entry in contract.get(key, ()):  # type: ignore[attr-defined]
                rooms |= {part.strip() for part in str(entry).split("|")}
    lost = [m for m in modules() if not any(m == r or (r.count(".") and m.startswith(r + ".")) for r in rooms)]
    assert lost == []


def test_no_module_holds_more_than_it_should() -> None:
    long = {
        str(f.relative_to(ROOT)): n
        for f in [*ROOT.glob("aipc_app/**/*.py"), *ROOT.glob("engine/**/*.py")]
        if (n := len(f.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }
    assert long == {}
