"""Mesa's lavapipe, a Vulkan device that the CPU computes: what tests of the GPU's side run on where there is none.

Debian 12's own (Mesa 22.3) crashes when a step is longer than the one before; the release's backports have one that
works. With it come the shader compiler and the headers that llama.cpp's Vulkan backend is compiled with.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

from setting_up import caches, debian
from setting_up.debian import Wanted

# The next release's programs need a newer C library, its headers do not.
PACKAGES = {
    "bookworm": Wanted(
        suites=("bookworm-backports", "trixie"),
        programs=(
            "mesa-vulkan-drivers/bookworm-backports", "libdrm2/bookworm-backports",
            "libdrm-amdgpu1/bookworm-backports", "libvulkan1", "glslc", "libshaderc1",
        ),
        files=("libvulkan-dev/trixie", "spirv-headers/trixie"),
    ),
    "trixie": Wanted(
        suites=(),
        programs=("mesa-vulkan-drivers", "libvulkan1", "glslc", "libshaderc1"),
        files=("libvulkan-dev", "spirv-headers"),
    ),
}  # fmt: skip
_DRIVER = "libvulkan_lvp.so"
_SYSTEM_DRIVERS = Path("/usr/share/vulkan/icd.d")


def folder() -> Path | None:
    """Where this system's packages are unpacked; None for a system that isn't known."""
    release = debian.codename()
    if release not in PACKAGES:
        return None
    digest = hashlib.sha256(repr(PACKAGES[release]).encode()).hexdigest()[:8]
    return caches.user_cache() / "vulkan" / f"{release}-{caches.system_tag()}-{digest}"


def unpacked(log: Path) -> Path | None:
    """The packages' files, fetched if they aren't there yet; None on an unknown system. Raises SetupError."""
    root = folder()
    if root is None:
        return None
    release = debian.codename()
    driver = library(root, _DRIVER)
    if driver is not None and lacks(driver):  # unpacked where the system had libraries that are gone now
        shutil.rmtree(root)
    return debian.unpacked(root, release, PACKAGES[release], log)


def library(root: Path, name: str) -> Path | None:
    """A shared library among the unpacked files."""
    return next(iter(sorted((root / "usr" / "lib").glob(f"*/{name}"))), None)


def environment() -> dict[str, str] | str:
    """Variables for a process that is to see the software GPU and no other; a sentence where there is none.

    llama.cpp takes a Vulkan device that is a CPU only when it is named."""
    root = folder()
    driver = library(root, _DRIVER) if root else None
    described = _described(driver) if driver else _system_driver()
    if described is None:
        return "No software GPU is here; 'python3 scripts/setup.py --vulkan' fetches it on Debian."
    shaders = caches.user_cache() / "vulkan" / "shaders"
    found = {
        "VK_DRIVER_FILES": str(described), "VK_ICD_FILENAMES": str(described), "GGML_VK_VISIBLE_DEVICES": "0",
        "MESA_SHADER_CACHE_DIR": str(shaders),
    }  # fmt: skip
    return found | ({"LD_LIBRARY_PATH": str(driver.parent)} if driver else {})


def lacks(driver: Path) -> list[str]:
    """Libraries that the driver links to and the loader doesn't find."""
    found = {"LD_LIBRARY_PATH": str(driver.parent), "PATH": "/usr/bin:/bin"}
    listing = subprocess.run(["ldd", driver], capture_output=True, text=True, check=False, env=found)
    return [line.split()[0] for line in listing.stdout.splitlines() if "not found" in line]


def _described(driver: Path) -> Path:
    """The file by which Vulkan's loader knows a driver, with the driver's own path."""
    description = driver.with_name("aipc_lavapipe.json")
    content = {"ICD": {"api_version": "1.3.0", "library_path": str(driver)}, "file_format_version": "1.0.0"}
    text = json.dumps(content)
    if not description.is_file() or description.read_text() != text:
        description.write_text(text)
    return description


def _system_driver() -> Path | None:
    return next(iter(sorted(_SYSTEM_DRIVERS.glob("lvp_icd*.json"))), None)
