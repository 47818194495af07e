"""Packages of Debian unpacked into a folder of ours, with nothing installed and the system's list of sources untouched.

They come through the mirror that the system uses already, checked against Debian's keys: apt itself fetches them, with
a list of sources, a list of packages and a cache of its own. No root is needed.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setting_up import caches, say
from setting_up.say import SetupError

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_ARCHIVE = re.compile(r"^(https?://\S*?/debian)/? (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Wanted:
    """Packages by name or name/suite: `programs` with what they depend on and the system lacks, `files` alone.

    `suites` are needed besides the release's own."""

    suites: tuple[str, ...]
    programs: tuple[str, ...]
    files: tuple[str, ...]


def codename() -> str:
    """The release of Debian this is, like "bookworm"; "" for another system or where apt or its keys are missing."""
    try:
        known = platform.freedesktop_os_release()
    except OSError:
        return ""
    usable = known.get("ID") == "debian" and KEYRING.is_file()
    tools = all(shutil.which(tool) for tool in ("apt-get", "dpkg-deb"))
    return known.get("VERSION_CODENAME", "") if usable and tools else ""


def unpacked(folder: Path, release: str, wanted: Wanted, log: Path) -> Path:
    """The packages' files under `folder`, unpacked there once. Raises SetupError when they can't be had."""
    with caches.locked(folder.with_name(folder.name + ".lock"), "another set-up that unpacks packages"):
        if folder.is_dir():
            return folder
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".unpacking-") as unfinished:
            root = Path(unfinished) / "root"
            root.mkdir()
            for package in _fetched(Path(unfinished) / "apt", release, wanted, log):
                say.must_run(["dpkg-deb", "--extract", package, root], log, f"{package.name} could not be unpacked.")
            root.replace(folder)
        return folder


def mirror(targets: str) -> str | None:
    """The address of Debian's archive in what `apt-get indextargets` lists as "address codename"."""
    found = _ARCHIVE.search(targets)
    return found[1] if found else None


def _fetched(folder: Path, release: str, wanted: Wanted, log: Path) -> list[Path]:
    listing = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)"]
    targets = subprocess.run(listing, capture_output=True, text=True, check=False).stdout
    address = mirror(targets)
    if address is None:
        raise SetupError("No mirror of Debian's archive is among this system's package sources.")
    apt = ["apt-get", *_options(folder, address, (release, *wanted.suites))]
    what_failed = "Debian's packages could not be fetched."
    say.must_run([*apt, "update"], log, "Debian's lists of packages could not be fetched.")
    say.must_run([*apt, "--download-only", "--reinstall", "install", *wanted.programs], log, what_failed)
    archives = folder / "cache" / "archives"
    # These without what they depend on: they are only read by a compiler. apt puts them where it was started.
    say.must_run(["env", "-C", archives, *apt, "download", *wanted.files], log, what_failed)
    return sorted(archives.glob("*.deb"))


def _options(folder: Path, address: str, suites: Sequence[str]) -> list[str]:
    """Options that keep apt inside `folder`; only what is installed is asked of the system."""
    for part in ("state/lists/partial", "cache/archives/partial"):
        (folder / part).mkdir(parents=True)
    sources = folder / "sources.list"
    sources.write_text("".join(f"deb [signed-by={KEYRING}] {address} {suite} main\n" for suite in suites))
    settings = {
        "Dir::Etc::SourceList": sources, "Dir::Etc::SourceParts": "/dev/null", "Dir::State": folder / "state",
        "Dir::State::status": "/var/lib/dpkg/status", "Dir::Cache": folder / "cache", "Debug::NoLocking": "true",
        "APT::Default-Release": suites[0], "APT::Sandbox::User": _me(), "Acquire::Languages": "none",
        "APT::Get::Assume-Yes": "true", "APT::Install-Recommends": "false", "APT::Get::AllowUnauthenticated": "false",
    }  # fmt: skip
    return [part for name, value in settings.items() for part in ("-o", f"{name}={value}")]


def _me() -> str:
    """Who fetches: apt's own user could not write into our folder."""
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name
