"""Which installed fonts the window is set in, Latin first, then Chinese in its simplified shapes."""

from __future__ import annotations

import sys

from PySide6.QtGui import QFont, QFontDatabase

_LATIN = {
    "win32": ("Segoe UI",),
    "darwin": (".AppleSystemUIFont",),
}
_LATIN_ELSEWHERE = ("Inter", "Noto Sans", "Cantarell", "Ubuntu", "Noto Sans CJK SC", "DejaVu Sans")
_CHINESE = (
    "Microsoft YaHei UI", "PingFang SC", "Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei",
)


def window_font(points: int) -> QFont:
    """The window's font at a size in points."""
    installed = set(QFontDatabase.families())
    wanted = (*_LATIN.get(sys.platform, _LATIN_ELSEWHERE), *_CHINESE)
    families = list(dict.fromkeys(f for f in wanted if f in installed or f.startswith(".")))
    font = QFont()
    if families:
        font.setFamilies(families[:1] + [f for f in families[1:] if f in _CHINESE])
    font.setPointSize(points)
    return font
