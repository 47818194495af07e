"""The engine for other programs on this computer: OpenAI's protocol on 127.0.0.1, for who has the token.

Against web pages that a browser on this computer shows: no request is answered that names another host than this one
(DNS rebinding), that comes from a page (Origin), or that lacks the token. Nothing of a request is logged.
"""

from __future__ import annotations

import hmac
import secrets
import select
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from engine.client.base import EngineClient, Generation
from engine.client.serving_chat import Asked, Told, as_request, read
from engine.errors import EngineBusy, EngineError, PromptTooLong, RequestInvalid
from engine.types.generation import Generated, GenerationEvent, PrefillProgress, TextDelta
from engine.types.model import LoadedModel

HOST = "127.0.0.1"
_MOST_BODY = 8 << 20
_MOST_WAITING = 8
_IDLE_S = 30.0  # until a connection that asks nothing is closed
_LOOK_S = 0.2
Ready = Callable[[], LoadedModel]
Asking = Callable[[], AbstractContextManager[None]]


class Door:
    """Open from construction to `close`. `ready` loads the model at the first request; `asking` is held during each.

    Raises OSError when the port is taken. `port` 0: any free one.
    """

    def __init__(self, engine: EngineClient, ready: Ready, asking: Asking, *, port: int) -> None:
        self.token = secrets.token_urlsafe(32)
        self._desk = _Desk(engine, ready, asking, self.token)
        self._server = _Server((HOST, port), self._desk)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": _LOOK_S}, name="serving", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """What other programs are told as base URL."""
        return f"http://{HOST}:{self.port}/v1"

    @property
    def served(self) -> int:
        """Answers given since it was opened."""
        return self._desk.served

    def close(self) -> None:
        """Answer nobody any more; what is being answered is stopped."""
        self._desk.close()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Desk:
    """One request at a time; a few may wait."""

    def __init__(self, engine: EngineClient, ready: Ready, asking: Asking, token: str) -> None:
        self._engine, self._ready, self._asking, self._token = engine, ready, asking, token
        self._turn, self._waiting = threading.Lock(), threading.BoundedSemaphore(_MOST_WAITING)
        self._now: Generation | None = None
        self._closed = False
        self.served = 0

    def admits(self, authorization: str) -> bool:
        return hmac.compare_digest(authorization.encode(), f"Bearer {self._token}".encode())

    def model(self) -> LoadedModel:
        return self._ready()

    @contextmanager
    def answer(self, asked: Asked) -> Iterator[tuple[Told, Generation]]:
        """Wait for the turn, then begin. Raises EngineError."""
        request = as_request(asked)
        if not self._waiting.acquire(blocking=False):
            raise EngineBusy("Too many requests wait already; try again in a while.")
        try:
            with self._turn, self._asking():
                if self._closed:
                    raise EngineBusy("This program is no longer served.")
                told = Told(self._ready().name)
                self._now = generation = self._engine.generate(request)
                try:
                    yield told, generation
                    self.served += 1
                finally:
                    self._now = None
        finally:
            self._waiting.release()

    def close(self) -> None:
        self._closed = True
        generation = self._now
        if generation is not None:
            generation.cancel()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 16

    def __init__(self, place: tuple[str, int], desk: _Desk) -> None:
        self.desk = desk
        super().__init__(place, _Http)

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)  # HTTPServer would look its own name up
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A program that has gone away is nobody's error."""


