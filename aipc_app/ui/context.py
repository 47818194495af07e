"""What every screen is given."""

from __future__ import annotations

from dataclasses import dataclass

from aipc_app.operations.services import Services
from aipc_app.ui.awake import StayAwake
from aipc_app.ui.bridge.bridge import Bridge
from aipc_app.ui.notices import Notices
from aipc_app.ui.theme.look import Look
from aipc_app.ui.words import Words


@dataclass(frozen=True)
class UiContext:
    """Passed down from the window; there are no globals."""

    bridge: Bridge
    words: Words
    look: Look
    notices: Notices
    awake: StayAwake

    @property
    def services(self) -> Services:
        return self.bridge.services
