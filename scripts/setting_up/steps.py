"""The steps of setting up, in their order."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from setting_up import caches, environment, llama_wheel, project, say, stamp, system_packages, vulkan_backend
from setting_up.environment import Checkout
from setting_up.say import SetupError

ROOT = Path(__file__).resolve().parents[2]
ALWAYS = "dev"
NO_MODELS = "none"


def main(arguments: Sequence[str]) -> int:
    """Set up as asked; 0 when everything is there, 1 with a sentence when it can't be, 2 for wrong usage."""
    options = _parser().parse_args(arguments)
    started = time.monotonic()
    checkout = Checkout(ROOT)
    try:
        with caches.locked(checkout.log.with_name("setup.lock"), "another set-up of this checkout"):
            _set_up(checkout, frozenset({ALWAYS, *options.extras}), options.models, vulkan=options.vulkan)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. What is finished is kept; run the same command again to go on.", file=sys.stderr)
        return 1
    print(f"Everything is set up ({say.duration(time.monotonic() - started)}).", flush=True)
    return 0


def _set_up(
    checkout: Checkout, extras: frozenset[str], models: Sequence[str], *, vulkan: bool = False
) -> None:
    known = project.read(checkout.root / "pyproject.toml")
    if unknown := extras - set(known.extras):
        names = ", ".join(sorted(unknown))
        raise SetupError(f"There is no extra {names} in pyproject.toml; it has {', '.join(known.extras)}.")
    build = llama_wheel.planned(known.version_of("llama-cpp-python"))
    wanted = stamp.Stamp(fingerprint=_fingerprint(checkout, known, build), extras=extras)
    installed = stamp.read(checkout.environment)
    if installed is None or not installed.covers(wanted):
        _install(checkout, known, build, wanted, installed)
    _add_gpu_backend(checkout, build, wanted=vulkan or vulkan_backend.has_gpu())
    if NO_MODELS not in models:
        _fetch_models(checkout, models)


def _install(
    checkout: Checkout,
    known: project.Project,
    build: llama_wheel.Build,
    wanted: stamp.Stamp,
    installed: stamp.Stamp | None,
) -> None:
    """Extras that are there stay: what they hold would be left behind, but no longer brought up to date."""
    system_packages.provide(checkout.log, compiling=caches.wheel_in(llama_wheel.folder(build)) is None)
    extras = wanted.extras | (installed.extras & set(known.extras) if installed else frozenset())
    stamp.remove(checkout.environment)
    environment.create(checkout)
    environment.install(checkout, known, build, extras)
    stamp.write(checkout.environment, stamp.Stamp(fingerprint=wanted.fingerprint, extras=extras))


def _add_gpu_backend(checkout: Checkout, build: llama_wheel.Build, *, wanted: bool) -> None:
    """Where there is a GPU, and for the tests, which have one in software. Without it the program still runs."""
    packages = environment.site_packages(checkout)
    if not vulkan_backend.belongs_to(packages, build.version):
        vulkan_backend.remove(packages)
    if wanted:
        vulkan_backend.provide(build.version, checkout.python, packages, checkout.log)


def _fingerprint(checkout: Checkout, known: project.Project, build: llama_wheel.Build) -> str:
    """Changes when anything does that decides what is installed, or when the checkout is moved."""
    own = sorted(Path(__file__).parent.glob("*.py"))
    pins = sorted(checkout.requirements.glob("*.txt"))
    return stamp.fingerprint([str(checkout.root), known.installation, build.key], [*own, *pins])


def _fetch_models(checkout: Checkout, roles: Sequence[str]) -> None:
    """Run with the environment's Python: the product's own code fetches."""
    command = [str(checkout.python), str(checkout.root / "scripts" / "fetch_models.py"), *roles]
    if subprocess.call(command) != 0:
        raise SetupError("The models are not complete.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="setup.py", description="Set up this checkout of AIPC.")
    extra = "an extra of pyproject.toml; may be repeated"
    parser.add_argument("--with", dest="extras", metavar="EXTRA", action="append", default=[], help=extra)
    whatever = "add llama.cpp's Vulkan backend and a GPU in software, whether or not this machine has a GPU"
    parser.add_argument("--vulkan", action="store_true", help=whatever)
    parser.add_argument(
        "--models",
        metavar="ROLE",
        nargs="*",
        default=[],
        help=f"models to fetch by role or name; all if left out, '{NO_MODELS}' for no model",
    )
    return parser