class _Http(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "aipc", ""
    timeout = _IDLE_S
    server: _Server

    def do_GET(self) -> None:
        if self._may_come_in() and self._is("/v1/models"):
            with self._telling_errors():
                model = self.server.desk.model()
                context = model.plan.context_tokens
                card = {"id": model.name, "object": "model", "owned_by": "aipc", "max_model_len": context}
                self._reply(200, {"object": "list", "data": [card]})

    def do_POST(self) -> None:
        if not self._may_come_in() or not self._is("/v1/chat/completions"):
            return
        body = self._body()
        if body is None:
            return
        with self._telling_errors():
            asked = read(body)
            with self.server.desk.answer(asked) as (told, generation):
                if asked.stream:
                    self._stream(asked, told, generation)
                else:
                    self._whole(told, generation)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a log would tell who asked what when."""

    # -- who may come in -------------------------------------------------------------------------

    def _may_come_in(self) -> bool:
        own = {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}
        origin = self.headers.get("Origin")
        if self.headers.get("Host", "").lower() not in own or (origin and origin not in {f"http://{o}" for o in own}):
            return self._refuse(403, "Only programs on this computer are served.")
        if not self.server.desk.admits(self.headers.get("Authorization", "")):
            return self._refuse(401, "The token is missing or wrong.")
        return True

    def _is(self, path: str) -> bool:
        return self.path.partition("?")[0].rstrip("/") == path or self._refuse(404, "There is nothing at this path.")

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or self.headers.get("Transfer-Encoding"):
            self._refuse(411, "The length of the request is missing.")
        elif int(length) > _MOST_BODY:
            self._refuse(413, "The request is too large.")
        else:
            body = self.rfile.read(int(length))
            return body if len(body) == int(length) else None
        return None

    # -- answers ---------------------------------------------------------------------------------

    def _whole(self, told: Told, generation: Generation) -> None:
        for event in generation:
            if isinstance(event, Generated):
                self._reply(200, told.whole(event))
            elif self._has_gone():
                generation.cancel()

    def _stream(self, asked: Asked, told: Told, generation: Generation) -> None:
        stream = _Stream(self, told, usage=asked.wants_usage)
        try:
            for event in generation:
                if not stream.tell(event):
                    generation.cancel()  # its end still comes, and the next one's turn after it
        except EngineError as error:
            if not stream.begun:
                raise
            stream.fail(error)
            self.close_connection = True

    def _has_gone(self) -> bool:
        """Has the other program closed its connection?"""
        readable, _, _ = select.select([self.connection], [], [], 0)
        try:
            return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    @contextmanager
    def _telling_errors(self) -> Iterator[None]:
        try:
            yield
        except PromptTooLong as error:
            self._refuse(400, error.message, "context_length_exceeded")
        except RequestInvalid as error:
            self._refuse(400, error.message)
        except EngineBusy as error:
            self._refuse(429, error.message)
        except EngineError as error:
            self._refuse(500, error.message)

    def _refuse(self, status: int, message: str, code: str = "") -> bool:
        self.close_connection = True  # what else was sent isn't read
        self._reply(status, _error(message, code or "invalid_request_error"))
        return False

    def _reply(self, status: int, told: dict[str, Any]) -> None:
        data = msgspec.json.encode(told)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)


class _Stream:
    """Server-sent events in chunks. Nothing is sent before the engine took the request: errors then have a status."""

    def __init__(self, http: BaseHTTPRequestHandler, told: Told, *, usage: bool) -> None:
        self._http, self._told, self._usage = http, told, usage
        self.begun = False

    def tell(self, event: GenerationEvent) -> bool:
        """False when nobody listens any more."""
        try:
            self._begin()
            match event:
                case PrefillProgress(done_tokens=done, total_tokens=total):
                    self._send(f": read {done} of {total} tokens\n\n".encode())
                case TextDelta():
                    self._event(self._told.delta(event))
                case Generated():
                    self._end(event)
        except OSError:
            return False
        return True

    def fail(self, error: EngineError) -> None:
        """Tell why it ends here."""
        with suppress(OSError):
            self._event(_error(error.message, "server_error"))

    def _begin(self) -> None:
        if self.begun:
            return
        self.begun = True
        self._http.send_response(200)
        for name, value in (("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")):
            self._http.send_header(name, value)
        self._http.send_header("Cache-Control", "no-store")
        self._http.end_headers()
        self._event(self._told.begin())

    def _end(self, end: Generated) -> None:
        self._event(self._told.end(end))
        if self._usage:
            self._event(self._told.usage(end))
        self._send(b"data: [DONE]\n\n")
        self._http.wfile.write(b"0\r\n\r\n")

    def _event(self, told: dict[str, Any]) -> None:
        self._send(b"data: " + msgspec.json.encode(told) + b"\n\n")

    def _send(self, data: bytes) -> None:
        self._http.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self._http.wfile.flush()


def _error(message: str, code: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": code, "code": code}}
