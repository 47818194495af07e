"""Python that was built with a newer C library starts where a symbol's version is lacking, and computes the same."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from building import elf, older_glibc

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("readelf") is None, reason="ELF files, as readelf tells"
)
ASKS = "import cmath, math; print(math.hypot(3, 4), math.dist((0, 0), (3, 4)), abs(5 + 12j))"


class Interpreter:
    """A copy of this Python's program and library; `asking` is the file that asks for the symbol."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.program = folder / "python3"
        shutil.copyfile(Path(sys._base_executable).resolve(), self.program)  # type: ignore[attr-defined]
        self.program.chmod(0o755)
        self.asking = self.program
        if sysconfig.get_config_var("Py_ENABLE_SHARED"):
            self.asking = folder / str(sysconfig.get_config_var("INSTSONAME"))
            shutil.copyfile(Path(str(sysconfig.get_config_var("LIBDIR"))) / self.asking.name, self.asking)

    def run(self) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "LD_LIBRARY_PATH": str(self._folder), "PYTHONHOME": sys.base_prefix}
        return subprocess.run([self.program, "-c", ASKS], capture_output=True, text=True, env=environment)

    def lack_the_version(self) -> None:
        """Where the file still demands it, it demands one that no C library has: as on a system that is older."""
        data = self.asking.read_bytes().replace(b"GLIBC_2.35\0", b"GLIBC_9.99\0")
        hashes = (struct.pack("<I", older_glibc.hashed(name)) for name in ("GLIBC_2.35", "GLIBC_9.99"))
        self.asking.write_bytes(data.replace(*hashes))


@pytest.fixture
def interpreter(tmp_path: Path) -> Interpreter:
    made = Interpreter(tmp_path)
    if elf.read([made.asking])[0].glibc <= older_glibc.OLDEST:
        pytest.skip("this Python asks for nothing newer")
    return made


def test_without_it_the_loader_refuses_and_with_it_the_program_computes_the_same(interpreter: Interpreter) -> None:
    before = interpreter.run()
    asked = interpreter.asking.read_bytes()
    interpreter.lack_the_version()
    assert "GLIBC_9.99' not found" in interpreter.run().stderr
    interpreter.asking.write_bytes(asked)
    assert older_glibc.loosen_one(interpreter.asking)
    assert elf.read([interpreter.asking])[0].glibc <= older_glibc.OLDEST
    interpreter.lack_the_version()
    after = interpreter.run()
    assert (after.returncode, after.stdout, after.stderr) == (0, before.stdout, "")
    assert after.stdout.split()[0] == "5.0"


def test_a_file_that_asks_for_another_new_function_is_left_as_it_is(
    interpreter: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = interpreter.asking.read_bytes()
    monkeypatch.setattr(older_glibc, "SAME_FUNCTION", {})
    assert not older_glibc.loosen_one(interpreter.asking)
    assert interpreter.asking.read_bytes() == before
