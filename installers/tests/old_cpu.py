"""The installed program on a CPU without AVX (2010), emulated by qemu-user: it answers with the tiny model.

`installers/tests/old_cpu.py [TREE]`, where TREE is an unpacked program folder. Every process of the program is started
through the emulator: one that were not would run on the real CPU and prove nothing, so the variant of llama.cpp that
was chosen is looked at too. The embedder needs AVX2; search must go on by keyword, and say so. qemu-user passes on the
real /proc/cpuinfo, so one that fits the emulated CPU is laid over it, which takes root.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CPU = "Nehalem"
TINY = "smollm2-135m-instruct-q4_1.gguf"
TEXT = "The loan contract was signed on 5 March 2021. The principal of the loan is 500,000 yuan.\n"
QUESTION = "What is the principal of the loan?"
# What came after it, as Linux names it.
_LATER = re.compile(r"avx|fma|f16c|bmi|adx|sha_ni|amx|v?aes|v?pclmul|gfni|movbe|rdrand|rdseed|xsave|abm")
_OVER_CPUINFO = 'mount --bind "$0" /proc/cpuinfo && exec "$@"'
# The interpreter's own idea of how it was started decides how it starts the children.
_START = "import sys; sys.executable = sys.argv.pop(1); from aipc_app.__main__ import main; sys.exit(main())"


class Emulated:
    """The program under the emulator, over a home of its own."""

    def __init__(self, tree: Path, folder: Path) -> None:
        python = tree / "python" / "bin" / "python3"
        self._through = folder / "python3"
        self._through.write_text(f'#!/bin/sh\nexec qemu-x86_64 -cpu {CPU} "{python}" "$@"\n')
        self._through.chmod(0o755)
        self._cpuinfo = folder / "cpuinfo"
        self._cpuinfo.write_text(_without_later_flags(Path("/proc/cpuinfo").read_text(encoding="utf-8")))
        self._environment = {
            **os.environ, "AIPC_HOME": str(folder / "home"), "AIPC_MODELS": str(ROOT / ".models"),
            "PYTHONSAFEPATH": "1", "PYTHONNOUSERSITE": "1",
        }  # fmt: skip

    def run(self, *arguments: str) -> list[dict[str, Any]]:
        """A command's JSON lines. Raises AssertionError with what it said on failure."""
        command = [str(self._through), "-c", _START, str(self._through), *arguments, "--json"]
        alone = ["unshare", "--mount", "sh", "-c", _OVER_CPUINFO, str(self._cpuinfo)]
        done = subprocess.run([*alone, *command], capture_output=True, text=True, env=self._environment)
        assert done.returncode == 0 or "doctor" in arguments, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]


def _without_later_flags(cpuinfo: str) -> str:
    def kept(line: str) -> str:
        name, colon, value = line.partition(":")
        if name.strip() not in ("flags", "model name"):
            return line
        value = " ".join(flag for flag in value.split() if not _LATER.match(flag)) if name.strip() == "flags" else CPU
        return f"{name}{colon} {value}"

    return "".join(f"{kept(line)}\n" for line in cpuinfo.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(prog="old_cpu.py", description="Run the program on an emulated CPU without AVX.")
    parser.add_argument("tree", nargs="?", type=Path, default=ROOT / "build" / "installer" / "tree")
    tree = parser.parse_args().tree
    if shutil.which("qemu-x86_64") is None:
        print("This needs qemu-x86_64: apt-get install qemu-user", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        _prove(Emulated(tree, Path(folder)), Path(folder))
    return 0


def _prove(program: Emulated, folder: Path) -> None:
    started = time.monotonic()
    (report,) = program.run("doctor")
    variant = report["versions"]["cpu_backend"]
    print(f"doctor ({time.monotonic() - started:.0f} s): {variant}; problems: {report['problems']}", flush=True)
    assert "sse42" in variant, "the real CPU was seen, not the emulated one"
    assert report["versions"]["embedder"] == "none"
    assert any("no AVX2" in problem and "by keyword" in problem for problem in report["problems"]), report["problems"]
    (folder / "contract.txt").write_text(TEXT)
    (added,) = program.run("add", "--case", "loan", str(folder / "contract.txt"))
    assert added["status"] == "indexed_with_gaps" and "by keyword only" in added["reason"], added
    program.run("models", "use", TINY.removesuffix("-q4_1.gguf"))
    (found,) = program.run("search", "--case", "loan", "principal")
    assert "500,000" in found["passages"][0]["text"]
    assert found["missing"] == ["vector"], found["missing"]
    print(f"indexed, found by keyword, which it says ({time.monotonic() - started:.0f} s)", flush=True)
    (answer,) = program.run("ask", "--case", "loan", QUESTION, "--max-tokens", "40")
    assert answer["timing"]["generated_tokens"] > 0
    print(f"answered ({time.monotonic() - started:.0f} s): {answer['answer']!r} {answer['citations']}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
