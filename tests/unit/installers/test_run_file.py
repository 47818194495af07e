"""The file that unpacks itself, over a tree of three files: it installs whole or says why not and changes nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from building import packing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a package for Linux")
ABOUT = packing.About(version="1.2.3", glibc="2.17", machine=os.uname().machine)


def tree(folder: Path, version: str = "1.2.3") -> Path:
    for name in ("bin", "parts", "models"):
        (folder / name).mkdir(parents=True)
    (folder / "bin" / "aipc").write_text(f"#!/bin/sh\necho {version}\n")
    (folder / "bin" / "aipc").chmod(0o755)
    (folder / "installation.json").write_text("{}")
    shutil.copyfile(packing.PARTS / "uninstall.sh", folder / "uninstall")
    (folder / "uninstall").chmod(0o755)
    for name in ("links.sh", "aipc.desktop", "aipc.xml"):
        shutil.copyfile(packing.PARTS / name, folder / "parts" / name)
    (folder / "parts" / "aipc.svg").write_text("<svg/>")
    return folder


def packed(folder: Path, about: packing.About = ABOUT) -> Path:
    work = folder / "work"
    work.mkdir()
    packing.self_extracting(tree(folder / "tree", about.version), [], about, work, folder / "aipc.run")
    return folder / "aipc.run"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def run(program: Path, home: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inside = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **environment}
    return subprocess.run(["sh", str(program), *arguments], capture_output=True, text=True, env=inside, cwd=home)


def prefix(home: Path) -> list[str]:
    return ["--prefix", str(home / "program")]  # root's default is outside the test


def installed(home: Path) -> str:
    return subprocess.check_output([home / "program" / "bin" / "aipc"], text=True).strip()


def test_it_installs_and_a_newer_one_takes_its_place_while_models_stay(tmp_path: Path, home: Path) -> None:
    (tmp_path / "a").mkdir()
    done = run(packed(tmp_path / "a"), home, *prefix(home), "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (home / "program" / "models" / "own.gguf").write_bytes(b"GGUF")
    (home / "program" / "old-file").touch()
    (tmp_path / "b").mkdir()
    newer = packing.About(version="1.3.0", glibc="2.17", machine=ABOUT.machine)
    assert run(packed(tmp_path / "b", newer), home, *prefix(home)).returncode == 0
    assert installed(home) == "1.3.0" and not (home / "program" / "old-file").exists()
    assert (home / "program" / "models" / "own.gguf").read_bytes() == b"GGUF"
    assert sorted(path.name for path in home.iterdir() if path.name.startswith("program")) == ["program"]


@pytest.mark.parametrize(
    ("tool", "prints", "language", "told"),
    [
        ("getconf", "glibc 2.12", "C", "needs a Linux with glibc 2.17"),
        ("getconf", "glibc 2.12", "zh_CN.UTF-8", "需要 glibc 2.17"),
        ("uname", "riscv64", "C", "this PC is riscv64"),
        ("df", "head\\nd 1 1 9 1 /", "C", "needs 20"),
    ],
)
def test_a_pc_it_can_not_run_on_is_told_why_and_nothing_is_copied(
    tmp_path: Path, home: Path, tool: str, prints: str, language: str, told: str
) -> None:
    pretended = tmp_path / "pretended"
    pretended.mkdir()
    (pretended / tool).write_text(f"#!/bin/sh\nprintf '{prints}\\n'\n")
    (pretended / tool).chmod(0o755)
    program = packed(tmp_path)
    done = run(program, home, *prefix(home), PATH=f"{pretended}:{os.environ['PATH']}", LANG=language)
    assert done.returncode == 1 and told in done.stderr
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(("language", "told"), [("C", "The disk became full"), ("zh_CN.UTF-8", "磁盘已满")])
def test_a_disk_that_fills_while_unpacking_is_told_and_leaves_the_old_program(
    tmp_path: Path, home: Path, language: str, told: str
) -> None:
    """tar says what it says on such a disk: the reason is not in its first line, nor in its last."""
    program = packed(tmp_path)
    assert run(program, home, *prefix(home)).returncode == 0
    pretended = tmp_path / "pretended"
    pretended.mkdir()
    said = "tar: a: Wrote only 512 of 4096 bytes\\ntar: b: Cannot write: No space left on device\\ntar: Exiting\\n"
    (pretended / "tar").write_text(f"#!/bin/sh\ncat >/dev/null\nprintf '{said}' >&2\nexit 2\n")
    (pretended / "tar").chmod(0o755)
    done = run(program, home, *prefix(home), PATH=f"{pretended}:{os.environ['PATH']}", LANG=language)
    assert done.returncode == 1 and told in done.stderr and done.stderr.count("\n") == 1
    assert installed(home) == "1.2.3" and not (home / "program.new").exists()


def test_a_damaged_file_is_told_and_leaves_the_old_program(tmp_path: Path, home: Path) -> None:
    program = packed(tmp_path)
    assert run(program, home, *prefix(home)).returncode == 0
    with program.open("r+b") as file:
        file.seek(-5, os.SEEK_END)
        file.write(b"\0\0")
    done = run(program, home, *prefix(home))
    assert done.returncode == 1 and "damaged" in done.stderr
    assert installed(home) == "1.2.3"


def test_a_folder_of_others_is_left_alone(tmp_path: Path, home: Path) -> None:
    (home / "program").mkdir()
    (home / "program" / "thesis.txt").write_text("mine")
    done = run(packed(tmp_path), home, *prefix(home))
    assert done.returncode == 1 and "is not AIPC" in done.stderr
    assert (home / "program" / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize(("arguments", "stays"), [((), True), (("--purge-data",), False)])
def test_removing_keeps_the_data_unless_told(
    tmp_path: Path, home: Path, arguments: tuple[str, ...], stays: bool
) -> None:
    assert run(packed(tmp_path), home, *prefix(home)).returncode == 0
    data = home / "data"
    data.mkdir()
    (data / "aipc.sqlite").touch()
    assert run(home / "program" / "uninstall", home, *arguments, AIPC_HOME=str(data)).returncode == 0
    assert not (home / "program").exists()
    assert data.exists() is stays


def test_purging_never_deletes_a_folder_that_is_not_ours(tmp_path: Path, home: Path) -> None:
    assert run(packed(tmp_path), home, *prefix(home)).returncode == 0
    assert run(home / "program" / "uninstall", home, "--purge-data", AIPC_HOME=str(home)).returncode == 0
    assert home.exists()


def test_the_menu_entry_opens_the_files_that_are_the_program_s(tmp_path: Path, home: Path) -> None:
    """Both kinds are declared to the desktop, and the entry that a user's installation leaves opens them."""
    assert run(packed(tmp_path), home, *prefix(home)).returncode == 0
    shared = home / ".local" / "share"
    entry = (shared / "applications" / "aipc.desktop").read_text(encoding="utf-8").splitlines()
    assert f'Exec="{home}/program/bin/aipc" open %F' in entry
    kinds = ElementTree.parse(shared / "mime" / "packages" / "aipc.xml").getroot()
    found = {kind.get("type"): kind.find("{*}glob").get("pattern") for kind in kinds}  # type: ignore[union-attr]
    assert found == {"application/x-aipc-library": "*.aipclib", "application/x-aipc-backup": "*.aipcbackup"}
    assert "MimeType=" + "".join(f"{kind};" for kind in found) in entry


