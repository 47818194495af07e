"""What is read from pyproject.toml, and that every version there is pinned."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from setting_up import project
from setting_up.say import SetupError

ROOT = Path(__file__).parents[3]


def test_this_project_s_own_file_is_understood() -> None:
    known = project.read(ROOT / "pyproject.toml")
    assert {"dev", "transformers"} <= set(known.extras)
    assert re.fullmatch(r"\d+\.\d+\.\d+", known.version_of("llama-cpp-python"))


def test_every_direct_dependency_is_pinned_and_the_constraints_say_the_same() -> None:
    tables = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = tables["optional-dependencies"].values()
    requirements = [*tables["dependencies"], *(requirement for extra in extras for requirement in extra)]
    constraints = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    for requirement in requirements:
        name, pinned, version = requirement.partition("==")
        assert pinned, requirement
        name = re.sub(r"[-_.]+", "-", name).lower()
        if name != "llama-cpp-python":
            assert f"{name}=={version}" in constraints, f"{requirement}: run scripts/freeze.py"


def test_a_dependency_without_a_pin_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["llama-cpp-python>=0.3"]\n')
    with pytest.raises(SetupError, match="must pin llama-cpp-python"):
        project.read(tmp_path / "pyproject.toml").version_of("llama-cpp-python")


def test_settings_of_tools_do_not_change_what_is_installed(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    text = '[project]\nname = "x"\ndependencies = ["a==1"]\n'
    file.write_text(text)
    first = project.read(file).installation
    file.write_text(text + "[tool.ruff]\nline-length = 100\n")
    assert project.read(file).installation == first
    file.write_text(text.replace("a==1", "a==2"))
    assert project.read(file).installation != first


def test_a_missing_or_broken_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("[project")
    for name in ("broken.toml", "missing.toml"):
        with pytest.raises(SetupError, match="can't be used"):
            project.read(tmp_path / name)


def test_every_pinned_version_runs_on_the_oldest_python_we_promise() -> None:
    """Debian 12's own Python is 3.11.2; the check sees what is installed here."""
    constraints = (ROOT / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {line.partition("==")[0] for line in constraints if "==" in line}
    for distribution in importlib.metadata.distributions():
        name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
        needs = distribution.metadata.get("Requires-Python")  # a library may have put its own kind of metadata here
        if name in pinned and needs:
            assert SpecifierSet(needs).contains("3.11.0"), f"{name} {distribution.version} needs Python {needs}"
