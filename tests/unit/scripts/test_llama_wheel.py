"""The one build of llama.cpp: its flags, its name in the cache, what is accepted as a result."""

from __future__ import annotations

import platform
import shlex
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest
from setting_up import llama_wheel
from setting_up.llama_wheel import Build
from setting_up.say import SetupError

SYSTEM = "linux-x86_64-glibc2_36"


def wheel_with(tmp_path: Path, *names: str) -> Path:
    wheel = tmp_path / "llama_cpp_python-0.3.36-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in names:
            archive.writestr(name, b"")
    return wheel


def test_no_build_is_for_the_cpu_in_front_of_us() -> None:
    arguments = Build("0.3.36", SYSTEM).cmake_arguments
    assert arguments == "-DGGML_NATIVE=OFF -DGGML_BACKEND_DL=ON -DGGML_CPU_ALL_VARIANTS=ON"


def test_the_cache_keeps_builds_apart_that_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    builds = [Build("0.3.36", SYSTEM), Build("0.3.37", SYSTEM), Build("0.3.36", "linux-aarch64-glibc2_36")]
    keys = {build.key for build in builds}
    monkeypatch.setattr(llama_wheel, "PORTABLE_FLAGS", ("-DGGML_NATIVE=ON",))
    assert len({*keys, builds[0].key}) == len(builds) + 1


def test_flags_from_the_user_s_environment_do_not_reach_the_compiler() -> None:
    build = Build("0.3.36", SYSTEM)
    native = {"CFLAGS": "-march=native", "CXXFLAGS": "-march=native", "CMAKE_ARGS": "-DGGML_NATIVE=ON"}
    hostile = {**native, "SKBUILD_CMAKE_ARGS": "x", "HOME": "/h"}
    environment = llama_wheel.build_environment(build, hostile)
    assert environment["CMAKE_ARGS"] == build.cmake_arguments
    assert environment["HOME"] == "/h"
    assert not {"CFLAGS", "SKBUILD_CMAKE_ARGS"} & set(environment)
    assert "native" not in environment.get("CXXFLAGS", "")
    assert int(environment["CMAKE_BUILD_PARALLEL_LEVEL"]) >= 1


@pytest.mark.skipif(shutil.which("g++") is None or platform.machine() != "x86_64", reason="a compiler for x86-64")
def test_a_tile_s_whole_shape_reaches_the_cpu(tmp_path: Path) -> None:
    """Without the header older compilers drop 56 of the 64 bytes, and Sapphire Rapids ends the process."""
    source, out = tmp_path / "tile.cpp", tmp_path / "tile.s"
    source.write_text(
        "#include <immintrin.h>\n"
        "void load() {\n"
        "    alignas(64) unsigned char shape[64] = {1};\n"
        "    for (int i = 0; i < 8; i++) { shape[16 + 2 * i] = 64; shape[48 + i] = 77; }\n"
        "    _tile_loadconfig(shape);\n"
        "}\n"
    )
    flags = ["-O3", "-mavx512f", "-mamx-tile", *shlex.split(llama_wheel.compiler_flags())]
    subprocess.run(["g++", *flags, "-S", source, "-o", out], check=True)
    text = out.read_text()
    assert str(0x4D4D4D4D4D4D4D4D) in text or str(0x4D4D4D4D) in text  # eight rows of 77 bytes are stored


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
    show = llama_wheel.Percentage()
    part_of_its_own = ("[1/2] x", "[2/2] x")
    for line in ("  [1/200] /usr/bin/g++ a.cpp", *part_of_its_own, "  [11/200] x", "Building wheel", "  [12/200] x",
                 "  [200/200] x"):  # fmt: skip
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
    python, build = put_pip(tmp_path, built), Build("0.3.36", SYSTEM)
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
        llama_wheel.provide(Build("0.3.36", SYSTEM), python, tmp_path / "log")
    assert list((tmp_path / "cache").rglob("*.whl")) == []
