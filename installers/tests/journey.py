"""`make test-installer`: from dist/ to a cited answer and out again, in a bare Debian without a network.

As root (debootstrap, chroot, namespaces). Takes minutes: the default model answers on the CPUs at hand. Prints a line
a step; exit status 1 if one fails. What the window looked like is left in build/bare-debian/*.png.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bare

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import packing

ROOT = Path(__file__).resolve().parents[2]
DIST, WORK = ROOT / "dist", ROOT / "build" / "bare-debian"
SAMPLE = "/opt/aipc/app/assets/samples/lending"
QUESTION = "借款合同约定的借款金额是多少？"
DISPLAY = ":97"
DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
OLDER = "aipc_0.0.1_older.deb"
TOOLS = ("debootstrap", "strace", "unshare", "Xvfb", "import", "xwininfo")


class Journey:
    """The steps, in order; each asserts what a user would see."""

    def __init__(self, machine: bare.Bare, model: str) -> None:
        self._bare, self._model = machine, model
        self.failed: list[str] = []

    def all(self) -> None:
        """Both packages."""
        for step in (
            self.old_systems_are_told_before_anything_is_copied,
            self.deb_installs,
            self.doctor_finds_all,
            self.older_version_takes_its_place,
            self.model_is_joined_from_its_parts,
            self.sample_is_indexed,
            self.question_is_answered_with_a_citation,
            self.update_migrates_a_copy_beside_it,
            self.older_version_refuses_newer_data,
            self.conversation_goes_on_and_nothing_is_read_again,
            self.later_commands,
            self.window_opens,
            self.start_is_measured,
            self.update_keeps_the_data,
            self.uninstall_keeps_the_data,
            self.run_file_refuses_a_full_disk,
            self.run_file_installs_for_one_user,
            self.run_file_answers,
            self.run_file_is_removed,
            self.nothing_reached_for_a_network,
        ):
            self._step(step)

    def old_systems_are_told_before_anything_is_copied(self) -> str:
        told = []
        for tool, prints in (("getconf", "glibc 2.31"), ("uname", "aarch64"), ("df", "h\nd 1 1 9 1 /")):
            with self._pretending(tool, prints) as path:
                done = self._bare.run("dpkg", "-i", f"/media/{_deb().name}", environment=[f"PATH={path}"])
            assert done.returncode != 0 and not (self._bare.root / "opt/aipc/bin").exists(), done.stderr
            told.append(next(line for line in done.stderr.splitlines() if "AIPC" in line or "package is for" in line))
        return " | ".join(told)

    def deb_installs(self) -> str:
        done = self._bare.run("dpkg", "-i", f"/media/{_deb().name}")
        assert done.returncode == 0, done.stderr
        assert (self._bare.root / "usr/share/applications/aipc.desktop").is_file()
        return self._aipc("--version").stdout.strip()

    def doctor_finds_all(self) -> str:
        report = json.loads(self._aipc("doctor", "--json").stdout)
        assert report["offline"]["attempts"] == 0
        return f"{report['versions']}"

    def older_version_takes_its_place(self) -> str:
        """Going back is what dpkg calls a downgrade; the data so far is none."""
        shutil.rmtree(self._home() / ".local/share/aipc", ignore_errors=True)
        made = older_package()
        _link(made, self._bare.root / "media" / made.name)
        done = self._bare.run("dpkg", "-i", f"/media/{made.name}")
        assert done.returncode == 0, done.stderr
        return f"the program as of {_older_commit()[:12]}"

    def update_migrates_a_copy_beside_it(self) -> str:
        before = self._digest()
        done = self._bare.run("dpkg", "-i", f"/media/{_deb().name}")
        assert done.returncode == 0, done.stderr
        assert self._digest() == before
        copies = [path.name for path in self._data().parent.glob("aipc-schema-*")]
        assert len(copies) == 1
        return f"the same case and documents; {copies[0]} is the database from before"

    def older_version_refuses_newer_data(self) -> str:
        database = self._data().read_bytes()
        self._bare.run("dpkg", "-i", f"/media/{OLDER}")
        done = self._aipc("cases")
        assert done.returncode == 1 and "newer version" in done.stderr, done.stderr
        assert self._data().read_bytes() == database
        again = self._bare.run("dpkg", "-i", f"/media/{_deb().name}")
        assert again.returncode == 0, again.stderr
        return done.stderr.strip()

    def conversation_goes_on_and_nothing_is_read_again(self) -> str:
        """The one the older version began: what it remembered is used by the newer one."""
        done = self._aipc("ask", "--case", "民间借贷", QUESTION, "--conversation", "1", "--json", timeout_s=1800)
        assert done.returncode == 0, done.stderr
        timing = json.loads(done.stdout)["timing"]
        assert timing["restored_tokens"] > 0, timing
        return f"{timing['restored_tokens']} tokens restored, {timing['prefilled_tokens']} prefilled"

    def model_is_joined_from_its_parts(self) -> str:
        parts = sorted(DIST.glob(f"{self._model}*"))
        assert parts, f"dist/ has no pack of {self._model}"
        for part in parts:
            _link(part, self._bare.root / "media" / part.name)
        first = next(part for part in parts if part.suffix in (".gguf", ".001"))
        done = self._aipc("models", "import", f"/media/{first.name}", "--json")
        assert done.returncode == 0, done.stderr
        imported = json.loads(done.stdout)
        assert imported["verified"] is True
        self._aipc("models", "use", imported["name"])
        return f"{imported['name']}: verified"

    def sample_is_indexed(self) -> str:
        added = self._lines("add", "--case", "民间借贷", f"{SAMPLE}/documents", "--json")
        laws = self._lines("add", "--library", f"{SAMPLE}/library", "--json")
        statuses = [line["status"] for line in [*added, *laws]]
        assert set(statuses) <= {"indexed", "indexed_with_gaps"}, statuses
        return f"{len(added)} documents, {len(laws)} of the library"

    def question_is_answered_with_a_citation(self) -> str:
        return self._answer("aipc")

    def later_commands(self) -> str:
        said = []
        known = self._aipc("--help").stdout
        if " backup " in known:
            done = self._aipc("backup", "/tmp/case.aipcbackup")
            assert done.returncode == 0 and (self._bare.root / "tmp/case.aipcbackup").stat().st_size > 0, done.stderr
            said.append("backed up")
        if " review " in known:
            out = "/tmp/review.docx"
            done = self._aipc(
                "review", "--case", "民间借贷", "--template", "judge", "--out", out, "--json", timeout_s=1800
            )
            assert done.returncode == 0 and (self._bare.root / out[1:]).stat().st_size > 0, done.stderr
            said.append(f"reviewed and exported: {len(json.loads(done.stdout)['findings'])} findings")
        return ", ".join(said) or "this version has neither review nor backup"

    def window_opens(self) -> str:
        with _virtual_screen():
            for language in ("zh_CN.UTF-8", "en_US.UTF-8"):
                window = self._bare.start(
                    "aipc", display=DISPLAY, environment=[f"LANG={language}", f"LANGUAGE={language[:5]}"]
                )
                _wait_for_window(window)
                picture = WORK / f"window-{language[:2]}.png"
                subprocess.run(["import", "-display", DISPLAY, "-window", "root", picture], check=True)
                _end(window)
        return "pictures in build/bare-debian"

    def start_is_measured(self) -> str:
        """Until the window can be used, traced as everything here; the file cache dropped for the first."""
        subprocess.run(["sync"], check=True)
        Path("/proc/sys/vm/drop_caches").write_text("3")
        seconds = []
        for _ in range(4):
            report, began = self._bare.root / "tmp/start.json", time.time()
            done = self._bare.run(
                "aipc", user=True, environment=["QT_QPA_PLATFORM=offscreen", "AIPC_REPORT_START=/tmp/start.json"]
            )
            assert done.returncode == 0, done.stderr
            seconds.append(json.loads(report.read_text())["usable_at"] - began)
            report.unlink()
        return f"cold {seconds[0]:.1f} s, warm {min(seconds[1:]):.1f} to {max(seconds[1:]):.1f} s"

    def update_keeps_the_data(self) -> str:
        before = self._digest()
        done = self._bare.run("dpkg", "-i", f"/media/{_deb().name}")
        assert done.returncode == 0, done.stderr
        assert self._digest() == before
        return "the same cases, documents and conversations"

    def uninstall_keeps_the_data(self) -> str:
        before = self._digest()
        done = self._bare.run("dpkg", "--purge", "aipc")
        assert done.returncode == 0, done.stderr
        assert not (self._bare.root / "opt/aipc/bin").exists() and not (self._bare.root / "usr/bin/aipc").is_symlink()
        assert self._data().is_file()
        self._before = before
        return "the program is gone, aipc.sqlite is there"

    def run_file_refuses_a_full_disk(self) -> str:
        done = self._bare.run("sh", f"/media/{_run().name}", "--prefix", "/small/aipc", user=True, small_disk="300m")
        assert done.returncode == 1 and "needs" in done.stderr, done.stderr
        return done.stderr.strip()

    def run_file_installs_for_one_user(self) -> str:
        done = self._bare.run("sh", f"/media/{_run().name}", user=True, environment=["LANG=zh_CN.UTF-8"])
        assert done.returncode == 0, done.stderr
        assert (self._home() / ".local/share/applications/aipc.desktop").is_file()
        return done.stdout.strip().splitlines()[-1]

    def run_file_answers(self) -> str:
        digest = self._digest(f"/home/{bare.USER}/.local/bin/aipc")
        assert digest == self._before, "the data of the first installation is not what the second one finds"
        return self._answer(f"/home/{bare.USER}/.local/bin/aipc")

    def run_file_is_removed(self) -> str:
        done = self._bare.run(f"/home/{bare.USER}/.local/share/aipc-app/uninstall", user=True)
        assert done.returncode == 0 and self._data().is_file(), done.stderr
        assert not (self._home() / ".local/share/aipc-app").exists()
        assert not (self._home() / ".local/bin/aipc").is_symlink()
        return done.stdout.strip()

    def nothing_reached_for_a_network(self) -> str:
        found = self._bare.internet()
        assert not found, "\n".join(found[:20])
        calls, runs = self._bare.traced(), len(self._bare.traces)
        return f"0 internet sockets or name look-ups among {calls} traced calls of {runs} runs"

    def _answer(self, program: str) -> str:
        done = self._bare.run(program, "ask", "--case", "民间借贷", QUESTION, "--json", user=True, timeout_s=1800)
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert not answer["refused"] and answer["citations"], answer["answer"]
        first = answer["citations"][0]
        seconds = answer["timing"]["load_s"] + answer["timing"]["total_s"]
        return f"{answer['answer']} <- {first['document']} p. {first['page']}: {first['quote']} ({seconds:.0f} s)"

    def _digest(self, program: str = "aipc") -> object:
        shown = [
            self._lines("cases", "--json", program=program),
            self._lines("documents", "--case", "民间借贷", "--json", program=program),
        ]
        for document in shown[1][0]["documents"]:
            document.pop("remembered", None)
        return shown

    def _aipc(self, *arguments: str, timeout_s: float = 900) -> subprocess.CompletedProcess[str]:
        return self._bare.run("aipc", *arguments, user=True, timeout_s=timeout_s)

    def _lines(self, *arguments: str, program: str = "aipc") -> list[dict[str, Any]]:
        done = self._bare.run(program, *arguments, user=True, timeout_s=900)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    def _home(self) -> Path:
        return self._bare.root / "home" / bare.USER

    def _data(self) -> Path:
        return self._home() / ".local/share/aipc/aipc.sqlite"

    @contextmanager
    def _pretending(self, tool: str, prints: str) -> Iterator[str]:
        """A PATH on which a tool of the system prints what an older or smaller system would."""
        folder = self._bare.root / "pretended"
        folder.mkdir()
        (folder / tool).write_text(f"#!/bin/sh\nprintf '%b\\n' '{prints}'\n")
        (folder / tool).chmod(0o755)
        yield "/pretended:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        shutil.rmtree(folder)

    def _step(self, step: Callable[[], str]) -> None:
        name, started = step.__name__.replace("_", " "), time.monotonic()
        try:
            said = step()
            print(f"ok    {name} ({time.monotonic() - started:.0f} s): {said}", flush=True)
        except (AssertionError, subprocess.SubprocessError, KeyError, StopIteration, OSError, ValueError) as error:
            self.failed.append(name)
            print(f"FAIL  {name} ({time.monotonic() - started:.0f} s): {type(error).__name__} {error}", flush=True)


def older_package() -> Path:
    """The program of before the last change of the schema, in today's folder: a package of an earlier version."""
    tree, target = WORK / "older", WORK / OLDER
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(ROOT / "build" / "installer" / "tree", tree, copy_function=os.link)
    shutil.rmtree(tree / "app")
    (tree / "app").mkdir()
    archive = ["git", "archive", _older_commit(), "aipc_app", "engine", "assets"]
    with subprocess.Popen(archive, cwd=ROOT, stdout=subprocess.PIPE) as files:
        subprocess.run(["tar", "-x", "-C", tree / "app"], stdin=files.stdout, check=True)
    about = packing.About("0.0.1", json.loads((tree / "installation.json").read_text())["glibc"], platform.machine())
    packing.debian_package(tree, about, WORK, target, level=0)
    return target


