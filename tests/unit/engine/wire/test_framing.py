"""Frames over a pair of pipes."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import threading
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from engine.errors import ProtocolError
from engine.wire.framing import MAX_FRAME_BYTES, Channel, EndOfStream


class Said(Struct, frozen=True, tag=True):
    text: str
    number: int = 0


class Other(Struct, frozen=True, tag=True):
    text: str


class Dribble(io.RawIOBase):
    """Gives what it holds a few bytes at a time, as a pipe may."""

    def __init__(self, data: bytes, step: int) -> None:
        self._data, self._step = io.BytesIO(data), step

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(self._step, size))


def frames(*messages: Struct) -> bytes:
    sink = io.BytesIO()
    channel: Channel[Said] = Channel(io.BytesIO(), sink, Said)
    for message in messages:
        channel.send(message)
    return sink.getvalue()


def channel_on(data: bytes, step: int = 1 << 20) -> Channel[Said]:
    source: BinaryIO = Dribble(data, step)  # type: ignore[assignment]
    return Channel(source, io.BytesIO(), Said)


@given(st.lists(st.builds(Said, st.text(), st.integers(-(2**60), 2**60)), max_size=5), st.integers(1, 9))
def test_messages_arrive_whole_and_in_order_however_the_bytes_come(messages: list[Said], step: int) -> None:
    channel = channel_on(frames(*messages), step)
    assert [channel.receive() for _ in messages] == messages
    with pytest.raises(EndOfStream):
        channel.receive()


@given(st.integers(1, 20))
def test_a_frame_cut_short_is_the_end(missing: int) -> None:
    with pytest.raises(EndOfStream):
        channel_on(frames(Said("some text that is long enough"))[:-missing]).receive()


@given(st.binary(min_size=1, max_size=60))
def test_garbage_is_a_protocol_error_or_a_message_never_a_crash(garbage: bytes) -> None:
    try:
        assert isinstance(channel_on(struct.pack("<I", len(garbage)) + garbage).receive(), Said)
    except ProtocolError:
        pass


def test_an_unknown_message_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError, match="unknown message"):
        channel_on(frames(Other("x"))).receive()


def test_an_absurd_length_is_refused_before_anything_is_read() -> None:
    with pytest.raises(ProtocolError, match="out of step"):
        channel_on(struct.pack("<I", MAX_FRAME_BYTES + 1)).receive()


def test_many_threads_may_send_at_once() -> None:
    ours, theirs = os.pipe()
    with os.fdopen(ours, "rb", buffering=0) as source, os.fdopen(theirs, "wb", buffering=0) as sink:
        sender: Channel[Said] = Channel(io.BytesIO(), sink, Said)
        receiver: Channel[Said] = Channel(source, io.BytesIO(), Said)
        threads = [threading.Thread(target=lambda i=i: sender.send(Said("x" * 100_000, i))) for i in range(8)]
        for thread in threads:
            thread.start()
        received = [receiver.receive() for _ in threads]
        for thread in threads:
            thread.join()
    assert sorted(message.number for message in received) == list(range(8))
    assert all(message.text == "x" * 100_000 for message in received)


def test_what_a_child_prints_never_reaches_the_wire() -> None:
    program = (
        "import os\nfrom engine.wire.framing import claim_pipes\nsource, sink = claim_pipes()\n"
        "print('from python')\nos.write(1, b'from native code')\nsink.write(b'wire')\nassert source.read(2) == b'ok'"
    )
    done = subprocess.run([sys.executable, "-c", program], input=b"ok", capture_output=True, check=True)
    assert done.stdout == b"wire"
    assert b"from python" in done.stderr and b"from native code" in done.stderr
