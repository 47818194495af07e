"""What is missing of a document, in a sentence."""

from __future__ import annotations

import pytest

from aipc_app.domain.documents import PageState, PassageDraft
from aipc_app.ingest.passages import index_passage
from aipc_app.ingest.pipeline import gaps


@pytest.mark.parametrize(
    ("states", "pages", "passages", "sentence"),
    [
        ({}, 3, 4, None),
        ({PageState.OCR: (1, 2)}, 3, 4, None),
        ({PageState.EMPTY: (3, 7)}, 14, 9, "2 of 14 pages have no text: 3, 7."),
        ({PageState.EMPTY: (1,)}, 1, 0, "1 of 1 page has no text: 1. Nothing of it can be asked."),
        ({PageState.FAILED: range(2, 9), PageState.GARBLED: (1,)}, 9, 1,
         "1 of 9 pages is garbled: 1. 7 of 9 pages could not be read: 2-8."),
        ({PageState.EMPTY: range(1, 100, 2)}, 100, 50,
         "50 of 100 pages have no text: 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 …."),
        ({}, 0, 0, "The file has no pages."),
        ({}, 1, 0, "Nothing of it can be asked."),
    ],
)  # fmt: skip
def test_gaps_name_the_pages(
    states: dict[PageState, tuple[int, ...]], pages: int, passages: int, sentence: str | None
) -> None:
    assert gaps(states, pages, passages) == sentence


def test_a_passage_is_found_by_its_headings_words_but_states_only_its_own_facts() -> None:
    text = "借款人应当支付利息五万元。"
    draft = PassageDraft(
        page=1, start=0, end=len(text), text=text, heading="第二章 2021年3月5日的约定", article="第六百八十条"
    )
    indexed = index_passage(draft)
    assert "约定" in indexed.tokens.split(" ")
    assert ("article", "680") in indexed.facts and ("figure", "50000") in indexed.facts
    assert not any(kind == "date" for kind, _ in indexed.facts)
