"""The one build of llama.cpp: for every CPU of this family, with a GPU backend where its headers are at hand.

pip's own cache of wheels is passed over on both ends: it doesn't know CMake flags, and a wheel that somebody
built for the CPU in front of them (-march=native) crashes on the next machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from setting_up import caches, say
from setting_up.say import SetupError

PORTABLE_FLAGS = ("-DGGML_NATIVE=OFF", "-DGGML_BACKEND_DL=ON", "-DGGML_CPU_ALL_VARIANTS=ON")
OLDEST_VULKAN_HEADERS = (1, 4, 309)
# A folder with include/vulkan (and share/cmake for the SPIR-V headers), used instead of the system's.
VULKAN_HEADERS_VARIABLE = "AIPC_VULKAN_HEADERS"
# These would change the build without changing its name in the cache.
FOREIGN_FLAGS = ("CMAKE_ARGS", "SKBUILD_CMAKE_ARGS", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS")
BYTES_PER_COMPILER = 1 << 30
PACKAGE = "llama-cpp-python"
PIP_OPTIONS = ("--verbose", "--no-deps", "--no-cache-dir", f"--no-binary={PACKAGE}")


@dataclass(frozen=True)
class VulkanHeaders:
    """Headers new enough for llama.cpp, under `prefix`/include."""

    prefix: Path
    version: tuple[int, int, int]


@dataclass(frozen=True)
class Build:
    """What makes one build differ from another."""

    version: str
    vulkan: VulkanHeaders | None
    system: str

    @property
    def flags(self) -> tuple[str, ...]:
        return (*PORTABLE_FLAGS, *(("-DGGML_VULKAN=ON",) if self.vulkan else ()))

    @property
    def key(self) -> str:
        """Its folder in the cache. Where the headers lie doesn't count, which they are does."""
        parts = [*self.flags, *(map(str, self.vulkan.version) if self.vulkan else ())]
        digest = hashlib.sha256(" ".join(parts).encode()).hexdigest()[:12]
        return f"llama-cpp-python-{self.version}-{self.system}-{digest}"

    @property
    def cmake_arguments(self) -> str:
        if self.vulkan is None:
            return " ".join(self.flags)
        prefix = self.vulkan.prefix
        return " ".join(
            (*self.flags, f"-DVulkan_INCLUDE_DIR={prefix}/include", f"-DCMAKE_PREFIX_PATH={prefix}")
        )


def planned(version: str, environment: Mapping[str, str]) -> Build:
    """The build for this machine."""
    return Build(version=version, vulkan=find_vulkan(environment), system=caches.system_tag())


def find_vulkan(environment: Mapping[str, str]) -> VulkanHeaders | None:
    """Vulkan headers that llama.cpp can use, with the shader compiler it needs; None if either is lacking."""
    if shutil.which("glslc", path=environment.get("PATH")) is None:
        return None
    named = [environment[name] for name in (VULKAN_HEADERS_VARIABLE, "VULKAN_SDK") if environment.get(name)]
    for prefix in map(Path, [*named, "/usr", "/usr/local"]):
        version = vulkan_version(prefix)
        if version is not None and version >= OLDEST_VULKAN_HEADERS:
            return VulkanHeaders(prefix=prefix, version=version)
    return None


def vulkan_version(prefix: Path) -> tuple[int, int, int] | None:
    """The version that the headers under `prefix`/include say they are."""
    try:
        text = (prefix / "include" / "vulkan" / "vulkan_core.h").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    patch = re.search(r"#define VK_HEADER_VERSION (\d+)", text)
    complete = re.search(r"#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION\(\d+, (\d+), (\d+),", text)
    return (int(complete[1]), int(complete[2]), int(patch[1])) if patch and complete else None


def folder(build: Build) -> Path:
    """Where the cache keeps the wheel of this build."""
    return caches.user_cache() / "wheels" / build.key


def provide(build: Build, python: Path, log: Path) -> Path:
    """The wheel of this build, from the cache or built now. Raises SetupError."""

    def compile_into(target: Path) -> None:
        devices = "CPU and Vulkan" if build.vulkan else "CPU"
        say.step(f"Building llama.cpp {build.version} ({devices}), once for all checkouts: about 10 minutes")
        requirement = f"{PACKAGE}=={build.version}"
        say.must_run(
            [python, "-m", "pip", "wheel", *PIP_OPTIONS, "--wheel-dir", target, requirement],
            log,
            "llama.cpp could not be built.",
            on_line=_Percentage(),
            environment=build_environment(build, os.environ),
        )
        if wheel := caches.wheel_in(target):
            check(wheel)

    return caches.built_once(folder(build), compile_into)


def build_environment(build: Build, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without flags from elsewhere, and with no more compilers at once than memory holds."""
    cleaned = {name: value for name, value in environment.items() if name not in FOREIGN_FLAGS}
    cleaned["CMAKE_ARGS"] = build.cmake_arguments
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


class _Percentage:
    """Shows how far the compiler is, from Ninja's [done/all], every five percent."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._shown = 0

    def __call__(self, line: str) -> None:
        found = re.match(r"\s*\[(\d+)/(\d+)\] ", line)
        if found is None:
            return
        percent = 100 * int(found[1]) // int(found[2])
        if percent >= self._shown + 5:
            self._shown = percent
            say.detail(f"{percent}% compiled after {say.duration(time.monotonic() - self._started)}")
