"""The Python to set up with. Kept in a form that old Pythons can read."""

import shutil
import subprocess
import sys
import typing

OLDEST = (3, 11)
NAMES = ("python3.11", "python3.12", "python3.13", "python3.14")
TOO_OLD = (
    "AIPC needs Python 3.11 or newer, but python3 here is {}.{}: install a newer one (on Debian and Ubuntu: "
    "apt-get install python3.11 python3.11-venv) and run the same command again.\n"
)


def run_with_newer(arguments: typing.Sequence[str]) -> int:
    """Let a newer Python run `arguments`; its exit status, or 1 with a sentence if there is none."""
    found = find_newer(NAMES)
    if not found:
        sys.stderr.write(TOO_OLD.format(*sys.version_info[:2]))
        return 1
    return subprocess.call([found] + list(arguments))  # noqa: RUF005


def find_newer(names: typing.Sequence[str]) -> str:
    """The path of the first of `names` that runs and is new enough, or an empty string."""
    for name in names:
        path = shutil.which(name)
        if path and is_new_enough(path):
            return path
    return ""


def is_new_enough(path: str) -> bool:
    """Runs it: a name alone proves nothing (version managers leave names that don't start)."""
    question = f"import sys; sys.exit(sys.version_info < {OLDEST!r})"
    try:
        return subprocess.call([path, "-c", question], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False
