"""The one build of llama.cpp: its flags, its name in the cache, what is accepted as a result."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest
from setting_up import llama_wheel
from setting_up.llama_wheel import Build, VulkanHeaders
from setting_up.say import SetupError

HEADER = """\
#define VK_HEADER_VERSION {patch}
#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION(0, 1, {minor}, VK_HEADER_VERSION)
"""
SYSTEM = "linux-x86_64-glibc2_36"


def put_headers(prefix: Path, minor: int, patch: int) -> Path:
    header = prefix / "include" / "vulkan" / "vulkan_core.h"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER.format(minor=minor, patch=patch))
    return prefix


@pytest.fixture
def shader_compiler(tmp_path: Path) -> str:
    """A folder for PATH that has glslc in it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "glslc").write_text("#!/bin/sh\n")
    (folder / "glslc").chmod(stat.S_IRWXU)
    return str(folder)


def wheel_with(tmp_path: Path, *names: str) -> Path:
    wheel = tmp_path / "llama_cpp_python-0.3.36-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in names:
            archive.writestr(name, b"")
    return wheel


def test_no_build_is_for_the_cpu_in_front_of_us() -> None:
    arguments = Build("0.3.36", None, SYSTEM).cmake_arguments
    assert arguments == "-DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON"


def test_new_enough_vulkan_headers_add_the_gpu_backend(tmp_path: Path, shader_compiler: str) -> None:
    prefix = put_headers(tmp_path / "sdk", 4, 309)
    environment = {"PATH": shader_compiler, "AIPC_VULKAN_HEADERS": str(prefix)}
    build = llama_wheel.planned("0.3.36", environment)
    assert build.vulkan == VulkanHeaders(prefix, (1, 4, 309))
    assert "-DGGML_VULKAN=ON" in build.cmake_arguments
    assert f"-DVulkan_INCLUDE_DIR={prefix}/include" in build.cmake_arguments


def test_old_vulkan_headers_are_left_alone(tmp_path: Path, shader_compiler: str) -> None:
    prefix = put_headers(tmp_path / "old", 3, 239)
    assert llama_wheel.vulkan_version(prefix) == (1, 3, 239)
    found = llama_wheel.find_vulkan({"PATH": shader_compiler, "AIPC_VULKAN_HEADERS": str(prefix)})
    assert found is None or found.prefix != prefix


def test_without_the_shader_compiler_there_is_no_gpu_backend(tmp_path: Path) -> None:
    prefix = put_headers(tmp_path / "sdk", 4, 309)
    assert llama_wheel.find_vulkan({"PATH": str(tmp_path), "AIPC_VULKAN_HEADERS": str(prefix)}) is None


def test_the_cache_keeps_builds_apart_that_differ() -> None:
    headers = VulkanHeaders(Path("/a"), (1, 4, 309))
    builds = [
        Build("0.3.36", None, SYSTEM),
        Build("0.3.37", None, SYSTEM),
        Build("0.3.36", None, "linux-aarch64-glibc2_36"),
        Build("0.3.36", headers, SYSTEM),
        Build("0.3.36", VulkanHeaders(Path("/a"), (1, 4, 320)), SYSTEM),
    ]
    assert len({build.key for build in builds}) == len(builds)
    assert Build("0.3.36", VulkanHeaders(Path("/elsewhere"), (1, 4, 309)), SYSTEM).key == builds[3].key


def test_flags_from_the_user_s_environment_do_not_reach_the_compiler() -> None:
    build = Build("0.3.36", None, SYSTEM)
    hostile = {"CFLAGS": "-march=native", "CMAKE_ARGS": "-DGGML_NATIVE=ON", "SKBUILD_CMAKE_ARGS": "x", "HOME": "/h"}
    environment = llama_wheel.build_environment(build, hostile)
    assert environment["CMAKE_ARGS"] == build.cmake_arguments
    assert environment["HOME"] == "/h"
    assert not {"CFLAGS", "SKBUILD_CMAKE_ARGS"} & set(environment)
    assert int(environment["CMAKE_BUILD_PARALLEL_LEVEL"]) >= 1


def test_a_wheel_with_cpu_variants_is_accepted(tmp_path: Path) -> None:
    llama_wheel.check(wheel_with(tmp_path, "llama_cpp/lib/libllama.so", "bin/libggml-cpu-haswell.so"))


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (("llama_cpp/lib/libllama.so", "llama_cpp/lib/libggml-cpu.so"), "one CPU only"),
        (("bin/libggml-cpu-haswell.so",), "no llama library"),
    ],
)
def test_a_wheel_that_would_crash_elsewhere_is_refused(tmp_path: Path, names: tuple[str, ...], reason: str) -> None:
    with pytest.raises(SetupError, match=reason):
        llama_wheel.check(wheel_with(tmp_path, *names))


def test_installed_cpu_variants_are_found(tmp_path: Path) -> None:
    assert not llama_wheel.has_cpu_variants(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "libggml-cpu-zen4.so").touch()
    assert llama_wheel.has_cpu_variants(tmp_path)


def test_the_compiler_s_progress_is_told_every_five_percent(capsys: pytest.CaptureFixture[str]) -> None:
    show = llama_wheel._Percentage()
    for line in ("  [1/200] /usr/bin/g++ a.cpp", "  [11/200] x", "Building wheel", "  [12/200] x", "  [200/200] x"):
        show(line)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["5%", "100%"]


def put_pip(tmp_path: Path, wheel: Path) -> Path:
    """An interpreter whose `pip wheel` copies that wheel and notes its arguments and flags."""
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\necho "$CMAKE_ARGS $@" >> {tmp_path}/asked\n'
        f'while [ "$1" != --wheel-dir ]; do shift; done\ncp {wheel} "$2"\n'
    )
    python.chmod(stat.S_IRWXU)
    return python


def test_the_wheel_is_built_from_source_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    built = wheel_with(tmp_path, "llama_cpp/lib/libllama.so", "bin/libggml-cpu-haswell.so")
    python, build = put_pip(tmp_path, built), Build("0.3.36", None, SYSTEM)
    first = llama_wheel.provide(build, python, tmp_path / "log")
    assert llama_wheel.provide(build, python, tmp_path / "log") == first
    assert first.read_bytes() == built.read_bytes()
    asked = (tmp_path / "asked").read_text().splitlines()
    assert len(asked) == 1
    assert asked[0].startswith(build.cmake_arguments)
    assert "--no-cache-dir --no-binary=llama-cpp-python" in asked[0]


def test_a_build_for_one_cpu_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    python = put_pip(tmp_path, wheel_with(tmp_path, "llama_cpp/lib/libllama.so", "llama_cpp/lib/libggml-cpu.so"))
    with pytest.raises(SetupError, match="one CPU only"):
        llama_wheel.provide(Build("0.3.36", None, SYSTEM), python, tmp_path / "log")
    assert list((tmp_path / "cache").rglob("*.whl")) == []
