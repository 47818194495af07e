"""The articles that found articles refer to: 依照本法第六百八十条 is read together with that article."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aipc_app.domain.documents import Passage
from aipc_app.store import Store

_NUMBER = r"第[一二三四五六七八九十百千零〇两\d]{1,12}条(?:之[一二三四五六七八九十\d]{1,3})?"
_PART = r"(?:第[^第条、，。；]{1,6}[款项目])*"
_OWN = re.compile(
    rf"本(?:法|法典|条例|解释|规定|办法|规则|细则)(?P<list>{_NUMBER}{_PART}(?:(?:、|和|及|以及|或者|至|到){_NUMBER}{_PART})*)"
)
_EACH = re.compile(_NUMBER)
_MOST = 8


def referred(store: Store, passages: Sequence[Passage], limit: int = _MOST) -> tuple[Passage, ...]:
    """Articles of the same law that these articles name, first those of the first; none that is among them.

    Raises StorageError.
    """
    there = {passage.id for passage in passages}
    found: dict[int, Passage] = {}
    for passage in passages:
        labels = references(passage.text) if passage.article else ()
        for one in store.passages.of_articles(passage.document_id, labels) if labels else ():
            if one.id not in there:
                found.setdefault(one.id, one)
        if len(found) >= limit:
            break
    return tuple(found.values())[:limit]


def references(text: str) -> tuple[str, ...]:
    """The articles of its own law that a text names, as they are written there, each once."""
    bare = re.sub(r"\s", "", text)
    return tuple(dict.fromkeys(label for match in _OWN.finditer(bare) for label in _EACH.findall(match["list"])))
