"""A bare Debian (debootstrap's minbase: no Python, no compiler, no X) whose commands run without any network.

Each command gets a network namespace of its own with no interface in it, and is traced: every socket it makes, in
every process it starts, is written down by strace from outside.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

RELEASE = "bookworm"
USER, USER_ID = "clerk", 1000
_ENTER = """set -e
mount -t proc proc "$ROOT/proc"
for device in null zero urandom random; do
    touch "$ROOT/dev/$device"; mount --bind "/dev/$device" "$ROOT/dev/$device"
done
mkdir -p "$ROOT/dev/shm" "$ROOT/tmp/.X11-unix"
mount -t tmpfs tmpfs "$ROOT/dev/shm"
[ ! -d /tmp/.X11-unix ] || mount --bind /tmp/.X11-unix "$ROOT/tmp/.X11-unix"
[ -z "$SMALL_DISK" ] || mount -t tmpfs -o "size=$SMALL_DISK,mode=777" tmpfs "$ROOT$SMALL_AT"
exec chroot $AS "$ROOT" /usr/bin/env -i "$@"
"""
# A name look-up makes such a socket, too, where no nscd answers (and here none does).
_INTERNET = re.compile(r"AF_INET6?\b|sin6?_addr")


@dataclass
class Bare:
    """The root and what was traced in it."""

    root: Path
    work: Path
    traces: list[Path] = field(default_factory=list)

    def run(
        self,
        *command: str,
        user: bool = False,
        display: str = "",
        small_disk: str = "",
        small_at: str = "/small",
        environment: Sequence[str] = (),
        timeout_s: float = 900,
    ) -> subprocess.CompletedProcess[str]:
        """Run inside; returns output and status, whatever it is.

        `small_disk`: a disk of this size (as mount takes it) lies at `small_at` while the command runs.
        """
        return subprocess.run(
            self._command(command, display, environment, user),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            env=self._environment(user, small_disk, small_at),
        )

    def start(self, *command: str, display: str, environment: Sequence[str] = ()) -> subprocess.Popen[str]:
        """Run inside as the user, and go on."""
        return subprocess.Popen(
            self._command(command, display, environment, user=True),
            text=True,
            env=self._environment(True),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def internet(self) -> list[str]:
        """Every traced line that has to do with an internet socket or a name look-up."""
        lines = (line for trace in self.traces for line in trace.read_text(errors="replace").splitlines())
        return [line for line in lines if _INTERNET.search(line)]

    def traced(self) -> int:
        """How many calls to the network part of the kernel were traced in all (local sockets)."""
        return sum(len(trace.read_text(errors="replace").splitlines()) for trace in self.traces)

    def _command(self, command: Sequence[str], display: str, environment: Sequence[str], user: bool) -> list[str]:
        trace = self.work / f"trace-{len(self.traces):02}"
        self.traces.append(trace)
        home = f"/home/{USER}" if user else "/root"
        inside = [f"HOME={home}", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
        inside += [*([f"DISPLAY={display}"] if display else []), *environment]
        return [
            "strace",
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-e",
            "trace=%network",
            "-o",
            str(trace),
            "unshare",
            "--net",
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-c",
            _ENTER,
            "enter",
            *inside,
            *command,
        ]

    def _environment(self, user: bool, small_disk: str = "", small_at: str = "") -> dict[str, str]:
        as_user = f"--userspec={USER_ID}:{USER_ID}" if user else "--groups="
        return {**os.environ, "ROOT": str(self.root), "AS": as_user, "SMALL_DISK": small_disk, "SMALL_AT": small_at}


def mirror() -> str:
    """Debian's archive as this system reaches it, else where everybody does."""
    listing = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    try:
        known = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        known = []
    return next((address for address in known if address.rstrip("/").endswith("/debian")), "http://deb.debian.org/debian")


def make(work: Path) -> Bare:
    """A fresh root; the downloaded one is kept as a tar file for the next time. Needs the network for the first."""
    work.mkdir(parents=True, exist_ok=True)
    kept = work / f"{RELEASE}.tar"
    root = work / "root"
    shutil.rmtree(root, ignore_errors=True)
    if not kept.is_file():
        make = ["debootstrap", "--variant=minbase", RELEASE, str(root), mirror()]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["tar", "-cf", kept, "-C", root, "."], check=True)
    else:
        root.mkdir()
        subprocess.run(["tar", "-xf", kept, "-C", root], check=True)
    made = Bare(root, work)
    for old in work.glob("trace-*"):
        old.unlink()
    (root / "etc/dpkg/dpkg.cfg.d/fast").write_text("force-unsafe-io\n")  # this root need not survive a power cut
    (root / "small").mkdir()
    (root / "media").mkdir(exist_ok=True)
    assert made.run("useradd", "-m", "-u", str(USER_ID), USER).returncode == 0
    return made
