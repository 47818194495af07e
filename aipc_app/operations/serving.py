"""Other programs on this computer may ask the model: OpenAI's protocol on 127.0.0.1, off unless started."""

from __future__ import annotations

import errno
import os
from contextlib import AbstractContextManager, suppress
from pathlib import Path

from msgspec import Struct

from aipc_app.errors import AipcError, StorageError, UserMistake
from aipc_app.operations.models import ensure_loaded
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services
from engine.client.serving import Door
from engine.errors import RequestInvalid
from engine.types.model import LoadedModel

PORT = 8642


class Served(Struct, frozen=True, kw_only=True):
    """What another program needs to ask: its base URL and its key. `answers` were given so far."""

    address: str
    token: str
    port: int
    answers: int = 0


def start_serving(services: Services, *, port: int = PORT) -> Op[Served]:
    """Open the door, or tell of the one that is open; 0 for any free port. Raises UserMistake when the port is taken.

    The model is loaded at the first request. The token is a new one each time.
    """
    return simply("serve", lambda: _start(services, port))


def stop_serving(services: Services) -> Op[None]:
    """Close the door; what is being answered is stopped."""
    return simply("stop serving", services.door.close)


def serving_status(services: Services) -> Op[Served | None]:
    """The open door, None when there is none."""
    return simply("serving", lambda: _served(services.door.door))


def write_token(path: Path, token: str) -> None:
    """For this user's eyes alone. Raises StorageError."""
    try:
        with suppress(FileNotFoundError):
            path.unlink()
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(token + "\n")
    except OSError as error:
        raise StorageError(f"The token can't be written to {path} ({error.strerror}); name another file.") from error


def _start(services: Services, port: int) -> Served:
    def ready() -> LoadedModel:
        try:
            return ensure_loaded(services).run()
        except AipcError as error:
            raise RequestInvalid(error.message) from error

    def asking() -> AbstractContextManager[None]:
        return services.ahead.question(())

    try:
        served = _served(services.door.open(lambda: Door(services.engine, ready, asking, port=port)))
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        why = "is in use by another program" if taken else f"can't be opened ({error.strerror})"
        raise UserMistake(f"Port {port} {why}; choose another port.") from error
    assert served is not None
    return served


def _served(door: Door | None) -> Served | None:
    if door is None:
        return None
    return Served(address=door.address, token=door.token, port=door.port, answers=door.served)
