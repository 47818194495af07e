"""The parent's end of a child's wire."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType

import msgspec
import pytest
from msgspec import Struct

from engine.wire.child import ChildProcess, Hello

# Waits until the pipe is full, so that its parent is blocked in a write; then disturbs it, and reads all there is.
SLOW_READER = """
import fcntl, os, signal, struct, sys, termios
from engine.wire.child import Hello
from engine.wire.framing import PROTOCOL_VERSION, Channel
channel = Channel(sys.stdin.buffer, sys.stdout.buffer, Hello)
channel.send(Hello(PROTOCOL_VERSION, "slow"))
full = fcntl.fcntl(0, 1032)  # F_GETPIPE_SZ
waiting = 0
while waiting < full:
    (waiting,) = struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"0000"))
    os.sched_yield()
os.kill(os.getppid(), int(sys.argv[1]))
received = 0
while part := os.read(0, 4096):
    received += len(part)
os.write(2, str(received).encode())
"""


class Said(Struct, frozen=True, tag=True):
    text: str


@pytest.mark.skipif(sys.platform != "linux", reason="asks a pipe how full it is, as Linux answers it")
@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGINT])
def test_a_signal_in_the_middle_of_a_write_loses_nothing_of_the_frame(tmp_path: Path, number: signal.Signals) -> None:
    disturbed: list[int] = []

    def note(which: int, _frame: FrameType | None) -> None:
        disturbed.append(which)

    log = tmp_path / "slow.log"
    before = signal.signal(number, note)
    try:
        child: ChildProcess[Said] = ChildProcess(
            (sys.executable, "-c", SLOW_READER, str(int(number))),
            accepts=Hello,
            log_path=log,
            on_message=lambda _message: None,
            on_exit=lambda _code: None,
            environment=dict(os.environ),
        )
        child.wait_ready()
        message = Said("x" * 500_000)
        assert child.send(message)
        child.close()
    finally:
        signal.signal(number, before)
    assert disturbed == [number]
    assert int(log.read_text()) == 4 + len(msgspec.msgpack.encode(message))
