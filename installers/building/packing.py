"""The tree as a Debian package and as a file that unpacks itself, with their checks in front."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PARTS = Path(__file__).resolve().parents[1] / "parts"
_BLOCK = 1 << 20
_ROOM_TO_SPARE_MB = 200  # for the database, the log, and an old version that is replaced last


@dataclass(frozen=True)
class About:
    """What both kinds of package say of themselves."""

    version: str
    glibc: str
    machine: str

    @property
    def debian_architecture(self) -> str:
        return {"x86_64": "amd64", "aarch64": "arm64"}[self.machine]


def debian_package(tree: Path, about: About, work: Path, target: Path, *, level: int = 6) -> None:
    """`/opt/aipc` with the command, menu entry, icon and file kinds in the system's places; gzip's `level`, 0 to 9."""
    root = work / "deb"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(tree, root / "opt" / "aipc", copy_function=os.link)
    shutil.rmtree(root / "opt" / "aipc" / "parts")
    (root / "opt" / "aipc" / "uninstall").unlink()
    _place(root / "usr/share/applications/aipc.desktop", PARTS / "aipc.desktop")
    _place(root / "usr/share/icons/hicolor/scalable/apps/aipc.svg", tree / "parts" / "aipc.svg")
    _place(root / "usr/share/mime/packages/aipc.xml", PARTS / "aipc.xml")
    (root / "usr" / "bin").mkdir(parents=True)
    (root / "usr" / "bin" / "aipc").symlink_to("/opt/aipc/bin/aipc")
    control = root / "DEBIAN"
    control.mkdir()
    size = megabytes(tree)
    (control / "control").write_text(_control(about, size), encoding="utf-8")
    (control / "preinst").write_text(_filled("preinst.sh", about, size), encoding="utf-8")
    (control / "preinst").chmod(0o755)
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Zgzip", f"-z{level}", "--build", root, target],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    shutil.rmtree(root)


def _place(target: Path, source: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def _control(about: About, size_mb: int) -> str:
    return f"""Package: aipc
Version: {about.version}
Architecture: {about.debian_architecture}
Maintainer: AIPC <aipc@localhost>
Installed-Size: {size_mb * 1024}
Depends: libc6 (>= {about.glibc}), libstdc++6 (>= 11)
Section: office
Priority: optional
Description: ask your case files, offline
 Answers about case files that quote the page they rest on. Brings everything it
 needs but a language model, and never reaches a network.
"""


def self_extracting(
    tree: Path, models: Sequence[Path], about: About, work: Path, target: Path, *, level: int = 6
) -> None:
    """A shell script with the tree, and with `models` in its folder of models, behind it."""
    payload = work / (target.name + ".tar.gz")
    _tar(tree, models, work, payload, level)
    size = megabytes(tree) + sum(model.stat().st_size for model in models) // _BLOCK
    head = _filled("run_head.sh", about, size)
    line = str(head.count("\n") + 1)
    filled = head.replace("@PAYLOAD_LINE@", line).replace("@PAYLOAD_SHA256@", sha256(payload))
    with target.open("wb") as output, payload.open("rb") as data:
        output.write(filled.encode())
        shutil.copyfileobj(data, output, _BLOCK)
    target.chmod(0o755)
    payload.unlink()


def _tar(tree: Path, models: Sequence[Path], work: Path, payload: Path, level: int) -> None:
    """Owned by nobody in particular, in a fixed order, with one date: the same tree gives the same bytes."""
    beside = work / "with-models"
    shutil.rmtree(beside, ignore_errors=True)
    (beside / "models").mkdir(parents=True)
    for model in models:
        os.link(model.resolve(), beside / "models" / model.name)
    command = [
        "tar",
        "--create",
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mtime=@0",
        "--mode=u+rw,go+r",
        "--directory",
        str(tree),
        ".",
        *(["--directory", str(beside), "models"] if models else []),
    ]
    program = shutil.which("pigz") or "gzip"
    with payload.open("wb") as output, subprocess.Popen(command, stdout=subprocess.PIPE) as archive:
        subprocess.run([program, f"-{level}", "--no-name"], stdin=archive.stdout, stdout=output, check=True)
    if archive.returncode != 0:
        raise OSError("tar failed; its message is above.")
    shutil.rmtree(beside)


def _filled(name: str, about: About, size_mb: int) -> str:
    text = (PARTS / name).read_text(encoding="utf-8")
    values = {
        "VERSION": about.version,
        "GLIBC": about.glibc,
        "MACHINE": about.machine,
        "NEEDED_MB": str(size_mb + _ROOM_TO_SPARE_MB),
        "CHECK": (PARTS / "check.sh").read_text(encoding="utf-8"),
    }
    for place, value in values.items():
        text = text.replace(f"@{place}@", value)
    return text


def megabytes(folder: Path) -> int:
    """What the folder takes on a disk."""
    files = {path.lstat().st_ino: path.lstat() for path in folder.rglob("*")}
    return sum(file.st_blocks for file in files.values() if stat.S_ISREG(file.st_mode)) * 512 // _BLOCK + 1


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def in_parts(product: Path, part_bytes: int) -> list[Path]:
    """The product, or where it is larger than a part only its parts NAME.001 …, which `cat` joins."""
    if product.stat().st_size <= part_bytes:
        return [product]
    parts = _cut(product, product.parent, part_bytes)
    product.unlink()
    return parts


def split(model: Path, folder: Path, part_bytes: int) -> list[Path]:
    """A model pack: the file, or its parts NAME.001 … where it is larger than a part, and a sum beside them."""
    made = _cut(model, folder, part_bytes)
    (folder / f"{model.name}.sha256").write_text(f"{sha256(model)}  {model.name}\n", encoding="ascii")
    return [*made, folder / f"{model.name}.sha256"]


def _cut(file: Path, folder: Path, part_bytes: int) -> list[Path]:
    total = file.stat().st_size
    names = (
        [file.name] if total <= part_bytes else [f"{file.name}.{n:03}" for n in range(1, -(-total // part_bytes) + 1)]
    )
    made = []
    with file.open("rb") as source:
        for name in names:
            with (folder / name).open("wb") as part:
                for block in _blocks(source, part_bytes):
                    part.write(block)
            made.append(folder / name)
    return made


def _blocks(source: object, limit: int) -> Iterator[bytes]:
    while limit and (block := source.read(min(_BLOCK, limit))):  # type: ignore[attr-defined]
        limit -= len(block)
        yield block
