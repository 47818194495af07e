"""llama-server beside us: the same model, text and questions, its slot saved and restored by hand."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

VERSION = "0.3.36"
_START_S, _ANSWER_S = 600.0, 3_600.0


class PeerError(Exception):
    """llama-server did not do what was asked."""


def server_file() -> Path | None:
    """Where scripts/build_llama_server.py leaves it, or AIPC_LLAMA_SERVER."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aipc"
    for place in (os.environ.get("AIPC_LLAMA_SERVER"), cache / f"llama-server-{VERSION}" / "llama-server"):
        if place and Path(place).is_file():
            return Path(place)
    return None


def first_tokens(
    program: Path, model: Path, folder: Path, *, context_tokens: int, system: str, questions: Sequence[str]
) -> dict[str, Any]:
    """Seconds to the first token: cold, hot, after a restart, after a restart with the slot restored by hand.

    Four questions are needed. Raises PeerError.
    """
    slots = folder / "slots"
    slots.mkdir()
    command = [
        str(program), "-m", str(model), "-c", str(context_tokens), "-np", "1", "-fa", "on", "--slot-save-path",
        f"{slots}/", "-t", str(os.cpu_count() or 1), "--host", "127.0.0.1",
    ]  # fmt: skip
    found: dict[str, Any] = {"program": f"llama-server of llama-cpp-python {VERSION}", "options": command[3:-2]}
    with _server(command, folder) as url:
        found["cold_s"] = _ask(url, system, questions[0])
        found["hot_s"] = [_ask(url, system, question) for question in questions[1:4]]
        _post(f"{url}/slots/0?action=save", {"filename": "slot.bin"})
        found["slot_bytes"] = (slots / "slot.bin").stat().st_size
    with _server(command, folder) as url:
        found["after_restart_s"] = _ask(url, system, questions[2])
    with _server(command, folder) as url:
        began = time.monotonic()
        _post(f"{url}/slots/0?action=restore", {"filename": "slot.bin"})
        restored = time.monotonic() - began
        found["after_restart_with_slot_restored_s"] = restored + _ask(url, system, questions[2])
        found["slot_restore_s"] = restored
    return found


@contextmanager
def _server(command: Sequence[str], folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with (folder / "llama-server.log").open("ab") as log:
        process = subprocess.Popen([*command, "--port", str(port)], stdout=log, stderr=log)
    try:
        _wait(url, process)
        yield url
    finally:
        process.terminate()
        process.wait()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise PeerError(f"llama-server ended with {process.returncode}")
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5) as reply:
                if reply.status == 200:
                    return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.1)
    raise PeerError("llama-server did not start")


def _ask(url: str, system: str, question: str) -> float:
    """Seconds until the first text of the answer."""
    body = {
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": question}],
        "max_tokens": 8, "temperature": 0, "stream": True, "cache_prompt": True,
    }  # fmt: skip
    began = time.monotonic()
    first = 0.0
    with urllib.request.urlopen(_request(f"{url}/v1/chat/completions", body), timeout=_ANSWER_S) as reply:
        for line in reply:
            if line.startswith(b"data: {") and not first and _text(line):
                first = time.monotonic() - began
    if not first:
        raise PeerError("llama-server gave no text")
    return first


def _text(line: bytes) -> str:
    choices = json.loads(line[len(b"data: ") :]).get("choices") or [{}]
    return str(choices[0].get("delta", {}).get("content") or "")


def _post(url: str, body: Any) -> None:
    try:
        with urllib.request.urlopen(_request(url, body), timeout=_ANSWER_S) as reply:
            reply.read()
    except urllib.error.HTTPError as error:
        raise PeerError(f"llama-server refused: {error.read()[:200]!r}") from error


def _request(url: str, body: Any) -> urllib.request.Request:
    data = json.dumps(body).encode()
    return urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
