"""Shows a document: drawn pages or text, at the place a citation rests on."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QStackedWidget

from aipc_app.domain.boxes import span_boxes
from aipc_app.domain.documents import Document, Page, PageState
from aipc_app.operations import documents
from aipc_app.ui.case.viewer.bar import ViewerBar
from aipc_app.ui.case.viewer.canvas import PageCanvas
from aipc_app.ui.case.viewer.correcting import Correcting
from aipc_app.ui.case.viewer.drawing import PageDrawing
from aipc_app.ui.case.viewer.editor import PageEditor
from aipc_app.ui.case.viewer.note import PageNote
from aipc_app.ui.case.viewer.remedies import Remedies
from aipc_app.ui.case.viewer.side import SideBySide
from aipc_app.ui.case.viewer.text_view import TextView
from aipc_app.ui.context import UiContext
from aipc_app.ui.widgets.basics import column
from aipc_app.ui.widgets.empty import EmptyState

NEED_A_LOOK = (PageState.EMPTY, PageState.GARBLED, PageState.FAILED)


def _can_be_recognised(document: Document) -> bool:
    return document.name.lower().endswith((".pdf", ".ofd"))


@dataclass(frozen=True)
class Place:
    """Where to look: a page, and a span of its text in code points if something is to be marked."""

    document_id: int
    page: int = 1
    span: tuple[int, int] | None = None


class ViewerPane(QFrame):
    """`shown(Place)` once the place is on screen."""

    shown = Signal(object)

    def __init__(self, context: UiContext) -> None:
        super().__init__()
        self._context = context
        self.setProperty("kind", "pane")
        self.setMinimumWidth(240)
        self._place: Place | None = None
        self._document: Document | None = None
        self._pages: tuple[Page, ...] = ()
        self._prefer_text = False
        self._beside, self._correct_next = False, False
        self.bar = ViewerBar(context)
        self.note = PageNote(context)
        self.canvas = PageCanvas(context.look)
        self._drawing = PageDrawing(context, self, self.canvas, self.bar)
        self.text = TextView(context.look)
        words, look = context.words, context.look
        self.nothing = EmptyState(words, look, "page", "viewer.nothing", "viewer.nothing_hint")
        self.no_pages = EmptyState(words, look, "warning", "viewer.no_pages", "viewer.no_pages_hint")
        self.editor = PageEditor(context)
        self._correcting = Correcting(context, self, self.editor, self._looked_at, self._text_stored)
        self.side = SideBySide(self.editor)
        self.remedies = Remedies(context, self, self.no_pages)
        self.body = QStackedWidget()
        for widget in (self.nothing, self.canvas, self.text, self.no_pages, self.side):
            self.body.addWidget(widget)
        inside = column(self, gap=0)
        inside.addWidget(self.bar)
        inside.addWidget(self.note)
        inside.addWidget(self.body, 1)
        self.bar.hide()
        self._connect()

    @property
    def place(self) -> Place | None:
        return self._place

    def show_place(self, place: Place) -> None:
        """Open the document if it is another one, go to the page, mark the span."""
        self._place = place
        if self._document is not None and self._document.id == place.document_id and self._pages:
            self._show_page()
            return
        bridge = self._context.bridge
        bridge.start(documents.get_document(bridge.services, document_id=place.document_id), self,
                     done=lambda document: self._take_document(place, document))

    def clear(self) -> None:
        """Show nothing: another case, or the document is gone."""
        self._place, self._document, self._pages = None, None, ()
        self._drawing.show_document(None)
        self.bar.hide()
        self.note.show_page(None)
        self.body.setCurrentWidget(self.nothing)

    def refresh(self, document_id: int) -> None:
        """The document was read again."""
        if self._document is not None and self._document.id == document_id and self._place is not None:
            self._document = None
            self.show_place(self._place)

    def _connect(self) -> None:
        self.canvas.page_changed.connect(self._page_changed)
        self.canvas.zoom_changed.connect(self.bar.show_zoom)
        self.bar.go.connect(self._go)
        self.bar.zoom.connect(self._zoom)
        self.bar.as_text.connect(self._set_prefer_text)
        self.bar.beside.connect(self._set_beside)
        self.note.again.connect(lambda: self.remedies.read_again(self._document))
        self.note.original.connect(lambda: self.remedies.open_original(self._document))
        self.note.correct.connect(self.correct)
        self._context.words.bind(self.canvas, self.canvas.setAccessibleName, "viewer.page_view")
        self._context.words.bind(self.text, self.text.setAccessibleName, "viewer.text_view")

    def _take_document(self, place: Place, document: Document) -> None:
        if place is not self._place:
            return
        bridge = self._context.bridge
        bridge.start(documents.read_pages(bridge.services, document_id=document.id), self,
                     done=lambda pages: self._take_pages(place, document, pages))

    def _take_pages(self, place: Place, document: Document, pages: tuple[Page, ...]) -> None:
        if place is not self._place:
            return
        self._document, self._pages = document, pages
        self._drawing.show_document(document)
        self.bar.show()
        self.bar.show_document(document, len(pages))
        self.bar.show_attention([page.number for page in pages if page.state in NEED_A_LOOK])
        self.remedies.show_document(document)
        if not pages:
            words = self._context.words
            self.note.show_page(None)
            self.no_pages.hint.setText(words.sentence(document.reason) or words("viewer.no_pages_hint"))
            self.body.setCurrentWidget(self.no_pages)
            return
        if document.has_layout:
            self.canvas.show_pages([(page.width, page.height) for page in pages])
        self._show_page()

    @property
    def _drawn(self) -> bool:
        return bool(self._document and self._document.has_layout and not self._prefer_text and not self._beside)

    def _show_page(self) -> None:
        """Fetch the page with its boxes, then show it."""
        place = self._place
        assert place is not None
        bridge = self._context.bridge
        bridge.start(documents.read_pages(
            bridge.services, document_id=place.document_id, page=place.page), self,
            done=lambda pages: self._take_page(place, pages[0]))

    def _take_page(self, place: Place, page: Page) -> None:
        if place is not self._place:
            return
        self._tell_page(page)
        if self._beside:
            self._show_beside(page, place)
        elif self._drawn:
            self._return_canvas()
            self.body.setCurrentWidget(self.canvas)
            boxes = span_boxes(page.boxes, *place.span) if place.span and page.boxes else ()
            self.canvas.mark(page.number, boxes)
            self._tell_marked(self.canvas, page, place)
        else:
            self.body.setCurrentWidget(self.text)
            self.text.show_text((place.document_id, page.number), page.text, place.span)
            self._tell_marked(self.text, page, place)
        self.shown.emit(place)

    def correct(self) -> None:
        """Let the user write the text of the page looked at, beside the page."""
        if self._document is None or not self._pages:
            return
        if self.body.currentWidget() is self.side:
            self.editor.begin()
        else:
            self._correct_next = True
            self.bar.side.setChecked(True)

    def _show_beside(self, page: Page, place: Place) -> None:
        document = self._document
        assert document is not None
        if document.has_layout:
            if self.canvas.parent() is not self.side:
                self.side.take(self.canvas)
            boxes = span_boxes(page.boxes, *place.span) if place.span and page.boxes else ()
            self.canvas.mark(page.number, boxes)
        else:
            self._return_canvas()
        self.body.setCurrentWidget(self.side)
        self._show_editor(document.id, page.number)
        if self._correct_next:
            self._correct_next = False
            self.editor.begin()

    def _show_editor(self, document_id: int, number: int) -> None:
        page = self._pages[number - 1]
        self.editor.show_page(document_id, page)
        document = self._document
        self.editor.allow_recognition(bool(document and document.has_layout and _can_be_recognised(document)))
        self.editor.show_read("")
        if page.corrected:
            self._correcting.show_read(document_id, number)

    @property
    def _number(self) -> int:
        """The page looked at."""
        drawn = self._document is not None and self._document.has_layout and (self._drawn or self._beside)
        return self.canvas.page if drawn else (self._place.page if self._place else 1)

    def _looked_at(self) -> tuple[int, int] | None:
        return None if self._document is None else (self._document.id, self._number)

    def _return_canvas(self) -> None:
        if self.canvas.parent() is self.side:
            self.body.insertWidget(1, self.canvas)

    def _set_beside(self, on: bool) -> None:
        number = self._number
        self._beside = on
        if not on:
            self._return_canvas()
        if self._place is not None and self._pages:
            span = self._place.span if number == self._place.page else None
            self.show_place(Place(self._place.document_id, number, span))

    def _text_stored(self, document_id: int, number: int) -> None:
        self.editor.settled()
        if self._place is not None and self._place.document_id == document_id:
            self._place = Place(document_id, number)
            self.refresh(document_id)

    def _tell_page(self, page: Page) -> None:
        self.bar.show_page(page.number, page.state, page.label)
        self.note.show_page(page)

    def _tell_marked(self, widget: QFrame, page: Page, place: Place) -> None:
        quote = page.text[place.span[0]:place.span[1]] if place.span else ""
        widget.setAccessibleDescription(self._context.words("viewer.marked", quote=quote) if quote else "")

    def _page_changed(self, number: int) -> None:
        if (self._drawn or self._beside) and self._document and 1 <= number <= len(self._pages):
            self._tell_page(self._pages[number - 1])
            if self._beside and self._document.has_layout:
                self._show_editor(self._document.id, number)

    def _go(self, number: int) -> None:
        if self._place is None or not 1 <= number <= len(self._pages):
            return
        if self._drawn or (self._beside and self._document and self._document.has_layout):
            self.canvas.go_to(number)
        else:
            self.show_place(Place(self._place.document_id, number))

    def _zoom(self, step: int) -> None:
        if self._drawn:
            self.canvas.set_zoom(None if step == 0 else self.canvas.zoom * (1.2 if step > 0 else 1 / 1.2))
        elif step:
            (self.text.zoomIn if step > 0 else self.text.zoomOut)(1)

    def _set_prefer_text(self, on: bool) -> None:
        self._prefer_text = on
        if on and self._beside:
            self.bar.side.setChecked(False)
        if self._place is not None:
            page = self.canvas.page if on and self._document and self._document.has_layout else self._place.page
            span = self._place.span if page == self._place.page else None
            self.show_place(Place(self._place.document_id, page, span))