def test_a_bundle_too_large_for_the_stick_comes_in_parts_that_make_it_whole(tmp_path: Path) -> None:
    bundle = tmp_path / "aipc-complete.run"
    bundle.write_bytes(bytes(range(250)) * 10)
    assert packing.in_parts(bundle, 2500) == [bundle]
    parts = packing.in_parts(bundle, 1000)
    assert [part.name for part in parts] == [f"aipc-complete.run.00{n}" for n in (1, 2, 3)] and not bundle.exists()
    assert b"".join(part.read_bytes() for part in parts) == bytes(range(250)) * 10


def test_a_model_is_cut_into_pieces_that_make_it_whole(tmp_path: Path) -> None:
    model, out = tmp_path / "m.gguf", tmp_path / "out"
    out.mkdir()
    model.write_bytes(b"GGUF" + bytes(range(256)) * 10)
    *pieces, sums = packing.split(model, out, part_bytes=1000)
    assert [piece.name for piece in pieces] == ["m.gguf.001", "m.gguf.002", "m.gguf.003"]
    assert b"".join(piece.read_bytes() for piece in pieces) == model.read_bytes()
    assert sums.read_text().split()[0] == hashlib.sha256(model.read_bytes()).hexdigest()
    assert [piece.name for piece in packing.split(model, out, part_bytes=5000)] == ["m.gguf", "m.gguf.sha256"]
