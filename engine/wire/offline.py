"""Counts and refuses attempts to reach a network, in this process and every child that calls `guard`.

The interpreter's audit hook sees each connect, datagram and name look-up made through Python's sockets, whichever
library makes it. An attempt is refused and a line (process, kind; never a document's word) goes to the file that
AIPC_NETWORK_LOG names. Loopback and local sockets are not a network.

The one exception is `permitted`: the client of a server that the user named opens it for that host, in its own thread,
while it connects.

A limit: a host name (not an address) given straight to a socket's connect or sendto is looked up by the interpreter
before its audit event; the connection is refused, that look-up isn't. Libraries call getaddrinfo, which is seen.
"""

from __future__ import annotations

import ipaddress
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LOG_VARIABLE = "AIPC_NETWORK_LOG"
_SENDING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})  # (socket, address)
_ASKING = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})  # (host, ...)
_NAMING = "socket.getnameinfo"  # (address,)
_guarded = False
_at_start: dict[Path, int] = {}  # attempts logged when this process began to guard
_here = threading.local()  # what this thread may reach


def guard(log_path: Path | None = None) -> None:
    """From now on nothing in this process reaches a network. `log_path` is passed on to children."""
    global _guarded
    if log_path is not None:
        os.environ[LOG_VARIABLE] = str(log_path)
        _at_start.setdefault(log_path, attempts(log_path))
    os.environ.update(
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        ANONYMIZED_TELEMETRY="False",
        DO_NOT_TRACK="1",
        ORT_DISABLE_TELEMETRY="1",  # its wheels report to their maker by native code, which no audit hook sees
    )
    if not _guarded:
        _guarded = True
        sys.addaudithook(_watch)


@contextmanager
def permitted(host: str) -> Iterator[set[str]]:
    """While this is open this thread may look `host` up, and connect to the addresses put into the set, to no other."""
    before = getattr(_here, "permit", None)
    addresses: set[str] = set()
    _here.permit = (host, addresses)
    try:
        yield addresses
    finally:
        _here.permit = before


def attempts(log_path: Path) -> int:
    """How many attempts were logged."""
    try:
        return len(log_path.read_bytes().splitlines())
    except OSError:
        return 0


def attempts_since_start(log_path: Path) -> int:
    """How many were logged since this process called `guard` with that log."""
    return attempts(log_path) - _at_start.get(log_path, 0)


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if not _is_permitted(event, arguments) and (
        (event in _SENDING and _is_remote(arguments[1]))
        or (event in _ASKING and not _is_local_host(arguments[0]))
        or (event == _NAMING and _is_remote(arguments[0]))
    ):
        _note(event)
        raise PermissionError("This program does not use the network.")


def _is_permitted(event: str, arguments: tuple[Any, ...]) -> bool:
    permit = getattr(_here, "permit", None)
    if permit is None:
        return False
    if event == "socket.getaddrinfo":
        return bool(arguments[0] == permit[0])
    return event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] in permit[1]


def _is_remote(address: Any) -> bool:
    """A path (str, bytes) is a local socket's; None is that of a socket whose connection was looked at before."""
    return isinstance(address, tuple) and bool(address) and not _is_local_host(address[0])


def _is_local_host(host: Any) -> bool:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "localhost")
    if not name or name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        return False  # a name, which only a network can tell


def _note(event: str) -> None:
    path = os.environ.get(LOG_VARIABLE)
    if not path:
        return
    line = f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {os.getpid()} {Path(sys.argv[0]).name} {event}\n"
    try:
        with open(path, "a", encoding="utf-8") as log:  # noqa: PTH123 - called from an audit hook, kept plain
            log.write(line)
    except OSError:
        pass
