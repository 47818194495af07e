"""No process of the program reaches a network; each attempt is refused and counted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from engine.wire.offline import attempts

SCRIPT = """
import socket, sys
from pathlib import Path
from engine.wire.offline import guard
guard(Path(sys.argv[1]))
refused = 0
for work in (lambda: socket.create_connection(("192.0.2.1", 80), 1), lambda: socket.getaddrinfo("example.org", 80)):
    try:
        work()
    except PermissionError:
        refused += 1
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname(), 5).close()
print(refused)
"""


def test_attempts_are_refused_and_counted_and_loopback_is_not_a_network(tmp_path: Path) -> None:
    log = tmp_path / "network.log"
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(log)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2"
    assert attempts(log) == 2


def test_no_log_means_no_attempts(tmp_path: Path) -> None:
    assert attempts(tmp_path / "none.log") == 0
