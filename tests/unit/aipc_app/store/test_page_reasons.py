"""Why a page needs a look, and how sure its recognition was, outlive the program."""

from __future__ import annotations

from aipc_app.domain.documents import LIBRARY_ID, DocumentStatus, Page, PageState
from aipc_app.paths import Home
from aipc_app.store import Store
from tests.unit.aipc_app.store.conftest import Filler


def test_the_reason_and_the_certainty_of_a_page_are_kept(home: Home, store: Store, fill: Filler) -> None:
    document = fill.document(LIBRARY_ID)
    pages = [
        Page(number=1, text="原告", state=PageState.OCR, problem="no text layer", confidence=0.9876),
        Page(number=2, text="被告", state=PageState.TEXT),
    ]
    store.documents.save_read(
        document.id, pages=pages, passages=[], status=DocumentStatus.INDEXED, reason=None, has_layout=False
    )
    store.close()
    again = Store.open(home)
    try:
        kept = again.documents.pages(document.id)
        assert [(page.problem, page.confidence) for page in kept] == [("no text layer", 0.9876), ("", None)]
        assert again.documents.page(document.id, 1).confidence == 0.9876
    finally:
        again.close()
