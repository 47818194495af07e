"""How much a law weighs before anybody asks: codes before laws, laws before interpretations and regulations.

Most questions are answered by the basic laws, which are few among all the articles of a large library; the many
regulations for one trade share their words. By a library's own titles alone, so that it holds for any library.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from aipc_app.domain.documents import Passage
from aipc_app.search.laws import HEADING_SEPARATOR, comparable

CODE, LAW, INTERPRETATION, OTHER = 1.0, 0.67, 0.25, 0.0  # chosen with the weight in fuse.py, on half of the questions
SUPERSEDED = -0.5  # where a newer version of the same article was found too
_HAN = re.compile("[\u3400-\u9fff]")
_CODE = re.compile(r"(?:法典|刑法)(?:典|$)|法典")
_LAW = re.compile(r"(?<!办)法$")
_COURTS = re.compile(r"最高人民(?:法院|检察院)|司法解释")
_DATED = re.compile(r"[(（](?P<day>\d{4}(?:-\d{1,2}-\d{1,2})?)[^()（）]*[)）]")


def authority(passages: Sequence[Passage], library: frozenset[int]) -> Mapping[int, float]:
    """By passage id, from -0.5 to 1. What is no document of the library is nobody's subordinate: 1."""
    newest = _newest(passages)
    return {
        passage.id: _of(passage, newest) if passage.document_id in library else CODE for passage in passages
    }


def _of(passage: Passage, newest: Mapping[tuple[str, str], str]) -> float:
    rank = rank_of(_title(passage))
    version = newest.get((_title(passage), passage.article or ""), "")
    return rank + SUPERSEDED if version > day_of(passage.document) else rank


@lru_cache(maxsize=4096)
def rank_of(title: str) -> float:
    """Of a law's name, without spaces and version. Names in other scripts say nothing: all alike."""
    if not _HAN.search(title):
        return LAW
    if _COURTS.search(title):
        return INTERPRETATION
    if _CODE.search(title):
        return CODE
    return LAW if _LAW.search(title) else OTHER


def _newest(passages: Sequence[Passage]) -> dict[tuple[str, str], str]:
    """The latest version of each article among these, by the day in the file's name."""
    found: dict[tuple[str, str], str] = {}
    for passage in passages:
        if passage.article and (day := day_of(passage.document)):
            key = (_title(passage), passage.article)
            found[key] = max(day, found.get(key, ""))
    return found


def _title(passage: Passage) -> str:
    return _comparable(passage.heading.split(HEADING_SEPARATOR)[0] if passage.heading else passage.document)


@lru_cache(maxsize=4096)
def _comparable(name: str) -> str:
    return comparable(name.rpartition("/")[2].removesuffix(".md").removesuffix(".txt"))


@lru_cache(maxsize=4096)
def day_of(document: str) -> str:
    """The day in the file's name, 2023-12-29; "" if there is none."""
    found = _DATED.search(document)
    return found["day"] if found else ""
