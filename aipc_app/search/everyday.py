"""What lay people say, and what statutes call it: 房东 is 出租人. The library is searched by the words of both.

The words are in everyday.toml; of those that stand in a question, the longest first.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

MOST_ADDED = 6  # words; more would drown what was asked


def legal_words(query: str) -> tuple[str, ...]:
    """The words of statutes for what a question says, in the question's order, each once; none that stand in it."""
    found = (word for match in _SAID.finditer(query) for word in _LEGAL[match[0]])
    return tuple(dict.fromkeys(word for word in found if word not in query))[:MOST_ADDED]


def _words() -> dict[str, tuple[str, ...]]:
    raw = tomllib.loads((Path(__file__).parent / "everyday.toml").read_text(encoding="utf-8"))
    return {said: tuple(legal) for said, legal in raw.items()}


_LEGAL = _words()
_SAID = re.compile("|".join(sorted(map(re.escape, _LEGAL), key=lambda word: (-len(word), word))))
