"""What kind of work a task's words ask for, so that a small model is led to it first. Pure.

A model of 1.5 billion parameters that has every tool at hand searches again and again for what it has already read.
"""

from __future__ import annotations

import re

SEARCHES = frozenset(("search_case", "search_library", "list_documents"))  # not once something was worked out
_ALWAYS = frozenset(("read_page", "answer"))
_KINDS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (
        re.compile(r"多少天|几天|天数|相隔|间隔|\bdays\b|how long", re.IGNORECASE),
        frozenset(("days_between", "add_to_date")),
    ),
    (
        re.compile(
            r"合计|总额|总和|总数|相加|加起来|加总|一共|总共|共计|累计|平均|最大|最小|最高|最低"
            r"|\b(?:sum|totals?|add(?:s|ed)? up|altogether|average|mean|largest|smallest|highest|lowest)\b",
            re.IGNORECASE,
        ),
        frozenset(("sum_table", "read_table", "calculate")),
    ),
    (
        re.compile(
            r"相差|差额|差多少|之差|多多少|少多少|高多少|低多少|比率|比例|占比|百分之|增长|下降了|几倍|多少倍"
            r"|\b(?:differ(?:s|ence)?|how many more|how much more|ratio|share|growth|per ?cent|did not|didn't)\b",
            re.IGNORECASE,
        ),
        frozenset(("calculate",)),
    ),
)  # fmt: skip


def first_tools(task: str) -> frozenset[str]:
    """The tools to offer once the task itself was searched for; empty where its words tell nothing."""
    asked = frozenset[str]().union(*(tools for words, tools in _KINDS if words.search(task)))
    return asked | _ALWAYS if asked else asked
