"""After something was deleted for good: what the model read of it goes too, before the command returns."""

from __future__ import annotations

from aipc_app.cli.output import Output
from aipc_app.operations.remembering import forget_deleted
from aipc_app.operations.services import Services
from engine.errors import EngineError


def forget_now(services: Services, output: Output) -> None:
    """What can't be forgotten now is told, and done when the program starts next."""
    try:
        forget_deleted(services).run()
    except EngineError as error:
        output.error(f"What the model remembers of it is deleted at the next start ({error.message})")
