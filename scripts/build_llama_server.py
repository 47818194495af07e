"""Builds llama-server and llama-bench, the peers of `aipc bench kv` and `aipc bench decode`, from llama-cpp-python's
own sources.

Once for this user, into the cache; about ten minutes. Needs cmake, a C++ compiler and the package index. Not part of
the program: without it the benchmark lists the comparison under `skipped`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "0.3.36"
AMX_TILES = Path(__file__).parent / "setting_up" / "amx_tiles.h"  # as the program's own build has it
TARGETS = ("llama-server", "llama-bench")
FLAGS = (
    "-DCMAKE_BUILD_TYPE=Release", "-DGGML_NATIVE=ON", "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_SERVER=ON",
    "-DLLAMA_BUILD_TOOLS=ON", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_CURL=OFF",
    "-DLLAMA_OPENSSL=OFF",
)  # fmt: skip


def place() -> Path:
    """Where the benchmarks look for them."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "aipc"
    return cache / f"llama-server-{VERSION}"


def main() -> int:
    if all((place() / name).exists() for name in TARGETS):
        print(f"{place()} is there already")
        return 0
    with tempfile.TemporaryDirectory(prefix="llama-server-") as folder:
        built = build(Path(folder))
        place().mkdir(parents=True, exist_ok=True)
        for name in TARGETS:
            half = place() / f"{name}.half"
            shutil.copy2(built / name, half)
            half.replace(place() / name)
    print(place())
    return 0


def build(folder: Path) -> Path:
    """Download, unpack, compile; the folder with the programs. Raises CalledProcessError."""
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary=llama-cpp-python"]
    subprocess.run([*pip, "--dest", folder, f"llama-cpp-python=={VERSION}"], check=True)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    source = next(p for p in folder.glob("llama_cpp_python-*") if p.is_dir()) / "vendor" / "llama.cpp"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    flags = (*FLAGS, f'-DCMAKE_CXX_FLAGS=-include "{AMX_TILES}"')
    subprocess.run(["cmake", "-S", source, "-B", folder / "build", *generator, *flags], check=True)
    jobs = str(os.cpu_count() or 1)
    subprocess.run(["cmake", "--build", folder / "build", "--target", *TARGETS, "-j", jobs], check=True)
    return folder / "build" / "bin"


if __name__ == "__main__":
    sys.exit(main())
