"""What the user writes of a document is looked for on its pages."""

from __future__ import annotations

import pytest

from aipc_app.domain.documents import Page, PageState
from aipc_app.domain.fields import FieldName
from aipc_app.ingest.field_places import with_place

PAGES = [
    Page(number=1, text="民事判决书\n（2021）苏0102民初345号\n原告陈国梁，男。", state=PageState.TEXT),
    Page(number=2, text="被告江苏远航\n贸易有限公司。\n二〇二一年六月八日", state=PageState.TEXT),
]


@pytest.mark.parametrize(("name", "value", "page", "said"), [
    (FieldName.TITLE, "民事判决书", 1, "民事判决书"),
    (FieldName.CASE_NUMBER, "（2021）苏0102民初345号", 1, "（2021）苏0102民初345号"),
    (FieldName.PARTY, "原告：陈国梁", 1, "陈国梁"),
    (FieldName.PARTY, "被告：江苏远航贸易有限公司", 2, "江苏远航\n贸易有限公司"),
    (FieldName.DATE, "2021-06-08", 2, "二〇二一年六月八日"),
])  # fmt: skip
def test_a_value_has_its_place_where_a_page_says_it(name: FieldName, value: str, page: int, said: str) -> None:
    field = with_place(name, value, PAGES)
    assert field.page == page and PAGES[page - 1].text[field.start : field.end] == said and field.value == value


@pytest.mark.parametrize(("name", "value"), [
    (FieldName.TITLE, "民事裁定书"), (FieldName.DATE, "2021-06-09"), (FieldName.KIND, "judgment"),
    (FieldName.PARTY, "男"),
])  # fmt: skip
def test_what_no_page_says_has_none(name: FieldName, value: str) -> None:
    field = with_place(name, value, PAGES)
    assert (field.value, field.page, field.start, field.end) == (value, None, None, None)
