"""The operating system keeps the memory limit, and lets go of it afterwards."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
from aipc_app.reader.limits import memory_limit
try:
    with memory_limit(64 << 20):
        bytearray(200 << 20)
except MemoryError:
    print("refused", len(bytearray(200 << 20)) >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps a limit on address space")
def test_memory_over_the_limit_is_refused_until_the_file_is_done() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["refused", "200"]
