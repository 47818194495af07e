"""The GPU backend: which tools it takes, its name in the cache, and that none of another version stays behind."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from setting_up import caches, software_gpu, vulkan_backend
from setting_up.vulkan_backend import Tools

HEADER = """\
#define VK_HEADER_VERSION {patch}
#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION(0, 1, {minor}, VK_HEADER_VERSION)
"""


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


def tools(prefix: str = "/a", version: tuple[int, int, int] = (1, 4, 309)) -> Tools:
    return Tools(Path(prefix), version, Path("/usr/bin/glslc"))


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A site-packages with one library for a CPU."""
    folder = tmp_path / "site-packages"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "libggml-cpu-zen4.so").touch()
    return folder


def test_new_enough_headers_are_taken(tmp_path: Path, shader_compiler: str) -> None:
    prefix = put_headers(tmp_path / "sdk", 4, 309)
    found = vulkan_backend.find_tools({"PATH": shader_compiler, "AIPC_VULKAN_HEADERS": str(prefix)})
    assert found is not None and (found.prefix, found.version) == (prefix, (1, 4, 309))
    assert f"-DVulkan_INCLUDE_DIR={prefix}/include" in found.cmake_arguments


def test_old_headers_are_left_alone(tmp_path: Path, shader_compiler: str) -> None:
    prefix = put_headers(tmp_path / "old", 3, 239)
    assert vulkan_backend.vulkan_version(prefix) == (1, 3, 239)
    found = vulkan_backend.find_tools({"PATH": shader_compiler, "AIPC_VULKAN_HEADERS": str(prefix)})
    assert found is None or found.prefix != prefix


def test_without_the_shader_compiler_there_are_no_tools(tmp_path: Path) -> None:
    prefix = put_headers(tmp_path / "sdk", 4, 309)
    assert vulkan_backend.find_tools({"PATH": str(tmp_path), "AIPC_VULKAN_HEADERS": str(prefix)}) is None


def test_the_cache_keeps_backends_apart_that_differ() -> None:
    keys = [
        vulkan_backend._key("0.3.36", tools()),
        vulkan_backend._key("0.3.37", tools()),
        vulkan_backend._key("0.3.36", tools(version=(1, 4, 320))),
    ]
    assert len(set(keys)) == len(keys)
    assert vulkan_backend._key("0.3.36", tools("/elsewhere")) == keys[0]


def test_a_backend_is_installed_once_and_replaced_by_another_build(tmp_path: Path, packages: Path) -> None:
    library = tmp_path / "libggml-vulkan.so"
    library.write_bytes(b"one")
    assert not vulkan_backend.is_installed(packages, "ggml-vulkan-0.3.36-x-1")
    vulkan_backend.install(library, packages, "ggml-vulkan-0.3.36-x-1")
    assert vulkan_backend.is_installed(packages, "ggml-vulkan-0.3.36-x-1")
    assert not vulkan_backend.is_installed(packages, "ggml-vulkan-0.3.36-x-2")
    library.write_bytes(b"two")
    vulkan_backend.install(library, packages, "ggml-vulkan-0.3.36-x-2")
    assert (packages / "bin" / library.name).read_bytes() == b"two"
    assert sorted(path.name for path in (packages / "bin").glob("*.so")) == ["libggml-cpu-zen4.so", library.name]


def test_a_backend_of_another_version_is_known_and_removed(tmp_path: Path, packages: Path) -> None:
    assert vulkan_backend.belongs_to(packages, "0.3.36")  # there is none
    library = tmp_path / "libggml-vulkan.so"
    library.touch()
    vulkan_backend.install(library, packages, "ggml-vulkan-0.3.36-x-1")
    assert vulkan_backend.belongs_to(packages, "0.3.36")
    assert not vulkan_backend.belongs_to(packages, "0.3.37")
    vulkan_backend.remove(packages)
    assert [path.name for path in (packages / "bin").iterdir()] == ["libggml-cpu-zen4.so"]


def test_a_system_that_can_t_build_it_goes_on_without(
    tmp_path: Path, packages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(software_gpu, "unpacked", lambda log: None)
    assert not vulkan_backend.provide("0.3.36", tmp_path / "python", packages, tmp_path / "log")
    assert "left out" in capsys.readouterr().out


def test_what_is_in_the_cache_is_not_built_again(
    tmp_path: Path, packages: Path, monkeypatch: pytest.MonkeyPatch, shader_compiler: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", shader_compiler)
    monkeypatch.setenv("AIPC_VULKAN_HEADERS", str(put_headers(tmp_path / "sdk", 4, 309)))
    kept = caches.user_cache() / "wheels" / vulkan_backend._key("0.3.36", tools())
    kept.mkdir(parents=True)
    (kept / "libggml-vulkan.so").write_bytes(b"built before")
    assert vulkan_backend.provide("0.3.36", tmp_path / "no python", packages, tmp_path / "log")
    assert (packages / "bin" / "libggml-vulkan.so").read_bytes() == b"built before"
