"""The parent's side of a child process: spawn, hand-shake, read, notice death. Used for every child."""

from __future__ import annotations

import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import Struct

from engine.errors import ProtocolError
from engine.wire.framing import PROTOCOL_VERSION, Channel, EndOfStream, WholeWriter

HANDSHAKE_TIMEOUT_S = 60.0
_LOG_BYTES = 4_000_000
Reply = TypeVar("Reply")


class Hello(Struct, frozen=True, tag=True):
    """A child's first message. `problem` is "" when its self-check passed, else one sentence."""

    protocol: int
    child: str
    problem: str = ""
    facts: dict[str, str] = {}


class ChildProcess(Generic[Reply]):
    """A running child and its wire.

    `on_message` is called for each message after `Hello`, and `on_exit(exit code)` once at the end, both from
    the child's own reading thread. The child's standard error is appended to `log_path`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        accepts: Any,
        log_path: Path,
        on_message: Callable[[Reply], None],
        on_exit: Callable[[int], None],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._log_path = log_path
        self._on_message, self._on_exit = on_message, on_exit
        _make_place_for_log(log_path)
        with log_path.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=dict(environment) if environment is not None else None,
                bufsize=0,
                close_fds=True,
                start_new_session=False,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        sink = WholeWriter(self._process.stdin)
        self._channel: Channel[Any] = Channel(self._process.stdout, sink, accepts)
        self.hello: Hello | None = None
        self._greeted = threading.Event()
        self._gone = threading.Event()
        self._thread = threading.Thread(target=self._read, name=f"child-{self._process.pid}", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return not self._gone.is_set()

    def wait_ready(self, timeout_s: float = HANDSHAKE_TIMEOUT_S) -> Hello:
        """Wait for the hand-shake. Raises ProtocolError when the child is of another kind or says a problem."""
        if not self._greeted.wait(timeout_s) or self.hello is None:
            self.kill()
            raise ProtocolError(f"A helper process did not start; its log is {self._log_path.name}.")
        if self.hello.protocol != PROTOCOL_VERSION:
            self.kill()
            raise ProtocolError("Parts of the program are of different versions; install it again.")
        if self.hello.problem:
            raise ProtocolError(self.hello.problem)
        return self.hello

    def send(self, message: Struct) -> bool:
        """Send one message; False when the child is gone (its `on_exit` tells the rest)."""
        try:
            self._channel.send(message)
        except (OSError, ValueError):
            return False
        return True

    def close(self, timeout_s: float = 5.0) -> None:
        """Let the child see the end of its input, wait for it, kill it if it doesn't go."""
        self._channel.close()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)

    def kill(self) -> None:
        """End it now; `on_exit` follows."""
        self._process.kill()

    def log_tail(self, lines: int = 20) -> str:
        """The last lines of its log, for diagnostics."""
        try:
            with self._log_path.open("rb") as log:
                return b"".join(deque(log, lines)).decode("utf-8", "replace")
        except OSError:
            return ""

    def _read(self) -> None:
        try:
            while True:
                message = self._channel.receive()
                if isinstance(message, Hello):
                    self.hello = message
                    self._greeted.set()
                else:
                    self._on_message(message)
        except (EndOfStream, OSError, ValueError):
            pass
        except ProtocolError:
            self._process.kill()
        finally:
            self._process.wait()
            self._gone.set()
            self._greeted.set()
            for pipe in (self._process.stdout, self._process.stdin):
                try:
                    pipe.close()  # type: ignore[union-attr]
                except OSError:
                    pass
            self._on_exit(self._process.returncode)


def _make_place_for_log(path: Path) -> None:
    """Keep one old log beside the present one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        if path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_name(path.name + ".1"))
    except OSError:
        pass  # no log yet, or another child just moved it
