"""No process of the program reaches a network; each attempt is refused and counted."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

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


TRIED = """
import socket, sys
from pathlib import Path
from engine.wire.offline import guard
guard(Path(sys.argv[1]))
def datagram(kind=socket.AF_INET):
    return socket.socket(kind, socket.SOCK_DGRAM)
try:
    eval(sys.argv[2])
except PermissionError as error:
    print("refused" if "network" in str(error) else error)
except OSError:
    print("tried")
else:
    print("tried")
"""
REMOTE = [
    "datagram().sendto(b'x', ('192.0.2.1', 9))",
    "datagram().sendto(b'x', 0, ('192.0.2.1', 9))",
    "datagram().sendmsg([b'x'], [], 0, ('192.0.2.1', 9))",
    "datagram().connect(('192.0.2.1', 9))",
    "datagram().connect_ex(('192.0.2.1', 9))",
    "datagram(socket.AF_INET6).sendto(b'x', ('2001:db8::1', 9))",
    "socket.gethostbyaddr('192.0.2.1')",
    "socket.gethostbyname('example.invalid')",
    "socket.gethostbyname_ex('example.invalid')",
    "socket.getnameinfo(('192.0.2.1', 80), 0)",
    "socket.getaddrinfo('localhost.evil.example', 80)",
    "socket.getaddrinfo(b'localhost.evil.example', 80)",
    "socket.getaddrinfo('127.evil.example', 80)",
    "socket.getaddrinfo('::1.evil.example', 80)",
    "socket.gethostbyname('127.evil.example')",
]
LOCAL = [
    "datagram().sendto(b'x', ('127.0.0.1', 9))",
    "datagram().sendto(b'x', ('127.255.0.9', 9))",
    "datagram().sendmsg([b'x'], [], 0, ('localhost', 9))",
    "[end.sendmsg([b'x']) for end in socket.socketpair()]",
    "socket.gethostbyaddr('127.0.0.1')",
    "socket.gethostbyname('localhost')",
    "socket.getnameinfo(('::1', 80, 0, 0), socket.NI_NUMERICHOST)",
    "socket.getaddrinfo('::1%lo', 80)",
    "socket.getaddrinfo(b'localhost', 80)",
    "socket.getaddrinfo(None, 80)",
]
UNIX = [
    "datagram(socket.AF_UNIX).sendto(b'x', '/nowhere/at/all')",
    "datagram(socket.AF_UNIX).sendto(b'x', b'/nowhere/at/all')",
    "datagram(socket.AF_UNIX).sendmsg([b'x'], [], 0, '/nowhere/at/all')",
    "datagram(socket.AF_UNIX).connect(b'/nowhere/at/all')",
]


def outcome(log: Path, attempt: str) -> str:
    command = (sys.executable, "-c", TRIED, str(log), attempt)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("attempt", REMOTE)
def test_every_way_out_is_refused_and_counted(tmp_path: Path, attempt: str) -> None:
    log = tmp_path / "network.log"
    assert outcome(log, attempt) == "refused"
    assert attempts(log) == 1


@pytest.mark.parametrize("attempt", LOCAL)
def test_this_computer_is_no_network(tmp_path: Path, attempt: str) -> None:
    log = tmp_path / "network.log"
    assert outcome(log, attempt) == "tried"
    assert attempts(log) == 0


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no sockets with a path for an address")
@pytest.mark.parametrize("attempt", UNIX)
def test_a_local_socket_is_no_network(tmp_path: Path, attempt: str) -> None:
    log = tmp_path / "network.log"
    assert outcome(log, attempt) == "tried"
    assert attempts(log) == 0


PERMITTED = """
import socket, sys, threading
from pathlib import Path
from engine.wire.offline import guard, permitted
guard(Path(sys.argv[1]))
def outcome(work):
    try:
        work()
    except PermissionError as error:
        return "refused" if "network" in str(error) else "tried"
    except OSError:
        pass
    return "tried"
def connect(host):
    with socket.socket() as sock:
        sock.settimeout(0.2)
        sock.connect((host, 9))
def elsewhere():
    thread = threading.Thread(target=lambda: told.append(outcome(lambda: connect("192.0.2.1"))))
    thread.start()
    thread.join()
told = []
with permitted("192.0.2.1") as addresses:
    told.append(outcome(lambda: connect("192.0.2.1")))  # looked up, but not found to be its address yet
    told.append(outcome(lambda: socket.getaddrinfo("192.0.2.1", 9)))
    addresses.add("192.0.2.1")
    told.append(outcome(lambda: connect("192.0.2.1")))
    told.append(outcome(lambda: connect("192.0.2.2")))
    told.append(outcome(lambda: socket.getaddrinfo("other.example", 9)))
    told.append(outcome(lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9))))
    elsewhere()
told.append(outcome(lambda: connect("192.0.2.1")))
print(" ".join(told))
"""


def test_the_one_exception_is_a_named_host_in_one_thread_for_a_while(tmp_path: Path) -> None:
    log = tmp_path / "network.log"
    done = subprocess.run([sys.executable, "-c", PERMITTED, str(log)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["refused", "tried", "tried", "refused", "refused", "refused", "refused", "refused"]
    assert attempts(log) == 6
