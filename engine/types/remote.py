"""A server of the organisation that answers in the place of a model on this computer."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from msgspec import Struct

from engine.errors import RequestInvalid

_SCHEMES = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
_NO_ADDRESS = "'{text}' is no address of a server; write it like https://server.example:8000/v1."


class Address(Struct, frozen=True):
    """Where a server is. `path` is the beginning of each path, "/v1" where none was given."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """Scheme, host and port: what is allowed or not."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def url(self) -> str:
        return self.origin + self.path

    @property
    def encrypted(self) -> bool:
        return self.scheme == "https"

    @property
    def local(self) -> bool:
        """On this computer itself."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


class RemoteServer(Struct, frozen=True, kw_only=True):
    """A server as the settings name it. `allowed`: the addresses the user allows text to be sent to.

    `model` "" for the only one it has; `context_tokens` for servers that don't tell; `ca_file` holds the certificate of
    the organisation's own authority, "" for the system's.
    """

    address: str
    allowed: tuple[str, ...] = ()
    model: str = ""
    context_tokens: int | None = None
    ca_file: str = ""

    def reachable(self) -> Address:
        """The address. Raises RequestInvalid when it is none, or is not allowed."""
        address = parse_address(self.address)
        self.check(address)
        return address

    def check(self, address: Address) -> None:
        """Raises RequestInvalid when text may not be sent there."""
        if address.origin not in {parse_address(text).origin for text in self.allowed}:
            raise RequestInvalid(
                f"{address.origin} is not on the list of allowed servers; add it there in the settings if text of your "
                "files may be sent to it."
            )


def parse_address(text: str) -> Address:
    """An http or https address without user, query or fragment. Raises RequestInvalid."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as error:
        raise RequestInvalid(_NO_ADDRESS.format(text=text)) from error
    host = (parts.hostname or "").rstrip(".")
    odd = parts.username is not None or parts.password is not None or parts.query or parts.fragment
    if parts.scheme not in _SCHEMES or odd or not _is_host(host) or port == 0:
        raise RequestInvalid(_NO_ADDRESS.format(text=text))
    path = parts.path.rstrip("/")
    if not re.fullmatch(r"[A-Za-z0-9._~/-]*", path):
        raise RequestInvalid(_NO_ADDRESS.format(text=text))
    return Address(parts.scheme, host, port or _SCHEMES[parts.scheme], path or "/v1")


def _is_host(host: str) -> bool:
    if ":" not in host:
        return bool(_HOST.fullmatch(host))
    try:
        return ipaddress.ip_address(host).version == 6
    except ValueError:
        return False
