"""The colours of the two themes, by what they are for. Text on its ground has a contrast of at least 4.5."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Tokens:
    """Colours as #rrggbb."""

    dark: bool
    ground: str  # behind everything
    rail: str
    surface: str  # cards, fields, panes
    raised: str  # hover, table heads
    pressed: str
    border: str
    border_strong: str
    text: str
    muted: str
    faint: str  # placeholders, disabled
    accent: str
    accent_hover: str
    accent_soft: str  # selected rows, chips
    on_accent: str
    good: str
    good_soft: str
    warn: str
    warn_soft: str
    bad: str
    bad_soft: str
    mark: str  # highlight over a page
    page: str  # behind drawn pages

    def by_name(self) -> dict[str, str]:
        """For the style sheet."""
        return {name: value for name, value in asdict(self).items() if isinstance(value, str)}


LIGHT = Tokens(
    dark=False,
    ground="#f4f5f8", rail="#e9ecf2", surface="#ffffff", raised="#f0f2f6", pressed="#e3e7ee",
    border="#dde1e8", border_strong="#c3c9d4", text="#1b2130", muted="#566074", faint="#8a93a5",
    accent="#2a56b0", accent_hover="#21478f", accent_soft="#e4ebf9", on_accent="#ffffff",
    good="#1b7048", good_soft="#e0f2e8", warn="#8d5606", warn_soft="#fcf0d9", bad="#b3261e", bad_soft="#fbe6e4",
    mark="#ffd84d", page="#d9dde5",
)

DARK = Tokens(
    dark=True,
    ground="#15181e", rail="#101318", surface="#1c2028", raised="#252a34", pressed="#2e3440",
    border="#2d333f", border_strong="#434b5a", text="#e5e8ee", muted="#a2abbb", faint="#6f7888",
    accent="#7fa7f5", accent_hover="#9bbcfa", accent_soft="#25334f", on_accent="#0f1726",
    good="#6fcf9c", good_soft="#183526", warn="#e8b45c", warn_soft="#3a2d14", bad="#f28b82", bad_soft="#40201e",
    mark="#ffd84d", page="#0d0f13",
)
