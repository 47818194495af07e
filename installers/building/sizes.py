"""How much of the disk each component takes, the largest first."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

_SHOWN = 14


def by_component(tree: Path) -> Counter[str]:
    """Bytes by package of site-packages, and by folder for the rest."""
    found: Counter[str] = Counter()
    counted: set[int] = set()
    for path in tree.rglob("*"):
        if path.is_file() and path.stat().st_ino not in counted:
            counted.add(path.stat().st_ino)
            found[_component(path.relative_to(tree).parts)] += path.stat().st_size
    return found


def _component(parts: tuple[str, ...]) -> str:
    if "site-packages" in parts:
        name = parts[parts.index("site-packages") + 1]
        return {"bin": "llama_cpp", "lib": "llama_cpp", "include": "llama_cpp"}.get(name, name.removesuffix(".libs"))
    if parts[0] == "python":
        return "python" if parts[2].startswith("python3") or parts[1] == "bin" else "python's libraries"
    return parts[0]


def table(tree: Path) -> str:
    """One line a component in MB."""
    found = by_component(tree)
    largest = found.most_common(_SHOWN)
    rest = found.total() - sum(size for _, size in largest)
    lines = [f"  {size / 1e6:8.1f} MB  {name}" for name, size in [*largest, ("all the rest", rest)]]
    return "\n".join([*lines, f"  {found.total() / 1e6:8.1f} MB  in all"])
