"""One request to a server and its reply: no redirects, no proxies, bounded in size and time, cut off from any thread.

Whatever goes wrong on the way is sorted here, once: a RemoteError with a sentence.
"""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec
from msgspec import Struct

from engine.errors import EngineBusy, PromptTooLong, RemoteError
from engine.types.remote import Address
from engine.wire.offline import permitted

_MOST_LINE = 1 << 20
_MOST_REPLY = 8 << 20
_MOST_STREAM = 64 << 20
_MOST_SAID = 200  # characters of a server's own error that are shown
_TOO_LONG = ("context_length", "context length", "context size", "context_size", "context window", "maximum context")


class Waits(Struct, frozen=True):
    """Seconds until a server is given up: to be reached, to begin its reply (it may read a long prompt), to go on."""

    connect_s: float = 10.0
    begin_s: float = 600.0
    go_on_s: float = 120.0


USUAL_WAITS = Waits()


class Link:
    """One request. `cut` from any thread; everything else from one. Raises RemoteError, EngineBusy, PromptTooLong."""

    def __init__(self, address: Address, token: str, *, ca_file: str = "", waits: Waits = USUAL_WAITS) -> None:
        self._address, self._token, self._waits = address, token, waits
        self._connection = _connection(address, ca_file, waits)
        self._sock: socket.socket | None = None  # the library lets go of its own once a reply has begun
        self._reply: http.client.HTTPResponse | None = None
        self._is_cut = False

    @property
    def is_cut(self) -> bool:
        return self._is_cut

    def cut(self) -> None:
        """End it at once; whoever waits for the server is woken."""
        self._is_cut = True
        if self._sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(self._sock, socket.SHUT_RDWR)  # TLS's own would wait for the server

    def close(self) -> None:
        """Let the server go."""
        if self._reply is not None:
            self._reply.close()
        self._connection.close()

    def ask(self, method: str, path: str, body: Struct | None = None, *, begin_s: float | None = None) -> bytes:
        """The whole reply."""
        with self._sorted():
            reply = self._send(method, path, body, begin_s)
            data = reply.read(_MOST_REPLY + 1)
        if len(data) > _MOST_REPLY:
            raise RemoteError(f"{self._address.host} sent far more than was asked for; it isn't used.")
        return data

    def events(self, path: str, body: Struct) -> Iterator[bytes]:
        """The data of each server-sent event until `[DONE]`. Raises RemoteError when the stream ends before it."""
        with self._sorted():
            reply = self._send("POST", path, body, None)
        taken = 0
        while True:
            with self._sorted():
                line = reply.readline(_MOST_LINE + 1)
            taken += len(line)
            if len(line) > _MOST_LINE or taken > _MOST_STREAM:
                raise RemoteError(f"{self._address.host} sent far more than was asked for; it isn't used.")
            if not line:
                raise RemoteError(
                    f"The connection to {self._address.host} was cut in the middle of the answer; ask again."
                )
            field, _, value = line.partition(b":")
            if field == b"data":
                if value.strip() == b"[DONE]":
                    return
                yield value.strip()

    def _send(self, method: str, path: str, body: Struct | None, begin_s: float | None) -> http.client.HTTPResponse:
        headers = {"Accept": "application/json, text/event-stream", "User-Agent": "aipc"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        self._connection.connect()
        self._sock = sock = self._connection.sock
        if self._is_cut:
            raise ConnectionAbortedError
        data = msgspec.json.encode(body) if body is not None else None
        self._connection.request(method, self._address.path + path, data, headers)
        sock.settimeout(begin_s or self._waits.begin_s)
        self._reply = reply = self._connection.getresponse()
        sock.settimeout(self._waits.go_on_s)
        self._refuse(reply)
        return reply

    def _refuse(self, reply: http.client.HTTPResponse) -> None:
        """Raises for every status but 200."""
        host, status = self._address.host, reply.status
        if status == 200:
            return
        if 300 <= status < 400:
            raise RemoteError(f"{host} sends us on to another address, which is not followed; correct the address.")
        said = _said(reply.read(_MOST_LINE))
        if status in (401, 403):
            raise RemoteError(f"{host} refuses the token; enter the one that its administrator gave you.")
        if status in (400, 413, 422) and any(word in said.lower() for word in _TOO_LONG):
            raise PromptTooLong("The prompt is longer than the server's context; choose fewer documents.")
        if status in (429, 503):
            raise EngineBusy(f"{host} has too much to do just now; try again in a while.")
        if status == 404:
            raise RemoteError(f"{host} has no such model or path; check the address and the model in the settings.")
        raise RemoteError(f"{host} refused the request (status {status}): '{said[:_MOST_SAID]}'")

    @contextmanager
    def _sorted(self) -> Iterator[None]:
        """What sockets, TLS and HTTP raise, as a sentence."""
        host = self._address.host
        try:
            yield
        except ssl.SSLCertVerificationError as error:
            raise RemoteError(
                f"The certificate of {host} is not trusted ({error.verify_message}); if it is your organisation's own, "
                "name the file of its authority in the settings."
            ) from error
        except ssl.SSLError as error:
            raise RemoteError(
                f"{host} can't be spoken to in secret; check whether its address begins with http or https."
            ) from error
        except socket.gaierror as error:
            raise RemoteError(f"No computer named {host} is known here; check the address and the network.") from error
        except TimeoutError as error:
            raise RemoteError(f"{host} did not answer in time; try again, or ask its administrator.") from error
        except ConnectionRefusedError as error:
            raise RemoteError(f"Nothing answers at {self._address.origin}; check the address and the port.") from error
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            if not self._is_cut and isinstance(error, ValueError | AttributeError):
                raise  # ours; what was cut leaves half-closed objects of the library behind
            raise RemoteError(f"The connection to {host} was lost; try again.") from error


class _Plain(http.client.HTTPConnection):
    """Connects to addresses of its host only, whatever the guard refuses otherwise."""

    def connect(self) -> None:
        self.sock = _reach(self.host, self.port, self.timeout)


class _Secure(http.client.HTTPSConnection):
    def __init__(self, host: str, port: int, *, timeout: float, context: ssl.SSLContext) -> None:
        super().__init__(host, port, timeout=timeout, context=context)
        self._trust = context

    def connect(self) -> None:
        plain = _reach(self.host, self.port, self.timeout)
        try:
            self.sock = self._trust.wrap_socket(plain, server_hostname=self.host)
        except BaseException:
            plain.close()
            raise


def _connection(address: Address, ca_file: str, waits: Waits) -> http.client.HTTPConnection:
    if not address.encrypted:
        return _Plain(address.host, address.port, timeout=waits.connect_s)
    try:
        context = ssl.create_default_context(cafile=ca_file or None)
    except OSError as error:  # ssl.SSLError is one
        raise RemoteError(
            f"The certificate file '{ca_file}' can't be read; name a PEM file in the settings, or none."
        ) from error
    return _Secure(address.host, address.port, timeout=waits.connect_s, context=context)


def _reach(host: str, port: int, timeout: float | None) -> socket.socket:
    """A connection to the first of the host's addresses that answers."""
    problem: OSError = ConnectionRefusedError()
    with permitted(host) as addresses:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses.update(str(one[4][0]) for one in found)
        for family, kind, protocol, _, place in found:
            sock = socket.socket(family, kind, protocol)
            sock.settimeout(timeout)
            try:
                sock.connect(place)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as error:
                problem = error
                sock.close()
            else:
                return sock
    raise problem


def _said(body: bytes) -> str:
    """A server's own sentence about an error, in one line; its code too, where it has one."""
    try:
        told = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return ""
    for key in ("error", "detail", "message"):
        if isinstance(told, dict) and told.get(key):
            told = told[key]
    if isinstance(told, dict):
        told = f"{told.get('message', '')} {told.get('code', '')}"
    return " ".join(str(told).split())
