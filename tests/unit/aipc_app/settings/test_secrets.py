"""A server's token is kept by the system, or asked again; never in a file of ours."""

from __future__ import annotations

from collections.abc import Iterator

import keyring
import keyring.backend
import keyring.backends.fail
import keyring.errors
import pytest

from aipc_app.settings.secrets import VARIABLE, Secrets

ORIGIN = "https://server.example:443"


class InMemory(keyring.backend.KeyringBackend):
    """As a desktop's keyring does."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def with_keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemory]:
    monkeypatch.delenv(VARIABLE, raising=False)
    before, made = keyring.get_keyring(), InMemory()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def test_it_outlives_the_program_where_there_is_a_keyring(with_keyring: InMemory) -> None:
    assert Secrets().keep(ORIGIN, "sk-1")
    assert Secrets().token(ORIGIN) == "sk-1" and Secrets().token("https://other:443") == ""
    assert Secrets().keep(ORIGIN, "")
    assert Secrets().token(ORIGIN) == "" and with_keyring.kept == {}


def test_without_a_keyring_it_lasts_as_long_as_the_program(with_keyring: InMemory) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    secrets = Secrets()
    assert not secrets.keep(ORIGIN, "sk-1")
    assert secrets.token(ORIGIN) == "sk-1" and Secrets().token(ORIGIN) == ""


def test_a_locked_keyring_is_no_crash(with_keyring: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_: str) -> None:
        raise keyring.errors.KeyringLocked

    monkeypatch.setattr(with_keyring, "get_password", locked)
    assert Secrets().token(ORIGIN) == ""


def test_the_environment_can_give_it(with_keyring: InMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "sk-env")
    assert Secrets().token(ORIGIN) == "sk-env" and with_keyring.kept == {}


def test_what_nobody_knows_is_asked_once_and_kept(with_keyring: InMemory) -> None:
    asked: list[str] = []
    secrets = Secrets()
    secrets.ask = lambda origin: asked.append(origin) or " sk-typed\n"  # type: ignore[func-returns-value]
    assert secrets.token(ORIGIN) == secrets.token(ORIGIN) == "sk-typed" and asked == [ORIGIN]
    assert Secrets().token(ORIGIN) == "sk-typed"  # the next run has it from the keyring
    again = Secrets()
    again.ask = secrets.ask
    assert again.token(ORIGIN) == "sk-typed" and asked == [ORIGIN]
