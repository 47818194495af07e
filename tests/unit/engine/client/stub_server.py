"""A small server on loopback that speaks OpenAI's protocol, well or badly, as a test tells it."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODEL = "big-model"
Handler = Callable[["Exchange"], None]


class Exchange:
    """One request and the means to answer it."""

    def __init__(self, http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        self.http, self.body = http, body

    def reply(self, told: Any, status: int = 200, **headers: str) -> None:
        data = json.dumps(told).encode()
        self.http.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
            self.http.send_header(name.replace("_", "-"), value)
        self.http.end_headers()
        self.http.wfile.write(data)

    def begin(self) -> None:
        self.http.send_response(200)
        self.http.send_header("Content-Type", "text/event-stream")
        self.http.end_headers()

    def event(self, told: Any) -> None:
        data = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
        self.http.wfile.write(f"data: {data}\n\n".encode())
        self.http.wfile.flush()

    def say(self, text: str, **delta: str) -> None:
        self.event({"choices": [{"index": 0, "delta": {"content": text, **delta}, "finish_reason": None}]})

    def finish(self, reason: str = "stop", **usage: Any) -> None:
        self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        self.event({"choices": [], "usage": {"prompt_tokens": 300, "completion_tokens": 3, **usage}})
        self.event("[DONE]")


class Stub:
    """What was asked is in `requests`; `chat` answers streams, `whole` other completions, `other` all else."""

    def __init__(self, chat: Handler, whole: Handler | None = None, other: Handler | None = None) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.chat, self.whole, self.other = chat, whole or (lambda x: x.reply({}, 400)), other or _models
        self.server: ThreadingHTTPServer

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def serve(self, http: BaseHTTPRequestHandler) -> None:
        length = int(http.headers.get("Content-Length") or 0)
        body = json.loads(http.rfile.read(length)) if length else {}
        self.requests.append((http.path, dict(http.headers.items()), body))
        try:
            if body and http.path != "/v1/chat/completions":
                Exchange(http, body).reply({"error": "no such path"}, 404)
                return
            handler = self.other if not body else self.chat if body.get("stream") else self.whole
            handler(Exchange(http, body))
        except OSError:
            pass  # the client has gone


@contextmanager
def serving(stub: Stub, certificate: Path | None = None) -> Iterator[Stub]:
    """Let it serve. `certificate`: a PEM file with its key, for TLS."""

    class Http(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            stub.serve(self)

        def do_POST(self) -> None:
            stub.serve(self)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # a client that doesn't trust us, or has gone

    server = stub.server = Server(("127.0.0.1", 0), Http)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def sleep_until(over: threading.Event, most_s: float = 30.0) -> None:
    """Say nothing until the test is over."""
    deadline = time.monotonic() + most_s
    while not over.wait(0.05) and time.monotonic() < deadline:
        pass


def _models(x: Exchange) -> None:
    if x.http.path == "/v1/models":
        x.reply({"object": "list", "data": [{"id": MODEL, "max_model_len": 32_768, "object": "model"}]})
    else:
        x.reply({"error": "no such path"}, 404)
