"""Files made newer ones by LibreOffice, where it is installed: a process of its own, without macros or network.

Each conversion has its own throwaway profile, a time limit, and is killed as a group with whatever it started.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aipc_app.reader.convert.base import Source
from aipc_app.reader.convert.spool import Spool

_LOG = logging.getLogger("aipc.reader")
_SECONDS = 90.0
_PLACES = (
    "/usr/lib/libreoffice/program/soffice",
    "/opt/libreoffice/program/soffice",
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    "C:/Program Files/LibreOffice/program/soffice.com",
    "C:/Program Files (x86)/LibreOffice/program/soffice.com",
)
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel"><value>3</value>
</prop><prop oor:name="DisableMacrosExecution"><value>true</value></prop>
<prop oor:name="DisableActiveContent"><value>true</value></prop>
<prop oor:name="BlockUntrustedRefererLinks"><value>true</value></prop></item>
<item oor:path="/org.openoffice.Office.Writer/Content/Update"><prop oor:name="Link"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update"><prop oor:name="Link"><value>2</value></prop></item>
</oor:items>
"""
# What outlives this process, when it is killed, ends by itself; the shell's limit holds for all that is started.
_CPU_LIMIT = () if sys.platform == "win32" else ("/bin/sh", "-c", 'ulimit -t 120; exec "$@"', "sh")
_NOWHERE = "http://127.0.0.1:9"  # a proxy that isn't there: linked pictures are not fetched


def libreoffice() -> Path | None:
    """The program, on the path or in the usual places."""
    for name in ("soffice", "libreoffice"):
        found = shutil.which(name)
        if found is not None:
            return Path(found)
    return next((place for place in map(Path, _PLACES) if place.is_file()), None)


@contextmanager
def converted(source: Source, kind: str) -> Iterator[Path | None]:
    """The file as `kind` (an extension), for as long as the block lasts; None without LibreOffice or a result."""
    program = libreoffice()
    if program is None:
        yield None
        return
    with Spool(source.work_folder) as spool:
        original = spool.folder / f"original.{source.extension or 'doc'}"
        shutil.copyfile(source.path, original)
        original.chmod(0o600)
        yield _run(program, original, kind, spool.folder)


def _run(program: Path, original: Path, kind: str, folder: Path) -> Path | None:
    profile = folder / "profile" / "user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(_PROFILE, encoding="utf-8")
    command = [
        str(program), f"-env:UserInstallation={profile.parent.as_uri()}", "--headless", "--norestore", "--nologo",
        "--nodefault", "--nolockcheck", "--convert-to", kind, "--outdir", str(folder), str(original),
    ]  # fmt: skip
    process = subprocess.Popen(
        [*_CPU_LIMIT, *command], cwd=folder, env=_environment(folder),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        _LOG.warning("LibreOffice took longer than %.0f seconds and was stopped", _SECONDS)
    finally:
        _kill_group(process)
    made = original.with_suffix(f".{kind}")
    return made if made.is_file() and made.stat().st_size else None


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return kept | {
        "HOME": str(folder), "TMPDIR": str(folder), "http_proxy": _NOWHERE, "https_proxy": _NOWHERE,
        "SAL_USE_VCLPLUGIN": "svp",
    }  # fmt: skip


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """The launcher and the office program it started, which has the group's id."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
