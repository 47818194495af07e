"""A server of the organisation instead of a model here: allow it, use it, hand over its token, come back."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from aipc_app.domain.jobs import Changes
from aipc_app.errors import UserMistake
from aipc_app.operations.models import ensure_loaded
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services
from aipc_app.settings.model import Server, Settings
from engine.client.remote import RemoteEngine
from engine.errors import EngineError, RequestInvalid
from engine.types.model import LoadedModel
from engine.types.remote import Address, RemoteServer, parse_address


class ServerStatus(Struct, frozen=True, kw_only=True):
    """`address` is where text goes, None while everything stays here; `allowed` where it may go at all."""

    address: str | None
    model: str | None
    allowed: tuple[str, ...]


def server_status(services: Services) -> Op[ServerStatus]:
    """Where text of the user's files goes."""
    return simply("server", lambda: _status(services.settings().server))


def allow_server(services: Services, *, address: str, allowed: bool = True) -> Op[ServerStatus]:
    """Put an address on the list of those that text may be sent to, or take it off; one that is used is then left."""
    return simply("allow server", lambda: _allow(services, _address(address), allowed))


def use_server(
    services: Services, *, address: str, model: str | None = None, context_tokens: int | None = None,
    ca_file: str | None = None,
) -> Op[LoadedModel]:  # fmt: skip
    """Answer with a server's model from now on; it is reached and tried at once, and only then chosen.

    Raises UserMistake for an address that is not allowed, EngineError for a server that doesn't do.
    """
    wanted = Server(enabled=True, address=address, model=model, context_tokens=context_tokens, ca_file=ca_file)
    return Op("use server", lambda emit, cancel: _use(services, wanted, emit, cancel))


def use_this_computer(services: Services) -> Op[ServerStatus]:
    """Nothing is sent any more; the model that was chosen here answers again."""
    return simply("use this computer", lambda: _leave(services))


def keep_token(services: Services, *, address: str, token: str) -> Op[bool]:
    """Use this token for the server ("": none). False when this system has no keyring to keep it in."""
    return simply("keep token", lambda: services.secrets.keep(_address(address).origin, token.strip()))


def server_models(services: Services, *, address: str, ca_file: str | None = None) -> Op[tuple[str, ...]]:
    """What models an allowed server offers. Raises UserMistake, EngineError."""
    return simply("server models", lambda: _models(services, address, ca_file))


def server_of(settings: Settings) -> RemoteServer:
    """The server as the engine's client takes it. Raises RequestInvalid while none is to be used."""
    chosen = settings.server
    if not chosen.enabled or chosen.address is None:
        raise RequestInvalid("No server is to be used; choose one in the settings, or a model on this computer.")
    return _as_remote(chosen)


def _status(server: Server) -> ServerStatus:
    used = server.address if server.enabled else None
    return ServerStatus(address=used, model=server.model if used else None, allowed=server.allowed)


def _allow(services: Services, address: Address, allowed: bool) -> ServerStatus:
    server = services.settings().server
    others = tuple(one for one in server.allowed if parse_address(one).origin != address.origin)
    if not allowed and server.enabled and server.address and parse_address(server.address).origin == address.origin:
        _leave(services)
        server = services.settings().server
    return _save(services, replace(server, allowed=(*others, address.origin) if allowed else others))


def _use(services: Services, wanted: Server, emit, cancel) -> LoadedModel:  # type: ignore[no-untyped-def]
    before = services.settings().server
    address = _address(wanted.address or "")
    server = replace(wanted, address=address.url, allowed=before.allowed)
    _check(server, address)
    _save(services, server)
    try:
        services.engine.unload()
        model = ensure_loaded(services).run(emit, cancel)
        _save(services, replace(server, with_token=bool(services.secrets.token(address.origin))))
    except BaseException:
        _save(services, replace(before, enabled=before.enabled and before.address == server.address))
        raise
    services.changes.publish(Changes(models=True))
    return model


def _leave(services: Services) -> ServerStatus:
    server = services.settings().server
    if server.enabled:
        services.engine.unload()
    return _save(services, replace(server, enabled=False))


def _models(services: Services, address: str, ca_file: str | None) -> tuple[str, ...]:
    where = _address(address)
    server = Server(address=where.url, allowed=services.settings().server.allowed, ca_file=ca_file)
    _check(server, where)
    client = RemoteEngine(lambda: _as_remote(server), services.secrets.token)
    try:
        return client.models()
    finally:
        client.close()


def _check(server: Server, address: Address) -> None:
    try:
        _as_remote(server).check(address)
    except EngineError as error:
        raise UserMistake(error.message) from error


def _address(text: str) -> Address:
    try:
        return parse_address(text)
    except EngineError as error:
        raise UserMistake(error.message) from error


def _as_remote(server: Server) -> RemoteServer:
    return RemoteServer(
        address=server.address or "", allowed=server.allowed, model=server.model or "",
        context_tokens=server.context_tokens, ca_file=server.ca_file or "",
    )  # fmt: skip


def _save(services: Services, server: Server) -> ServerStatus:
    services.settings.replace(replace(services.settings(), server=server))
    services.changes.publish(Changes(settings=True, models=True))
    return _status(server)
