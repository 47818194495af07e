"""Numbers as people read them."""

from __future__ import annotations


def memory(size: int) -> str:
    """Bytes in binary units: 1.2 GiB, 640 MiB, 12 KiB."""
    if size >= 1 << 30:
        return f"{size / (1 << 30):.1f} GiB"
    if size >= 1 << 20:
        return f"{size / (1 << 20):.0f} MiB"
    return f"{max(size / 1024, 0):.0f} KiB"


def seconds(value: float) -> str:
    """0.4 s, 12 s, 3 min 05 s."""
    if value < 10:
        return f"{value:.1f} s"
    if value < 120:
        return f"{value:.0f} s"
    return f"{int(value) // 60} min {int(value) % 60:02d} s"


def roughly(value: float) -> str:
    """An estimate, no finer than it is known: 5 s, 40 s, 3 min, 1 h 20 min."""
    if value < 60:
        return f"{max(int(value / 5 + 0.5) * 5, 5)} s"
    if value < 3600:
        return f"{int(value / 60 + 0.5)} min"
    minutes = int(value / 600 + 0.5) * 10
    return f"{minutes // 60} h {minutes % 60:02d} min"
