"""Draws the pages near what is looked at, and the marks on them."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea

from aipc_app.domain.boxes import Box
from aipc_app.ui.case.viewer.geometry import PageSheet, box_rect, fit_width, page_sizes
from aipc_app.ui.theme.look import Look

_KEPT = 10
_SETTLE_MS = 120
ZOOM_RANGE = (0.25, 4.0)


class PageCanvas(QAbstractScrollArea):
    """`wanted(page, scale)` for a page to be drawn at pixels per point; `page_changed(number)` while scrolling.

    Page numbers count from 1.
    """

    wanted = Signal(int, float)
    page_changed = Signal(int)
    zoom_changed = Signal(float)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.setProperty("kind", "pages")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._sizes: tuple[tuple[float, float], ...] = ()
        self._zoom: float | None = None  # None: fits the width
        self._images: OrderedDict[tuple[int, float], QImage] = OrderedDict()
        self._asked: set[tuple[int, float]] = set()
        self._marks: dict[int, tuple[Box, ...]] = {}
        self._page = 1
        self._sheet = PageSheet((), 1.0, 1.0)
        self._rects: tuple[QRectF, ...] = ()
        self._tops: list[float] = []
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._ask_for_pages)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        look.changed.connect(self.viewport().update)

    @property
    def page(self) -> int:
        """The page that takes most of the view's upper half."""
        return self._page

    @property
    def pages(self) -> int:
        return len(self._sizes)

    @property
    def zoom(self) -> float:
        return self._sheet.zoom

    @property
    def marks(self) -> dict[int, tuple[Box, ...]]:
        return dict(self._marks)

    def show_pages(self, sizes: Sequence[tuple[float, float]]) -> None:
        """Another document: its page sizes in points."""
        self._sizes, self._marks, self._page = page_sizes(sizes), {}, 1
        self._images.clear()
        self._asked.clear()
        self._arrange()
        self.verticalScrollBar().setValue(0)
        self.page_changed.emit(1)
        self._ask_for_pages()

    def take_image(self, page: int, scale: float, image: QImage) -> None:
        """A drawn page; kept while it is among the last used."""
        self._asked.discard((page, scale))
        self._images[page, scale] = image
        while len(self._images) > _KEPT:
            self._images.popitem(last=False)
        self.viewport().update()

    def failed(self, page: int, scale: float) -> None:
        """It could not be drawn; it may be asked for again later."""
        self._asked.discard((page, scale))

    def has_image(self, page: int) -> bool:
        return any(number == page for number, _scale in self._images)

    @property
    def settled(self) -> bool:
        """Everything in view is drawn at its size."""
        scale = self._pixel_scale()
        return not self._settle.isActive() and all((number, scale) in self._images for number in self._near())

    def mark(self, page: int, boxes: tuple[Box, ...]) -> None:
        """Mark these boxes and bring the first into view; none: bring the page into view."""
        self._marks = {page: boxes} if boxes else {}
        self.viewport().update()
        if not 1 <= page <= len(self._rects):
            return
        rect = self._rects[page - 1]
        if boxes:
            spot = box_rect(boxes[0], rect, self._sheet.scale)
            self._scroll_to(spot.left() - 40, spot.top() - self.viewport().height() * 0.3)
        else:
            self._scroll_to(0, rect.top() - 6)

    def go_to(self, page: int) -> None:
        """Bring a page to the top; marks stay."""
        if 1 <= page <= len(self._rects):
            self._scroll_to(0, self._rects[page - 1].top() - 6)

    def set_zoom(self, zoom: float | None) -> None:
        """1.0 for the size on paper, None to fit the width; the page looked at stays."""
        place = self._place_in_page()
        self._zoom = None if zoom is None else min(max(zoom, ZOOM_RANGE[0]), ZOOM_RANGE[1])
        self._arrange()
        self._restore(place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        place = self._place_in_page()
        super().resizeEvent(event)
        self._arrange()
        self._restore(place)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self.zoom * (1.1 if event.angleDelta().y() > 0 else 1 / 1.1))
            event.accept()
        else:
            super().wheelEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        tokens = self._look.tokens
        painter.fillRect(event.rect(), QColor(tokens.page))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        offset = self._offset()
        for number in self._near():
            rect = self._rects[number - 1].translated(-offset)
            self._paint_page(painter, number, rect)

    def _paint_page(self, painter: QPainter, number: int, rect: QRectF) -> None:
        painter.fillRect(rect, QColor("#ffffff"))
        image = self._best_image(number)
        if image is not None and abs(image.width() / self.devicePixelRatioF() - rect.width()) < 2:
            image.setDevicePixelRatio(self.devicePixelRatioF())
            painter.drawImage(rect.topLeft(), image)  # as it was drawn, not scaled by a hair
        elif image is not None:
            image.setDevicePixelRatio(1.0)
            painter.drawImage(rect, image)
        painter.save()
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        for box in self._marks.get(number, ()):
            painter.fillRect(box_rect(box, rect, self._sheet.scale), QColor(self._look.tokens.mark))
        painter.restore()
        painter.setPen(QPen(QColor(self._look.tokens.border_strong), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        marked = self._marks.get(number, ())
        if marked:
            spots = [box_rect(box, rect, self._sheet.scale) for box in marked]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(self._look.tokens.accent))
            left, top = min(spot.left() for spot in spots), min(spot.top() for spot in spots)
            bottom = max(spot.bottom() for spot in spots)
            painter.drawRect(QRectF(left - 7, top, 3, bottom - top))  # the mark does not rest on its colour alone

    def _best_image(self, number: int) -> QImage | None:
        exact = self._images.get((number, self._pixel_scale()))
        if exact is not None:
            return exact
        return next((image for (page, _s), image in reversed(self._images.items()) if page == number), None)

    def _pixel_scale(self) -> float:
        return round(self._sheet.scale * self.devicePixelRatioF(), 3)

    def _arrange(self) -> None:
        view = self.viewport().width()
        zoom = self._zoom if self._zoom is not None else min(fit_width(self._sizes, view), ZOOM_RANGE[1])
        changed = zoom != self._sheet.zoom
        self._sheet = PageSheet(self._sizes, zoom, view)
        self._rects = self._sheet.rects()
        self._tops = [rect.top() for rect in self._rects]
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(int(self._sheet.height) - self.viewport().height(), 0))
        vertical.setPageStep(self.viewport().height())
        vertical.setSingleStep(40)
        horizontal.setRange(0, max(int(self._sheet.width) - view, 0))
        horizontal.setPageStep(view)
        self.viewport().update()
        self._settle.start()
        if changed:
            self.zoom_changed.emit(zoom)

    def _place_in_page(self) -> tuple[int, float]:
        if not self._rects:
            return 1, 0.0
        rect = self._rects[self._page - 1]
        return self._page, (self.verticalScrollBar().value() - rect.top()) / max(rect.height(), 1.0)

    def _restore(self, place: tuple[int, float]) -> None:
        page, part = place
        if 1 <= page <= len(self._rects):
            rect = self._rects[page - 1]
            self.verticalScrollBar().setValue(int(rect.top() + part * rect.height()))

    def _scroll_to(self, left: float, top: float) -> None:
        self.horizontalScrollBar().setValue(int(max(left, 0)))
        self.verticalScrollBar().setValue(int(max(top, 0)))

    def _offset(self) -> QPointF:
        return QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def _near(self) -> list[int]:
        top = self.verticalScrollBar().value()
        bottom = top + self.viewport().height()
        first = max(bisect_right(self._tops, top) - 1, 0)
        last = bisect_right(self._tops, bottom)
        return [i + 1 for i in range(first, last) if self._rects[i].bottom() >= top]

    def _scrolled(self) -> None:
        middle = self.verticalScrollBar().value() + self.viewport().height() * 0.35
        number = max(bisect_right(self._tops, middle), 1)
        if self._rects and number != self._page:
            self._page = number
            self.page_changed.emit(number)
        self.viewport().update()
        self._settle.start()

    def _ask_for_pages(self) -> None:
        scale = self._pixel_scale()
        for number in self._near():
            key = (number, scale)
            if key not in self._images and key not in self._asked:
                self._asked.add(key)
                self.wanted.emit(number, scale)
