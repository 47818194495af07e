"""For whoever must know what this program sends: how often it tried to reach a network, and the one exception."""

from __future__ import annotations

from msgspec import Struct

from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services
from engine.wire.offline import attempts, attempts_since_start


class OfflineReport(Struct, frozen=True, kw_only=True):
    """Attempts to reach a network, all of them refused. `server`: where text goes because the user chose so."""

    since_start: int
    ever: int
    log: str
    server: str | None


def offline_report(services: Services) -> Op[OfflineReport]:
    """What was counted (engine.wire.offline) by this process and its children."""
    return simply("offline report", lambda: _report(services))


def _report(services: Services) -> OfflineReport:
    log, server = services.home.network_log, services.settings().server
    return OfflineReport(
        since_start=attempts_since_start(log), ever=attempts(log), log=str(log),
        server=server.address if server.enabled else None,
    )  # fmt: skip
