"""Line icons from assets/icons, drawn in a theme's colour at any scale."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from aipc_app import paths


class _TintedEngine(QIconEngine):
    """Draws one SVG; disabled icons are drawn fainter."""

    def __init__(self, renderer: QSvgRenderer) -> None:
        super().__init__()
        self._renderer = renderer

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        painter.save()
        if mode == QIcon.Mode.Disabled:
            painter.setOpacity(0.4)
        self._renderer.render(painter, QRectF(rect))
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        pixmap = QPixmap(size)
        if pixmap.isNull():  # a button squeezed to nothing
            return pixmap
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return pixmap

    def clone(self) -> QIconEngine:
        return _TintedEngine(self._renderer)


class Icons:
    """Icons by name and colour; each file is read once."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._renderers: dict[tuple[str, str], QSvgRenderer] = {}

    def renderer(self, name: str, colour: str) -> QSvgRenderer:
        """For painting by hand."""
        key = (name, colour)
        if key not in self._renderers:
            svg = self._source(name).replace("currentColor", colour)
            self._renderers[key] = QSvgRenderer(QByteArray(svg.encode()))
        return self._renderers[key]

    def icon(self, name: str, colour: str) -> QIcon:
        return QIcon(_TintedEngine(self.renderer(name, colour)))

    def paint(self, painter: QPainter, name: str, colour: str, rect: QRectF) -> None:
        self.renderer(name, colour).render(painter, rect)

    def _source(self, name: str) -> str:
        if name not in self._sources:
            self._sources[name] = (paths.assets() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
        return self._sources[name]
