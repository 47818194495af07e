"""Counts and refuses attempts to reach a network, in this process and every child that calls `guard`.

The interpreter's audit hook sees each connect and name look-up made through Python's sockets, whichever library
makes it. An attempt is refused and a line (process, kind; never a document's word) goes to the file that
AIPC_NETWORK_LOG names. Loopback and local sockets are not a network.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

LOG_VARIABLE = "AIPC_NETWORK_LOG"
_LOCAL = ("127.", "localhost", "::1")
_guarded = False


def guard(log_path: Path | None = None) -> None:
    """From now on nothing in this process reaches a network. `log_path` is passed on to children."""
    global _guarded
    if log_path is not None:
        os.environ[LOG_VARIABLE] = str(log_path)
    os.environ.update(
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        ANONYMIZED_TELEMETRY="False",
        DO_NOT_TRACK="1",
    )
    if not _guarded:
        _guarded = True
        sys.addaudithook(_watch)


def attempts(log_path: Path) -> int:
    """How many attempts were logged."""
    try:
        return len(log_path.read_bytes().splitlines())
    except OSError:
        return 0


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if (
        (event == "socket.connect" and _is_remote(arguments[1]))
        or (event == "socket.getaddrinfo" and not _is_local_host(arguments[0]))
        or (event == "socket.gethostbyname" and not _is_local_host(arguments[0]))
    ):
        _note(event)
        raise PermissionError("This program does not use the network.")


def _is_remote(address: Any) -> bool:
    return isinstance(address, tuple) and bool(address) and not _is_local_host(address[0])


def _is_local_host(host: Any) -> bool:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "localhost")
    return name.startswith(_LOCAL)


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
