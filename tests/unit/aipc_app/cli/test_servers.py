"""A server's token is asked for on a terminal, and only where one is wanted."""

from __future__ import annotations

import getpass
import sys
from types import SimpleNamespace
from typing import Any

import keyring.backends.fail
import keyring.core
import pytest

from aipc_app.cli.servers import ask_for_token
from aipc_app.settings.model import Server, Settings
from aipc_app.settings.secrets import VARIABLE, Secrets

ORIGIN = "https://server.example:443"


@pytest.mark.parametrize(
    ("terminal", "with_token", "token"), [(True, True, "sk-typed"), (True, False, ""), (False, True, "")]
)
def test_the_token_of_a_server_that_wants_one_is_asked_for_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, with_token: bool, token: str
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(keyring.core, "get_keyring", keyring.backends.fail.Keyring)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: terminal))
    monkeypatch.setattr(getpass, "getpass", lambda _prompt: "sk-typed")
    services: Any = SimpleNamespace(
        secrets=Secrets(), settings=lambda: Settings(server=Server(enabled=True, with_token=with_token))
    )
    ask_for_token(services)
    assert services.secrets.token(ORIGIN) == token
