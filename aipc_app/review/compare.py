"""Two reviews item by item. Pure."""

from __future__ import annotations

from aipc_app.domain.review import Finding, FindingDifference, Review
from aipc_app.review.look.figures import figure_key
from aipc_app.text.normalise import comparable


def compare(one: Review, other: Review) -> tuple[FindingDifference, ...]:
    """The first review's items in its order, then those that only the second has."""
    items = {item.id: item for item in (*one.template.items, *other.template.items)}
    return tuple(
        FindingDifference(
            item=id_, label=item.label, one=one.finding(id_), other=other.finding(id_),
            same=_same(one.finding(id_), other.finding(id_)),
        )
        for id_, item in items.items()
        if one.finding(id_) or other.finding(id_)
    )  # fmt: skip


def _same(one: Finding | None, other: Finding | None) -> bool:
    """The same state and value; 50万元 and 500,000元 are one value."""
    if one is None or other is None or one.status is not other.status:
        return False
    if comparable(one.shown) == comparable(other.shown):
        return True
    return "\n" not in one.shown + other.shown and figure_key(one.shown) == figure_key(other.shown) != ""
