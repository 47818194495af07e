"""What the user writes of a page, or has recognised on it, on its way to the store."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from aipc_app.operations import details
from aipc_app.operations.details import ReadText
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.case.viewer.editor import PageEditor
from aipc_app.ui.context import UiContext

Looked = tuple[int, int]  # document and page


class Correcting:
    """`looked_at` says which page is meant, None for none; `stored` is called when its text is."""

    def __init__(
        self, context: UiContext, owner: QWidget, editor: PageEditor,
        looked_at: Callable[[], Looked | None], stored: Callable[[int, int], object],
    ) -> None:
        self._context, self._owner, self._editor = context, owner, editor
        self._looked_at, self._stored = looked_at, stored
        editor.saved.connect(self._store)
        editor.restored.connect(lambda: self._store(None))
        editor.recognise.connect(self._recognise)

    def show_read(self, document_id: int, page: int) -> None:
        """What was read of a page that is corrected stands beside the user's text."""
        bridge = self._context.bridge
        bridge.start(details.read_text(bridge.services, document_id=document_id, page=page), self._owner,
                     done=lambda read: self._show_read((document_id, page), read))

    def _show_read(self, looked: Looked, read: ReadText | None) -> None:
        now = self._looked_at()
        if read is not None and now is not None and now[0] == looked[0]:
            self._editor.show_read(read.text if now == looked else "")

    def _recognise(self) -> None:
        """Read the page from its picture; the text is a suggestion until the user saves it."""
        looked, bridge = self._looked_at(), self._context.bridge
        if looked is None:
            return
        self._editor.recognising(True)
        bridge.start(details.recognise_page(bridge.services, document_id=looked[0], page=looked[1]), self._editor,
                     lane=Lane.WORK, done=lambda text: self._suggest(looked, text),
                     ended=lambda: self._editor.recognising(False))

    def _suggest(self, looked: Looked, text: str) -> None:
        if self._looked_at() == looked:
            self._editor.suggest(text)

    def _store(self, text: str | None) -> None:
        """The page's text as the user wrote it, or as it was read."""
        looked, bridge = self._looked_at(), self._context.bridge
        if looked is None:
            return
        correct = details.correct_page(bridge.services, document_id=looked[0], page=looked[1], text=text)
        bridge.start(correct, self._owner, lane=Lane.WORK, done=lambda _none: self._stored(*looked))
