"""llama.cpp's Vulkan backend: one library beside those for the CPUs, compiled from the same sources as the wheel.

It is a step of its own so that the wheel is the same everywhere: who has it in the cache compiles the backend alone,
and who has no GPU does without. llama.cpp loads it when it starts and finds no device where there is no driver.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from setting_up import caches, llama_wheel, say, software_gpu
from setting_up.say import SetupError

FLAGS = (
    "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON", "-DGGML_NATIVE=OFF", "-DGGML_BACKEND_DL=ON",
    "-DGGML_CPU=OFF", "-DGGML_VULKAN=ON", "-DCMAKE_BUILD_WITH_INSTALL_RPATH=ON", "-DCMAKE_INSTALL_RPATH=$ORIGIN",
)  # fmt: skip
# What the target doesn't need, left out of the configuration as well.
_UNUSED = ("COMMON", "TOOLS", "EXAMPLES", "TESTS", "SERVER")
TARGET = "ggml-vulkan"
OLDEST_HEADERS = (1, 4, 309)
# A folder with include/vulkan (and share/cmake for the SPIR-V headers), used instead of the system's.
HEADERS_VARIABLE = "AIPC_VULKAN_HEADERS"
_GPU_NODES = (("/dev/dri", "renderD*"), ("/dev", "nvidia[0-9]*"), ("/dev", "dxg"))
_LIBRARY = re.compile(r"^(lib)?ggml-vulkan\.(so|dll|dylib)$")


@dataclass(frozen=True)
class Tools:
    """Headers new enough for llama.cpp under `prefix`/include, and the shader compiler. `library` None: CMake looks.

    `libraries` is where the shader compiler finds what it links to, None for the system's."""

    prefix: Path
    version: tuple[int, int, int]
    glslc: Path
    library: Path | None = None
    libraries: Path | None = None

    @property
    def cmake_arguments(self) -> tuple[str, ...]:
        arguments = (
            f"-DVulkan_INCLUDE_DIR={self.prefix}/include", f"-DVulkan_GLSLC_EXECUTABLE={self.glslc}",
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
        )  # fmt: skip
        return (*arguments, f"-DVulkan_LIBRARY={self.library}") if self.library else arguments


def has_gpu() -> bool:
    """Whether the operating system shows a GPU that the backend could be for."""
    return any(next(Path(folder).glob(pattern), None) for folder, pattern in _GPU_NODES)


def provide(version: str, python: Path, site_packages: Path, log: Path) -> bool:
    """Put the backend of that llama-cpp-python beside the CPUs' libraries, compiling it if the cache lacks it.

    False, with the reason told, when this system can't; the program then runs without a GPU."""
    try:
        tools = find_tools(os.environ) or _unpacked_tools(log)
        if tools is None:
            say.detail("The GPU backend is left out: neither Vulkan headers of 1.4.309 nor a known Debian is here.")
            return False
        key = _key(version, tools)
        if not is_installed(site_packages, key):
            install(_built(version, tools, key, python, log), site_packages, key)
    except SetupError as error:
        say.detail(f"The GPU backend is left out: {error}")
        return False
    return True


def find_tools(environment: Mapping[str, str]) -> Tools | None:
    """The system's, or an SDK's; None if headers or shader compiler are lacking or too old."""
    glslc = shutil.which("glslc", path=environment.get("PATH"))
    if glslc is None:
        return None
    named = [environment[name] for name in (HEADERS_VARIABLE, "VULKAN_SDK") if environment.get(name)]
    for prefix in map(Path, [*named, "/usr", "/usr/local"]):
        found = vulkan_version(prefix)
        if found is not None and found >= OLDEST_HEADERS:
            return Tools(prefix=prefix, version=found, glslc=Path(glslc))
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


def is_installed(site_packages: Path, key: str) -> bool:
    """Whether this very build lies beside the CPUs' libraries."""
    note = _note(site_packages)
    return _installed(site_packages) is not None and note.is_file() and note.read_text() == key


def install(library: Path, site_packages: Path, key: str) -> None:
    """Put it there whole or not at all."""
    remove(site_packages)
    half = site_packages / "bin" / f".{library.name}.half"
    shutil.copy2(library, half)
    half.replace(site_packages / "bin" / library.name)
    _note(site_packages).write_text(key)


def remove(site_packages: Path) -> None:
    """A backend of another version would be loaded as well, and could crash what loads it."""
    _note(site_packages).unlink(missing_ok=True)
    if (library := _installed(site_packages)) is not None:
        library.unlink()


