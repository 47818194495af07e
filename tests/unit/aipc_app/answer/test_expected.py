"""What was expected of an answer stands in it as a value or as text, never as a part of a longer figure."""

from __future__ import annotations

import pytest

from aipc_app.answer.expected import stands


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("3.4", "the mean is 3.4."), ("50万元", "借款人民币500,000元"), ("872", "三年合计872.00万元"),
        ("306", "2023年306万元"), ("60,000", "付款60,000元"), ("shade", "more shade"), ("2.1", "Comfort 33.4 2.1"),
        ("190,000", "100,000、190,000"),
    ],
)  # fmt: skip
def test_it_stands(wanted: str, text: str) -> None:
    assert stands(wanted, text)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("3.4", "the mean is 33.4"), ("1.3", "a difference of 31.3"), ("60,000", "付款160,000元"),
        ("2.1", "it is 2.15"), ("306", "共1,306万元"), ("4", "it is 3.4"), ("50万元", "借款550,000元"),
        ("shade", "no trees"),
    ],
)  # fmt: skip
def test_it_does_not_stand(wanted: str, text: str) -> None:
    assert not stands(wanted, text)
