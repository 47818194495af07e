"""The program as installed in the bare root: run as a user does, and looked at from outside."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bare
import screen

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import packing

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
MIGRATIONS = "opt/aipc/app/aipc_app/store/migrations"
CASE, QUESTION = "民间借贷", "借款合同约定的借款金额是多少？"
HOME = f"/home/{bare.USER}"
DISPLAY = ":97"
_DUMP = (
    "import hashlib, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); lines = [*c.iterdump()];"
    " print(*c.execute('PRAGMA user_version'), len(lines), hashlib.sha256(repr(lines).encode()).hexdigest())"
)
_DIGEST = "find {0} -type f | LC_ALL=C sort | xargs -d '\\n' sha256sum | sha256sum"


class Installed:
    """What a journey's steps share."""

    def __init__(self, machine: bare.Bare) -> None:
        self._bare = machine

    def _answer(self, program: str) -> str:
        (answer,) = self._lines("ask", "--case", CASE, QUESTION, "--json", program=program)
        assert not answer["refused"] and answer["citations"], answer["answer"]
        first = answer["citations"][0]
        seconds = answer["timing"]["load_s"] + answer["timing"]["total_s"]
        return f"{answer['answer']} <- {first['document']} p. {first['page']}: {first['quote']} ({seconds:.0f} s)"

    def _digest(self, program: str = "aipc") -> object:
        shown = [
            self._lines("cases", "--json", program=program),
            self._lines("documents", "--case", CASE, "--json", program=program),
        ]
        for document in shown[1][0]["documents"]:
            document.pop("remembered", None)
        return shown

    def _fails_to_update(self, steps: tuple[str, ...], *, small_disk: str) -> str:
        """The sentence told, over a copy of the database: all that is in it afterwards is what was before."""
        folder = self._bare.root / MIGRATIONS
        number = len(list(folder.glob("*.sql")))
        written = [folder / f"{number + place:04}_tried.sql" for place in range(1, len(steps) + 1)]
        for file, step in zip(written, steps, strict=True):
            file.write_text(step, encoding="utf-8")
        copied = f"mkdir /small/aipc && cp {HOME}/.local/share/aipc/aipc.sqlite /small/aipc"
        dump = f"/opt/aipc/python/bin/python3 -c {shlex.quote(_DUMP)} /small/aipc/aipc.sqlite"
        script = f"{copied} && {dump}; AIPC_HOME=/small/aipc aipc cases; echo status $?; {dump}"
        done = self._bare.run("sh", "-c", script, user=True, small_disk=small_disk)
        for file in written:
            file.unlink()
        before, status, after = done.stdout.splitlines()
        assert status == "status 1" and "everything is as it was before" in done.stderr, done.stderr
        assert before == after
        assert done.stderr.count("\n") == 1, done.stderr
        return done.stderr.strip()

    def _filling(
        self, install: str, update: str, folder: str, *, user: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """`install`, then `update` on a disk that has not the room, and what is there before and after."""
        digest = _DIGEST.format(f"{folder}/aipc")
        state = "dpkg-query -W -f '${Version} ${Status}\\n' aipc 2>/dev/null; ls -A " + folder
        script = f"{install} >/dev/null || exit 9; {digest}; {update}; echo status $?; {digest}; {state}"
        size = f"{packing.megabytes(ROOT / 'build' / 'installer' / 'tree') + 350}m"
        return self._bare.run("sh", "-c", script, small_disk=size, small_at=folder, user=user)

    def _is_whole(self, done: subprocess.CompletedProcess[str]) -> bool:
        """The update failed; every file is as before, and there is nothing but them."""
        lines = done.stdout.splitlines()
        digests = [line for line in lines if line.endswith("  -")]
        return "status 1" in lines and len(digests) == 2 and digests[0] == digests[1] and lines[-1] == "aipc"

    def _install(self, name: str) -> None:
        done = self._bare.run("dpkg", "-i", f"/media/{name}")
        assert done.returncode == 0, done.stderr

    def _window(self, *environment: str) -> subprocess.Popen[str]:
        window = self._bare.start("aipc", display=DISPLAY, environment=environment)
        screen.wait_for_window(DISPLAY, window)
        return window

    def _aipc(self, *arguments: str, timeout_s: float = 900) -> subprocess.CompletedProcess[str]:
        return self._bare.run("aipc", *arguments, user=True, timeout_s=timeout_s)

    def _lines(self, *arguments: str, program: str = "aipc") -> list[dict[str, Any]]:
        done = self._bare.run(program, *arguments, user=True, timeout_s=1800)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def _home(self) -> Path:
        return self._bare.root / HOME[1:]

    def _data(self) -> Path:
        return self._home() / ".local/share/aipc/aipc.sqlite"

    @contextmanager
    def _pretending(self, tool: str, prints: str) -> Iterator[str]:
        """A PATH on which a tool of the system prints what an older or smaller system would."""
        folder = self._bare.root / "pretended"
        folder.mkdir()
        (folder / tool).write_text(f"#!/bin/sh\nprintf '%b\\n' '{prints}'\n")
        (folder / tool).chmod(0o755)
        try:
            yield "/pretended:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        finally:
            shutil.rmtree(folder)


def told(command: list[str], folder: Path) -> str:
    """What a command prints that succeeds. Raises AssertionError with what it said when it doesn't."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def deb() -> Path:
    """The Debian package of the last build."""
    return next(DIST.glob("aipc_*.deb"))


def run_file(*, complete: bool = False) -> Path:
    """The file that unpacks itself; `complete`: the one with the default model."""
    return next(path for path in DIST.glob("aipc-*.run") if ("complete" in path.name) is complete)


def link(source: Path, target: Path) -> None:
    """One file at two places of a disk."""
    target.unlink(missing_ok=True)
    target.hardlink_to(source)