def belongs_to(site_packages: Path, version: str) -> bool:
    """Whether the backend that is there, if any, was made for that llama-cpp-python."""
    note = _note(site_packages)
    told = note.read_text() if note.is_file() else ""
    return _installed(site_packages) is None or told.startswith(f"{TARGET}-{version}-")


def _installed(site_packages: Path) -> Path | None:
    return next((path for path in (site_packages / "bin").glob("*ggml-vulkan*") if _LIBRARY.match(path.name)), None)


def _note(site_packages: Path) -> Path:
    return site_packages / "bin" / "ggml-vulkan.build"


def _unpacked_tools(log: Path) -> Tools | None:
    root = software_gpu.unpacked(log)
    if root is None:
        return None
    prefix = root / "usr"
    version, library = vulkan_version(prefix), software_gpu.library(root, "libvulkan.so.1")
    if version is None or library is None:
        raise SetupError(f"The unpacked packages in {root} lack Vulkan's headers; remove that folder and try again.")
    return Tools(prefix, version, prefix / "bin" / "glslc", library, library.parent)


def _key(version: str, tools: Tools) -> str:
    """Its folder in the cache. Where the headers lie doesn't count, which they are does."""
    parts = (*FLAGS, *map(str, tools.version))
    digest = hashlib.sha256(" ".join(parts).encode()).hexdigest()[:12]
    return f"{TARGET}-{version}-{caches.system_tag()}-{digest}"


def _built(version: str, tools: Tools, key: str, python: Path, log: Path) -> Path:
    def compile_into(target: Path) -> None:
        say.step(f"Building llama.cpp's Vulkan backend {version}, once for all checkouts: about 10 minutes")
        with tempfile.TemporaryDirectory(prefix="aipc-vulkan-") as folder:
            source = _source(version, python, Path(folder), log)
            _compile(source, Path(folder), tools, python, log)
            made = next(path for path in (Path(folder) / "build").rglob("*ggml-vulkan.*") if _LIBRARY.match(path.name))
            shutil.copy2(made, target / made.name)

    return caches.built_once(caches.user_cache() / "wheels" / key, compile_into, pattern="*ggml-vulkan.*")


def _source(version: str, python: Path, folder: Path, log: Path) -> Path:
    """llama.cpp as the wheel's own source package carries it."""
    requirement = f"{llama_wheel.PACKAGE}=={version}"
    options = ("--no-deps", f"--no-binary={llama_wheel.PACKAGE}", "--dest", folder)
    say.must_run([python, "-m", "pip", "download", *options, requirement], log, "llama.cpp's sources did not come.")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(folder.glob("llama_cpp_python-*/vendor/llama.cpp"))


def _compile(source: Path, folder: Path, tools: Tools, python: Path, log: Path) -> None:
    environment = llama_wheel.clean_environment(os.environ)
    if tools.libraries:
        environment["LD_LIBRARY_PATH"] = str(tools.libraries)
    cmake = _cmake(python, folder, environment, log)
    left_out = (*(f"-DLLAMA_BUILD_{name}=OFF" for name in _UNUSED), "-DLLAMA_CURL=OFF", "-DLLAMA_OPENSSL=OFF")
    arguments = (*FLAGS, *left_out, *tools.cmake_arguments)
    what_failed = "The Vulkan backend could not be built."
    configure: list[str | Path] = [cmake, "-S", source, "-B", folder / "build", "-G", "Ninja", *arguments]
    say.must_run(configure, log, what_failed, environment=environment)
    build: list[str | Path] = [cmake, "--build", folder / "build", "--target", TARGET, "--verbose"]
    say.must_run(build, log, what_failed, on_line=llama_wheel.Percentage(), environment=environment)


def _cmake(python: Path, folder: Path, environment: dict[str, str], log: Path) -> str:
    """The system's, with Ninja; else the packages of the index, into the build's folder."""
    found = shutil.which("cmake")
    if found and shutil.which("ninja"):
        return found
    tools = folder / "tools"
    command: list[str | Path] = [python, "-m", "pip", "install", "--target", tools, "cmake", "ninja"]
    say.must_run(command, log, "CMake could not be installed for the build.")
    environment["PATH"] = os.pathsep.join([str(tools / "bin"), environment.get("PATH", "")])
    environment["PYTHONPATH"] = str(tools)
    return str(tools / "bin" / "cmake")
