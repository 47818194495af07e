"""Court fees of property cases (Measures on the Payment of Litigation Costs, State Council order 481, art. 13, 16)."""

from __future__ import annotations

from decimal import Decimal

from aipc_app.review.compute.interest import cents

# (up to this amount, per cent of what lies above the amount before); the first 10,000 cost 50.
_STEPS = (
    (Decimal(10_000), Decimal(0)), (Decimal(100_000), Decimal("2.5")), (Decimal(200_000), Decimal(2)),
    (Decimal(500_000), Decimal("1.5")), (Decimal(1_000_000), Decimal(1)), (Decimal(2_000_000), Decimal("0.9")),
    (Decimal(5_000_000), Decimal("0.8")), (Decimal(10_000_000), Decimal("0.7")), (Decimal(20_000_000), Decimal("0.6")),
)  # fmt: skip
_BASE, _LAST = Decimal(50), Decimal("0.5")


def court_fee(amount: Decimal, *, half: bool = False) -> Decimal:
    """Yuan for a claim of this many yuan; `half` in summary procedure or when settled."""
    fee, before = _BASE, Decimal(0)
    for limit, percent in (*_STEPS, (None, _LAST)):
        above = (amount if limit is None else min(amount, limit)) - before
        if above <= 0:
            break
        fee, before = fee + above * percent / 100, limit if limit is not None else amount
    return cents(fee / 2 if half else fee)
