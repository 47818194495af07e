"""Tokens of servers: kept by the system's keyring where there is one, else until the program ends. Never in a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from aipc_app.log import ENGINE

VARIABLE = "AIPC_SERVER_TOKEN"
_SERVICE = "AIPC"


class Secrets:
    """By the server's origin. Any thread; may block while the system asks for the keyring's password.

    `ask`, where it is set, is asked for a token that nobody knows, once a run; what it says is kept as if entered.
    """

    def __init__(self) -> None:
        self.ask: Callable[[str], str] | None = None
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}

    def token(self, origin: str) -> str:
        """As entered, else as $AIPC_SERVER_TOKEN says, else as the keyring has it, else as asked; "" for none."""
        with self._lock:
            if origin not in self._known:
                self._known[origin] = os.environ.get(VARIABLE) or _from_keyring(origin) or self._asked(origin)
            return self._known[origin]

    def keep(self, origin: str, token: str) -> bool:
        """Use it from now on; "" forgets it. False when there is no keyring: it is asked again after a restart."""
        with self._lock:
            self._known[origin] = token
        return _to_keyring(origin, token)

    def _asked(self, origin: str) -> str:
        entered = self.ask(origin).strip() if self.ask else ""
        if entered:
            _to_keyring(origin, entered)
        return entered


def _from_keyring(origin: str) -> str:
    import keyring  # takes a while, and most never need it
    import keyring.errors

    try:
        return keyring.get_password(_SERVICE, origin) or ""
    except (keyring.errors.KeyringError, OSError) as error:
        ENGINE.info("no token from the keyring: %s", type(error).__name__)
        return ""


def _to_keyring(origin: str, token: str) -> bool:
    import keyring
    import keyring.errors

    try:
        if token:
            keyring.set_password(_SERVICE, origin, token)
        elif keyring.get_password(_SERVICE, origin) is not None:
            keyring.delete_password(_SERVICE, origin)
    except (keyring.errors.KeyringError, OSError) as error:
        ENGINE.info("the token can't be kept: %s", type(error).__name__)
        return False
    return True
