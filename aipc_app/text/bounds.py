"""Is a figure the least or the most that may be: 五千元以上, 不低于1.20, at most ten days. Pure."""

from __future__ import annotations

import re
from enum import StrEnum

from aipc_app.text.normalise import settled

_REACH = 12  # characters before or behind a figure in which its bound stands
# 低于 and 高于 alone compare two figures and bound neither: they are left out.
_LEAST_BEFORE = (
    r"不低于|不少于|不小于|不得低于|不得少于|至少|最低|最少|不短于|at least|no less than|not less than|minimum of"
)
_MOST_BEFORE = (
    r"不高于|不超过|不大于|不多于|不得高于|不得超过|至多|最高|最多|不长于|at most|no more than|not more than|up to"
    r"|not exceed(?:ing)?|not exceeds?|maximum of"
)
_LEAST_BEHIND = r"以上|or more|or above|or longer"
_MOST_BEHIND = r"以下|以内|or less|or below|or fewer"
_BEFORE = re.compile(rf"(?:(?P<least>{_LEAST_BEFORE})|(?P<most>{_MOST_BEFORE}))[^,，。;；、\d]{{0,6}}$", re.IGNORECASE)
_BEHIND = re.compile(rf"^[^,，。;；、\d]{{0,3}}?(?:(?P<least>{_LEAST_BEHIND})|(?P<most>{_MOST_BEHIND}))", re.IGNORECASE)


class Bound(StrEnum):
    LEAST = "least"
    MOST = "most"


def bound_of(text: str, start: int, end: int) -> Bound | None:
    """What the words beside the figure at `start`:`end` make it; None if they leave it a plain figure."""
    before = _BEFORE.search(settled(text[max(0, start - _REACH) : start]))
    behind = _BEHIND.match(settled(text[end : end + _REACH]))
    found = before or behind
    return Bound(found.lastgroup) if found is not None and found.lastgroup else None
