"""Pages drawn by the reader for the canvas; what is no longer looked at is not drawn."""

from __future__ import annotations

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from aipc_app.domain.documents import Document
from aipc_app.domain.reader_wire import PageRendered
from aipc_app.operations import documents
from aipc_app.ui.bridge.lanes import Lane
from aipc_app.ui.bridge.running import Running
from aipc_app.ui.case.viewer.bar import ViewerBar
from aipc_app.ui.case.viewer.canvas import PageCanvas
from aipc_app.ui.context import UiContext
from aipc_app.ui.problems import translate_error


class PageDrawing:
    """Draws what the canvas wants of `document`, for as long as `owner` lives; failures are told in the bar."""

    def __init__(self, context: UiContext, owner: QWidget, canvas: PageCanvas, bar: ViewerBar) -> None:
        self._context, self._owner, self._canvas, self._bar = context, owner, canvas, bar
        self._document: Document | None = None
        self._running: dict[tuple[int, float], Running] = {}
        canvas.wanted.connect(self._draw)

    def show_document(self, document: Document | None) -> None:
        """Another one: what is being drawn of the last is stopped."""
        self._document = document
        for running in self._running.values():
            running.cancel()
        self._running.clear()

    def _draw(self, page: int, scale: float) -> None:
        document = self._document
        if document is None:
            return
        for key in [key for key in self._running if key[1] != scale]:
            self._running.pop(key).cancel()
        bridge = self._context.bridge
        self._running[page, scale] = bridge.start(
            documents.render_page(bridge.services, document_id=document.id, page=page, scale=scale), self._owner,
            lane=Lane.DRAW, done=lambda drawn: self._take(document.id, page, scale, drawn),
            failed=lambda error: self._bar.show_problem(translate_error(error, self._context.words).sentence),
            ended=lambda: self._ended(page, scale))

    def _take(self, document_id: int, page: int, scale: float, drawn: PageRendered) -> None:
        if self._document is None or self._document.id != document_id:
            return
        image = QImage(drawn.pixels, drawn.width, drawn.height, drawn.width * 3, QImage.Format.Format_RGB888)
        self._canvas.take_image(page, scale, image.copy())

    def _ended(self, page: int, scale: float) -> None:
        self._running.pop((page, scale), None)
        self._canvas.failed(page, scale)
