"""Every component with its version and licence: a CycloneDX list, and the texts themselves."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

_TEXT = re.compile(r"(licen[cs]e|copying|notice|copyright|authors)[^/]*$", re.IGNORECASE)
# Packages whose metadata names no licence in a field that can be read; looked up in their sources.
_KNOWN = {"pypika": "Apache-2.0"}
_STATED = ("License-Expression", "License")
_FROM_CLASSIFIER = "License :: OSI Approved :: "


@dataclass(frozen=True)
class Component:
    """A part of the product; `texts` are the files its licence is written in."""

    name: str
    version: str
    licence: str
    purl: str
    texts: tuple[Path, ...] = ()


def of_packages(chosen: Iterable[Distribution]) -> list[Component]:
    found = []
    for distribution in chosen:
        name, version = distribution.metadata["Name"], distribution.version
        files = [
            Path(str(distribution.locate_file(f))) for f in distribution.files or () if ".dist-info/" in f.as_posix()
        ]
        texts = tuple(path for path in files if _TEXT.search(path.name) and path.is_file())
        found.append(Component(name, version, _licence(distribution), f"pkg:pypi/{name.lower()}@{version}", texts))
    return found


def _licence(distribution: Distribution) -> str:
    metadata = distribution.metadata
    stated = next((text for name in _STATED for text in metadata.get_all(name, []) if text), "")
    classified = [
        c.removeprefix(_FROM_CLASSIFIER) for c in metadata.get_all("Classifier", []) if c.startswith(_FROM_CLASSIFIER)
    ]
    if stated and len(stated) < 100 and stated != "UNKNOWN":
        return stated.strip()
    return " AND ".join(classified) or _KNOWN.get(metadata["Name"].lower()) or "see the texts"


def of_python() -> Component:
    version = ".".join(map(str, sys.version_info[:3]))
    library = Path(json.__file__).parents[1]
    texts = tuple(p for p in (library / "LICENSE.txt", Path("/usr/share/doc/python3.11/copyright")) if p.is_file())[:1]
    return Component("CPython", version, "PSF-2.0", f"pkg:generic/cpython@{version}", texts)


def of_libraries(originals: Iterable[Path]) -> list[Component]:
    """The Debian packages that the carried libraries and the font came in."""
    packages = {_package_of(path) for path in originals}
    return [_debian(package) for package in sorted(packages)]


def _package_of(path: Path) -> str:
    """dpkg knows some files under /lib, some under /usr/lib."""
    for name in (str(path), str(path).removeprefix("/usr")):
        done = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise FileNotFoundError(f"No package of this system owns {path}, so its licence is not known.")


def _debian(package: str) -> Component:
    shown = subprocess.check_output(["dpkg-query", "-W", "-f=${Version}\n", package], text=True).split()[0]
    text = Path(f"/usr/share/doc/{package}/copyright")
    names = re.findall(r"^License: *(\S.*)$", text.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    licence = " AND ".join(dict.fromkeys(name.strip() for name in names)) or "see the text"
    return Component(package, shown, licence, f"pkg:deb/debian/{package}@{shown}", (text,))


def of_models(catalogue: Path, files: Iterable[str]) -> list[Component]:
    entries = tomllib.loads(catalogue.read_text(encoding="utf-8"))["model"]
    return [
        Component(e["name"], e["sha256"][:12], e["licence"], f"pkg:generic/{e['name']}?checksum=sha256:{e['sha256']}")
        for e in entries
        if e["file"] in set(files)
    ]


def copy_texts(components: Iterable[Component], folder: Path) -> None:
    """licences/NAME-VERSION/…, one folder a component."""
    for component in components:
        for text in component.texts:
            target = folder / f"{component.name}-{component.version}".replace("/", "_").replace(":", "_")
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(text, target / text.name)


def cyclonedx(components: Iterable[Component], version: str) -> str:
    """The list in CycloneDX 1.5 (JSON). The same components give the same bytes."""
    listed = [
        {
            "type": "machine-learning-model" if "checksum" in c.purl else "library",
            "bom-ref": c.purl,
            "name": c.name,
            "version": c.version,
            "purl": c.purl,
            "licenses": [{"license": {"name": c.licence}}],
        }
        for c in sorted(components, key=lambda c: (c.name.lower(), c.version))
    ]
    digest = hashlib.sha256(json.dumps(listed).encode()).hexdigest()
    program = {"type": "application", "name": "AIPC", "version": version, "bom-ref": "aipc"}
    made = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "serialNumber": f"urn:uuid:{uuid.UUID(digest[:32])}",
        "metadata": {"component": program},
        "components": listed,
    }
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"
