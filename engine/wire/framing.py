"""Length-prefixed MessagePack frames over a pair of pipes."""

from __future__ import annotations

import os
import struct
import sys
import threading
from typing import IO, Any, Generic, Protocol, TypeVar

import msgspec

from engine.errors import ProtocolError

PROTOCOL_VERSION = 1
MAX_FRAME_BYTES = 1 << 30
_LENGTH = struct.Struct("<I")

Received = TypeVar("Received")


class EndOfStream(Exception):
    """The peer closed its end; a child answers it by exiting."""


class Sink(Protocol):
    """Where whole frames are written."""

    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


class Channel(Generic[Received]):
    """One end of a wire. `send` may be called from any thread; `receive` from one."""

    def __init__(self, source: IO[bytes], sink: Sink, accepts: Any) -> None:
        self._source, self._sink = source, sink
        self._decoder = msgspec.msgpack.Decoder(accepts)
        self._encoder = msgspec.msgpack.Encoder()
        self._lock = threading.Lock()

    def send(self, message: msgspec.Struct) -> None:
        """Write one frame whole. Raises BrokenPipeError/OSError when the peer is gone."""
        payload = self._encoder.encode(message)
        if len(payload) > MAX_FRAME_BYTES:
            raise ProtocolError(f"A message of {len(payload)} bytes is over the wire's limit.")
        with self._lock:
            self._sink.write(_LENGTH.pack(len(payload)) + payload)
            self._sink.flush()

    def receive(self) -> Received:
        """Wait for one message. Raises EndOfStream, or ProtocolError for anything unreadable."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if length > MAX_FRAME_BYTES:
            raise ProtocolError(f"A frame of {length} bytes was announced; the wire is out of step.")
        try:
            message: Received = self._decoder.decode(self._read(length))
        except msgspec.MsgspecError as error:
            raise ProtocolError(f"An unknown message came over the wire: {error}") from error
        return message

    def close(self) -> None:
        """Close our sending end, so that the peer sees the end of the stream."""
        with self._lock:
            try:
                self._sink.close()
            except OSError:
                pass

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._source.read(size - len(parts))
            if not part:
                raise EndOfStream
            parts += part
        return bytes(parts)


def claim_pipes() -> tuple[IO[bytes], Sink]:
    """In a child: take standard input and output for the wire; whatever prints goes to standard error.

    Native code writes to descriptor 1 when it likes; after this call that is the log, never the wire.
    """
    source: IO[bytes] = os.fdopen(os.dup(0), "rb", buffering=0)
    sink: IO[bytes] = os.fdopen(os.dup(1), "wb", buffering=0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115
    sys.stdout = sys.stderr
    return source, WholeWriter(sink)


class WholeWriter:
    """An unbuffered pipe may take part of a write; this one takes all of it."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        while view:
            view = view[self._raw.write(view) :]
        return len(data)

    def flush(self) -> None: ...

    def close(self) -> None:
        self._raw.close()
