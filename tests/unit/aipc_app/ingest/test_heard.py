"""How far a file is, told so that the time left can be told from it."""

from __future__ import annotations

import pytest

from aipc_app.domain.documents import Page, PageState
from aipc_app.domain.reader_wire import Opened, PageRead
from aipc_app.ingest.pipeline import Heard


@pytest.mark.parametrize(("seconds_a_page", "share"), [(0.02, 0.5), (3.0, 0.993)])
def test_reading_is_the_part_of_the_job_that_its_time_says(seconds_a_page: float, share: float) -> None:
    """Cutting a page of a thousand characters takes as long as reading it, but nothing beside recognising it."""
    now, told = [0.0], list[float]()
    heard = Heard(told.append, clock=lambda: now[0])
    heard.opened.append(Opened(id=1, pages=10, has_layout=True))
    for number in range(1, 11):
        now[0] += seconds_a_page
        heard.page(PageRead(id=1, page=Page(number=number, text="字" * 1000, state=PageState.TEXT)))
        assert told[-1] == pytest.approx(share * number / 10, abs=0.001)
    heard.cut(0.5)
    heard.cut(1.0)
    assert told[-2:] == [pytest.approx((1 + share) / 2, abs=0.001), 1.0]


def test_it_never_goes_back() -> None:
    """A picture that took long, then pages that are quick."""
    now, told = [0.0], list[float]()
    heard = Heard(told.append, clock=lambda: now[0])
    heard.opened.append(Opened(id=1, pages=4, has_layout=True))
    for seconds, characters in ((5.0, 10), (0.001, 90_000), (0.001, 90_000), (0.001, 90_000)):
        now[0] += seconds
        heard.page(PageRead(id=1, page=Page(number=1, text="字" * characters, state=PageState.TEXT)))
    assert told == sorted(told) and told[-1] < 1.0
