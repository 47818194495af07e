"""The screens of the window, by name."""

from __future__ import annotations

from enum import StrEnum


class Screen(StrEnum):
    """`CASE` is inside Cases, `WELCOME` and `STARTING` have no place in the rail."""

    CASES = "cases"
    LIBRARY = "library"
    MODELS = "models"
    SETTINGS = "settings"
    CASE = "case"
    WELCOME = "welcome"
    STARTING = "starting"


IN_RAIL = ((Screen.CASES, "cases"), (Screen.LIBRARY, "library"), (Screen.MODELS, "models"),
           (Screen.SETTINGS, "settings"))
