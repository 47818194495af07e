"""What pyproject.toml says about this project's packages: the only place where versions are pinned."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from setting_up.say import SetupError


@dataclass(frozen=True)
class Project:
    """The tables of pyproject.toml that decide what is installed, and the extras that exist."""

    requirements: tuple[str, ...]
    extras: tuple[str, ...]
    installation: str

    def version_of(self, package: str) -> str:
        """The exact version a direct dependency is pinned to. Raises SetupError if it is not."""
        for requirement in self.requirements:
            name, _, version = requirement.replace(" ", "").partition("==")
            if name.lower() == package and re.fullmatch(r"[\w.]+", version):
                return version
        raise SetupError(f"pyproject.toml must pin {package} to one version (name==version).")


def read(pyproject: Path) -> Project:
    """Raises SetupError when the file is not what it should be."""
    try:
        tables = tomllib.loads(pyproject.read_text(encoding="utf-8"))
        return _project(tables)
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise SetupError(f"{pyproject} can't be used: {error}.") from error


def _project(tables: dict[str, Any]) -> Project:
    project = tables["project"]
    relevant = ("name", "requires-python", "dependencies", "optional-dependencies", "scripts")
    installation = repr([tables.get("build-system"), *(project.get(name) for name in relevant)])
    return Project(
        requirements=tuple(project["dependencies"]),
        extras=tuple(project.get("optional-dependencies", {})),
        installation=installation,
    )
