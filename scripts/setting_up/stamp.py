"""A note in the environment of what was installed into it, so that the next set-up sees what is to do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

NAME = "aipc-setup.json"


@dataclass(frozen=True)
class Stamp:
    """A digest of everything that decided the installation, and the extras that were asked for."""

    fingerprint: str
    extras: frozenset[str]

    def covers(self, wanted: Stamp) -> bool:
        """Whether what is installed is at least what is wanted."""
        return self.fingerprint == wanted.fingerprint and self.extras >= wanted.extras


def fingerprint(texts: Iterable[str], files: Iterable[Path]) -> str:
    """One digest over the texts and the contents of the files."""
    digest = hashlib.sha256()
    for content in (*(text.encode() for text in texts), *(path.read_bytes() for path in files)):
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def read(environment: Path) -> Stamp | None:
    """The stamp of that environment; None if there is none that can be read."""
    try:
        fields = json.loads((environment / NAME).read_text(encoding="utf-8"))
        return Stamp(fingerprint=fields["fingerprint"], extras=frozenset(fields["extras"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(environment: Path, stamp: Stamp) -> None:
    """Put the stamp down whole or not at all."""
    unfinished = environment / f"{NAME}.partial"
    unfinished.write_text(json.dumps({"fingerprint": stamp.fingerprint, "extras": sorted(stamp.extras)}))
    unfinished.replace(environment / NAME)


def remove(environment: Path) -> None:
    """From here on the environment is unfinished."""
    (environment / NAME).unlink(missing_ok=True)
