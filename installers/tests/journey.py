"""`make test-installer`: from dist/ to a cited answer and out again, in a bare Debian without a network.

As root (debootstrap, chroot, namespaces). Takes half an hour and more: a model answers on the CPUs at hand. Prints a
line a step; exit status 1 if one fails. What the window looked like is left in build/bare-debian/*.png.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import bare
import older
import screen
from installed import CASE, DISPLAY, DIST, HOME, QUESTION, ROOT, Installed, deb, link, run_file, told

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from building import packing

WORK = ROOT / "build" / "bare-debian"
SAMPLE = "/opt/aipc/app/assets/samples/lending"
DEFAULT_MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
_HALF = "UPDATE documents SET name = 'lost';\n"  # what is done, and undone
TOOLS = ("debootstrap", "strace", "unshare", *screen.TOOLS)


class Journey(Installed):
    """The steps, in order; each asserts what a user would see."""

    def __init__(self, machine: bare.Bare, model: Path) -> None:
        super().__init__(machine)
        self._model = model
        self.failed: list[str] = []

    def all(self, skipped: Sequence[str]) -> None:
        """Both packages, without the steps named."""
        for step in (
            self.what_came_is_what_was_built,
            self.old_systems_are_told_before_anything_is_copied,
            self.disk_that_fills_leaves_the_older_package_whole,
            self.deb_installs,
            self.doctor_finds_all,
            self.model_is_joined_from_its_parts,
            self.older_version_takes_its_place,
            self.sample_is_indexed,
            self.question_is_answered_with_a_citation,
            self.update_migrates_a_copy_beside_it,
            self.older_version_refuses_newer_data,
            self.older_version_goes_on_with_the_copy,
            self.step_that_fails_puts_the_data_back,
            self.disk_that_fills_in_a_step_puts_the_data_back,
            self.conversation_goes_on_and_nothing_is_read_again,
            self.review_is_made_and_exported,
            self.everything_is_backed_up,
            self.window_opens,
            self.library_file_opens_in_the_window,
            self.start_is_measured,
            self.uninstall_keeps_the_data,
            self.run_file_refuses_a_full_disk,
            self.disk_that_fills_leaves_the_older_program_whole,
            self.run_file_installs_for_one_user,
            self.run_file_answers,
            self.complete_bundle_answers_with_nothing_else,
            self.run_file_is_removed,
            self.nothing_reached_for_a_network,
        ):
            if step.__name__ not in skipped:
                self._step(step)

    def what_came_is_what_was_built(self) -> str:
        """The commands of administrators.md."""
        verify = "openssl dgst -sha256 -verify aipc-signing-key.pub -signature SHA256SUMS.sig SHA256SUMS"
        said = [told(shlex.split(command), DIST) for command in ("sha256sum --check SHA256SUMS", verify)]
        return " | ".join([f"{said[0].count(': OK')} files", said[1]])

    def old_systems_are_told_before_anything_is_copied(self) -> str:
        told = []
        for tool, prints in (("getconf", "glibc 2.31"), ("uname", "aarch64"), ("df", "h\nd 1 1 9 1 /")):
            with self._pretending(tool, prints) as path:
                done = self._bare.run("dpkg", "-i", f"/media/{deb().name}", environment=[f"PATH={path}"])
            assert done.returncode != 0 and not (self._bare.root / "opt/aipc/bin").exists(), done.stderr
            told.append(next(line for line in done.stderr.splitlines() if "AIPC" in line or "package is for" in line))
        return " | ".join(told)

    def disk_that_fills_leaves_the_older_package_whole(self) -> str:
        """The check before is made to see more room than there is; then dpkg runs out of it."""
        with self._pretending("df", "h\nd 1 1 999999 1 /") as path:
            done = self._filling(f"dpkg -i /media/{older.NAME}", f"PATH={path} dpkg -i /media/{deb().name}", "/opt")
        told = [line for line in done.stderr.splitlines() if "No space left" in line]
        assert told and self._is_whole(done), done.stdout + done.stderr
        assert "0.0.1 install ok installed" in done.stdout, done.stdout
        assert self._bare.run("dpkg", "--purge", "aipc").returncode == 0
        return told[0].strip()

    def deb_installs(self) -> str:
        self._install(deb().name)
        assert (self._bare.root / "usr/share/applications/aipc.desktop").is_file()
        return self._aipc("--version").stdout.strip()

    def doctor_finds_all(self) -> str:
        report = json.loads(self._aipc("doctor", "--json").stdout)
        assert report["offline"]["attempts"] == 0
        return f"{report['versions']}"

    def older_version_takes_its_place(self) -> str:
        """Going back is what dpkg calls a downgrade; of the data so far only the model stays."""
        for left in self._data().parent.glob("*"):
            if left.is_file():
                left.unlink()
            elif left.name != "models":
                shutil.rmtree(left)
        self._install(older.NAME)
        assert self._aipc("models", "use", self._imported).returncode == 0
        return f"the program as of {older.commit()[:12]}"

    def model_is_joined_from_its_parts(self) -> str:
        pieces = WORK / "pack"
        shutil.rmtree(pieces, ignore_errors=True)
        pieces.mkdir()
        for part in packing.split(self._model, pieces, self._model.stat().st_size // 3 + 1):
            part.replace(self._bare.root / "media" / part.name)
        done = self._aipc("models", "import", f"/media/{self._model.name}.001", "--json")
        assert done.returncode == 0, done.stderr
        imported = json.loads(done.stdout)
        assert imported["verified"] is True
        self._imported = imported["name"]
        return f"{imported['name']}: three pieces, verified"

    def sample_is_indexed(self) -> str:
        added = self._lines("add", "--case", CASE, f"{SAMPLE}/documents", "--json")
        laws = self._lines("add", "--library", f"{SAMPLE}/library", "--json")
        statuses = [line["status"] for line in [*added, *laws]]
        assert set(statuses) <= {"indexed", "indexed_with_gaps"}, statuses
        return f"{len(added)} documents, {len(laws)} of the library"

    def question_is_answered_with_a_citation(self) -> str:
        return self._answer("aipc")

    def update_migrates_a_copy_beside_it(self) -> str:
        before = self._digest()
        self._install(deb().name)
        assert self._digest() == before
        copies = [path.name for path in self._data().parent.glob("aipc-schema-*")]
        assert len(copies) == 1
        return f"the same case and documents; {copies[0]} is the database from before"

    def older_version_refuses_newer_data(self) -> str:
        database = self._data().read_bytes()
        self._install(older.NAME)
        done = self._aipc("cases")
        assert done.returncode == 1 and "newer version" in done.stderr, done.stderr
        assert self._data().read_bytes() == database
        return done.stderr.strip()

    def older_version_goes_on_with_the_copy(self) -> str:
        """As administrators.md says, over a copy of the data folder."""
        back = "cd /tmp/back && mv aipc-schema-*.sqlite aipc.sqlite && rm -f aipc.sqlite-wal aipc.sqlite-shm"
        show = f"AIPC_HOME=/tmp/back aipc documents --case {CASE} --json"
        done = self._bare.run("sh", "-c", f"cp -a {HOME}/.local/share/aipc /tmp/back && {back} && {show}", user=True)
        shutil.rmtree(self._bare.root / "tmp/back")
        self._install(deb().name)
        assert done.returncode == 0, done.stderr
        return f"{len(json.loads(done.stdout)['documents'])} documents"

    def step_that_fails_puts_the_data_back(self) -> str:
        """Two more steps written into the installed program; the second can't be done."""
        said = self._fails_to_update((_HALF, "INSERT INTO nowhere VALUES (1);\n"), small_disk="2g")
        assert "disk" not in said
        return said

    def disk_that_fills_in_a_step_puts_the_data_back(self) -> str:
        filling = (
            "CREATE TABLE filling (bytes);\nWITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
            " 99999) INSERT INTO filling SELECT randomblob(9999) FROM n;\n"
        )
        said = self._fails_to_update((_HALF, filling), small_disk="300m")
        assert "disk" in said
        return said

    def conversation_goes_on_and_nothing_is_read_again(self) -> str:
        """The one the older version began: what it remembered is used by the newer one."""
        done = self._aipc("ask", "--case", CASE, QUESTION, "--conversation", "1", "--json", timeout_s=1800)
        assert done.returncode == 0, done.stderr
        timing = json.loads(done.stdout)["timing"]
        assert timing["restored_tokens"] > 0, timing
        return f"{timing['restored_tokens']} tokens restored, {timing['prefilled_tokens']} prefilled"

    def review_is_made_and_exported(self) -> str:
        out = "/tmp/review.docx"
        done = self._aipc("review", "--case", CASE, "--template", "judge", "--out", out, "--json", timeout_s=2400)
        assert done.returncode == 0 and (self._bare.root / out[1:]).stat().st_size > 0, done.stderr
        return f"{len(json.loads(done.stdout)['findings'])} findings in {out}"

    def everything_is_backed_up(self) -> str:
        done = self._aipc("backup", "/tmp/all.aipcbackup")
        assert done.returncode == 0, done.stderr
        again = self._aipc("--home", "/tmp/restored", "restore", "/tmp/all.aipcbackup")
        assert again.returncode == 0, again.stderr
        assert self._lines("--home", "/tmp/restored", "cases", "--json") == self._lines("cases", "--json")
        return done.stdout.strip()

    def window_opens(self) -> str:
        with screen.virtual(DISPLAY):
            for language in ("zh_CN.UTF-8", "en_US.UTF-8"):
                window = self._window(f"LANG={language}", f"LANGUAGE={language[:5]}")
                screen.picture(DISPLAY, WORK / f"window-{language[:2]}.png")
                screen.end(window)
        return "pictures in build/bare-debian"

    def library_file_opens_in_the_window(self) -> str:
        """The desktop entry's command over an empty data folder: first to start it, then beside the open window."""
        done = self._aipc("library", "export", "/tmp/laws.aipclib")
        assert done.returncode == 0, done.stderr
        command = (self._bare.root / "usr/share/applications/aipc.desktop").read_text(encoding="utf-8")
        assert "\nExec=aipc open %F\n" in command and "application/x-aipc-library" in command
        home = "AIPC_HOME=/tmp/opened"
        with screen.virtual(DISPLAY):
            window = self._window(home, "LANG=zh_CN.UTF-8")
            second = self._bare.run(
                "aipc", "open", "/tmp/laws.aipclib", user=True, display=DISPLAY, environment=[home], timeout_s=60
            )
            time.sleep(20)
            screen.picture(DISPLAY, WORK / "library-opened.png")
            screen.end(window)
        assert second.returncode == 0, second.stderr
        laws = self._lines("--home", "/tmp/opened", "search", "--library", "利息", "--json")
        assert laws[0]["passages"]
        return "a second start gave it to the window, which took it in and finds in it"

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

    def uninstall_keeps_the_data(self) -> str:
        before = self._digest()
        done = self._bare.run("dpkg", "--purge", "aipc")
        assert done.returncode == 0, done.stderr
        assert not (self._bare.root / "opt/aipc/bin").exists() and not (self._bare.root / "usr/bin/aipc").is_symlink()
        assert self._data().is_file()
        self._before = before
        return "the program is gone, aipc.sqlite is there"

    def run_file_refuses_a_full_disk(self) -> str:
        command = ("sh", f"/media/{run_file().name}", "--prefix", "/small/aipc")
        done = self._bare.run(*command, user=True, small_disk="300m")
        assert done.returncode == 1 and "needs" in done.stderr, done.stderr
        return done.stderr.strip()

    def disk_that_fills_leaves_the_older_program_whole(self) -> str:
        install = f"sh /media/{run_file().name} --quiet --prefix /small/aipc"
        with self._pretending("df", "h\nd 1 1 999999 1 /") as path:
            done = self._filling(install, f"PATH={path} {install}", "/small", user=True)
        assert "The disk became full" in done.stderr and self._is_whole(done), done.stdout + done.stderr
        return next(line for line in done.stderr.splitlines() if "Nothing was changed" in line)

    def run_file_installs_for_one_user(self) -> str:
        done = self._bare.run("sh", f"/media/{run_file().name}", user=True, environment=["LANG=zh_CN.UTF-8"])
        assert done.returncode == 0, done.stderr
        entry = (self._home() / ".local/share/applications/aipc.desktop").read_text(encoding="utf-8")
        assert f'Exec="{HOME}/.local/share/aipc-app/bin/aipc" open %F\n' in entry
        return done.stdout.strip().splitlines()[-1]

    def run_file_answers(self) -> str:
        digest = self._digest(f"{HOME}/.local/bin/aipc")
        assert digest == self._before, "the data of the first installation is not what the second one finds"
        return self._answer(f"{HOME}/.local/bin/aipc")

    def complete_bundle_answers_with_nothing_else(self) -> str:
        """Over the program that is there, with a data folder of its own: the default model came along."""
        done = self._bare.run("sh", f"/media/{run_file(complete=True).name}", "--quiet", user=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done.stderr
        sample = f"{HOME}/.local/share/aipc-app/app/assets/samples/lending/documents/04_转账凭证.html"
        program, home = f"{HOME}/.local/bin/aipc", ("--home", "/tmp/complete")
        self._lines(*home, "add", "--case", "甲", sample, "--json", program=program)
        (answer,) = self._lines(*home, "ask", "--case", "甲", "转账金额是多少？", "--json", program=program)
        assert not answer["refused"] and answer["citations"], answer
        return f"{answer['answer']} ({answer['timing']['load_s'] + answer['timing']['total_s']:.0f} s)"

    def run_file_is_removed(self) -> str:
        done = self._bare.run(f"{HOME}/.local/share/aipc-app/uninstall", user=True)
        assert done.returncode == 0 and self._data().is_file(), done.stderr
        assert not (self._home() / ".local/share/aipc-app").exists()
        assert not (self._home() / ".local/bin/aipc").is_symlink()
        return done.stdout.strip()

    def nothing_reached_for_a_network(self) -> str:
        found = self._bare.internet()
        assert not found, "\n".join(found[:20])
        calls, runs = self._bare.traced(), len(self._bare.traces)
        return f"0 internet sockets or name look-ups among {calls} traced calls of {runs} runs"

    def _step(self, step: Callable[[], str]) -> None:
        name, started = step.__name__.replace("_", " "), time.monotonic()
        try:
            said = step()
            print(f"ok    {name} ({time.monotonic() - started:.0f} s): {said}", flush=True)
        except (AssertionError, subprocess.SubprocessError, KeyError, StopIteration, OSError, ValueError) as error:
            self.failed.append(name)
            print(f"FAIL  {name} ({time.monotonic() - started:.0f} s): {type(error).__name__} {error}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="journey.py", description="Try the installers in a bare Debian.")
    parser.add_argument("--model", default=DEFAULT_MODEL, help="of .models, which is imported in pieces and answers")
    parser.add_argument("--skip", nargs="*", default=[], metavar="STEP", help="steps to leave out, by their names here")
    options = parser.parse_args()
    if lacking := [tool for tool in TOOLS if shutil.which(tool) is None]:
        packages = "debootstrap strace xvfb imagemagick x11-utils"
        print(f"This needs {', '.join(lacking)}: apt-get install {packages}", file=sys.stderr)
        return 1
    started = time.monotonic()
    machine = bare.make(WORK)
    for package in (*DIST.glob("aipc*.deb"), *DIST.glob("aipc*.run"), older.package(WORK)):
        link(package, machine.root / "media" / package.name)
    journey = Journey(machine, ROOT / ".models" / options.model)
    journey.all(options.skip)
    print(f"{len(journey.failed)} of the steps failed; {time.monotonic() - started:.0f} s in all.")
    return 1 if journey.failed else 0


if __name__ == "__main__":
    sys.exit(main())