def _older_commit() -> str:
    migrations = ["git", "log", "-1", "--format=%H", "--", "aipc_app/store/migrations"]
    last = subprocess.check_output(migrations, cwd=ROOT, text=True).strip()
    return subprocess.check_output(["git", "rev-parse", f"{last}^"], cwd=ROOT, text=True).strip()


def _deb() -> Path:
    return next(DIST.glob("aipc_*.deb"))


def _run() -> Path:
    return next(path for path in DIST.glob("aipc-*.run") if "complete" not in path.name)


def _link(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    target.hardlink_to(source)


@contextmanager
def _virtual_screen() -> Iterator[None]:
    command = ["Xvfb", DISPLAY, "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    screen = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)  # Xvfb says nothing when it is ready
        yield
    finally:
        screen.terminate()
        screen.wait()


def _wait_for_window(window: subprocess.Popen[str], limit_s: float = 120) -> None:
    """Until a window is mapped and has had time to paint."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until and window.poll() is None:
        listing = ["xwininfo", "-display", DISPLAY, "-root", "-tree"]
        if "AIPC" in subprocess.run(listing, capture_output=True, text=True).stdout:
            time.sleep(12)
            return
        time.sleep(0.5)
    output = window.communicate(timeout=5)[0] if window.poll() is not None else ""
    raise AssertionError(f"no window appeared: {output[-800:]}")


def _end(window: subprocess.Popen[str]) -> None:
    """All of them: strace alone would let go of the program and leave it running."""
    os.killpg(window.pid, signal.SIGTERM)
    try:
        window.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(window.pid, signal.SIGKILL)
        window.communicate()


def main() -> int:
    parser = argparse.ArgumentParser(prog="journey.py", description="Try the installers in a bare Debian.")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="whose pack in dist/ is imported")
    options = parser.parse_args()
    if lacking := [tool for tool in TOOLS if shutil.which(tool) is None]:
        packages = "debootstrap strace xvfb imagemagick x11-utils"
        print(f"This needs {', '.join(lacking)}: apt-get install {packages}", file=sys.stderr)
        return 1
    started = time.monotonic()
    machine = bare.make(WORK)
    for package in (_deb(), _run()):
        _link(package, machine.root / "media" / package.name)
    journey = Journey(machine, options.model)
    journey.all()
    print(f"{len(journey.failed)} of the steps failed; {time.monotonic() - started:.0f} s in all.")
    return 1 if journey.failed else 0


if __name__ == "__main__":
    sys.exit(main())
