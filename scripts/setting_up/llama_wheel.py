"""The one build of llama.cpp, for every CPU of this family; its backend for GPUs is a step of its own.

pip's own cache of wheels is passed over on both ends: it doesn't know CMake flags, and a wheel that somebody
built for the CPU in front of them (-march=native) crashes on the next machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from setting_up import caches, say
from setting_up.say import SetupError

PORTABLE_FLAGS = ("-DGGML_NATIVE=OFF", "-DGGML_BACKEND_DL=ON", "-DGGML_CPU_ALL_VARIANTS=ON")
# Mends a fault of older compilers on CPUs with AMX; the file says which.
AMX_TILES = Path(__file__).with_name("amx_tiles.h")
# These would change the build without changing its name in the cache.
FOREIGN_FLAGS = ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS")
BYTES_PER_COMPILER = 1 << 30
PACKAGE = "llama-cpp-python"
PIP_OPTIONS = ("--verbose", "--no-deps", "--no-cache-dir", f"--no-binary={PACKAGE}")


@dataclass(frozen=True)
class Build:
    """What makes one build differ from another."""

    version: str
    system: str

    @property
    def key(self) -> str:
        """Its folder in the cache."""
        parts = self.cmake_arguments.encode() + AMX_TILES.read_bytes()
        digest = hashlib.sha256(parts).hexdigest()[:12]
        return f"llama-cpp-python-{self.version}-{self.system}-{digest}"

    @property
    def cmake_arguments(self) -> str:
        return " ".join(PORTABLE_FLAGS)


def planned(version: str) -> Build:
    """The build for this machine."""
    return Build(version=version, system=caches.system_tag())


def folder(build: Build) -> Path:
    """Where the cache keeps the wheel of this build."""
    return caches.user_cache() / "wheels" / build.key


def provide(build: Build, python: Path, log: Path) -> Path:
    """The wheel of this build, from the cache or built now. Raises SetupError."""

    def compile_into(target: Path) -> None:
        say.step(f"Building llama.cpp {build.version}, once for all checkouts: about 10 minutes")
        requirement = f"{PACKAGE}=={build.version}"
        say.must_run(
            [python, "-m", "pip", "wheel", *PIP_OPTIONS, "--wheel-dir", target, requirement],
            log,
            "llama.cpp could not be built.",
            on_line=Percentage(),
            environment=build_environment(build, os.environ),
        )
        if wheel := caches.wheel_in(target):
            check(wheel)

    return caches.built_once(folder(build), compile_into)


def build_environment(build: Build, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of that build."""
    mended = {} if os.name == "nt" else {"CXXFLAGS": compiler_flags()}
    return clean_environment(environment) | {"CMAKE_ARGS": build.cmake_arguments} | mended


def compiler_flags() -> str:
    """For every C++ file of llama.cpp, where the compiler takes GCC's options."""
    return f'-include "{AMX_TILES}"'


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without flags from elsewhere, and with no more compilers at once than memory holds."""
    cleaned = {name: value for name, value in environment.items() if name not in FOREIGN_FLAGS}
    cleaned.setdefault("CMAKE_BUILD_PARALLEL_LEVEL", str(_compilers_at_once()))
    return cleaned


def check(wheel: Path) -> None:
    """Raises SetupError unless the wheel holds the library and its CPU variants (a plain build has none)."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    if not any(re.search(r"llama_cpp/lib/libllama\.", name) for name in names):
        raise SetupError(f"The wheel {wheel.name} holds no llama library.")
    if not any(is_cpu_variant(name) for name in names):
        raise SetupError(f"The wheel {wheel.name} was built for one CPU only, which is of no use elsewhere.")


def is_cpu_variant(name: str) -> bool:
    """Whether the path is a library for one class of CPUs, in the folder where they are looked for."""
    return re.search(r"(^|/)bin/(lib)?ggml-cpu-[a-z0-9_]+\.(so|dylib|dll)$", name) is not None


def has_cpu_variants(site_packages: Path) -> bool:
    """Whether a build for all CPUs is installed there."""
    return any(is_cpu_variant(path.as_posix()) for path in (site_packages / "bin").glob("*ggml-cpu-*"))


def _compilers_at_once() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return cores
    return max(1, min(cores, memory // BYTES_PER_COMPILER))


class Percentage:
    """Shows how far the compiler is, from Ninja's [done/all], every five percent."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._shown = self._all = 0

    def __call__(self, line: str) -> None:
        found = re.match(r"\s*\[(\d+)/(\d+)\] ", line)
        if found is None or int(found[2]) < self._all:  # a part that is built by a build of its own
            return
        self._all = int(found[2])
        percent = 100 * int(found[1]) // self._all
        if percent >= self._shown + 5:
            self._shown = percent
            say.detail(f"{percent}% compiled after {say.duration(time.monotonic() - self._started)}")
