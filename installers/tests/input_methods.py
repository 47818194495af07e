"""Chinese typed into the program as built, on a virtual screen: by ibus, and by fcitx5 through its ibus frontend.

`installers/tests/input_methods.py [TREE] [--with ibus] [--with fcitx5]`. Keys go to the X server as a keyboard's do: a
new case, "nihao", a space, Enter. That the case is then called 你好 is read from the data. Pictures: build/typing/.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import screen

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "typing"
DISPLAY = ":98"
TYPED, MEANT = "nihao", "你好"
_SETTINGS = '[window]\nwelcomed = true\nlanguage = "zh"\n'
_PROFILE = """[Groups/0]
Name=Default
Default Layout=us
DefaultIM=pinyin

[Groups/0/Items/0]
Name=keyboard-us

[Groups/0/Items/1]
Name=pinyin

[GroupOrder]
0=Default
"""


@dataclass(frozen=True)
class Method:
    """What a desktop says in QT_IM_MODULE, the programs it takes, and a shell's lines that start it for pinyin."""

    module: str
    packages: str
    programs: tuple[str, ...]
    start: str
    switch_on: str


METHODS = {
    "ibus": Method(
        "ibus",
        "ibus ibus-libpinyin",
        ("ibus-daemon", "ibus"),
        "ibus-daemon --daemonize --replace --xim --panel=disable --cache=none && sleep 3 && ibus engine libpinyin",
        "ibus engine libpinyin",
    ),
    "fcitx5": Method(
        "fcitx",
        "fcitx5 fcitx5-pinyin",
        ("fcitx5", "fcitx5-remote"),
        "fcitx5 -d --disable=wayland,notifications >/dev/null 2>&1 && sleep 3",
        "fcitx5-remote -o",
    ),
}
TOOLS = ("xdotool", "openbox", "dbus-run-session", *screen.TOOLS)


def main() -> int:
    parser = argparse.ArgumentParser(prog="input_methods.py", description="Type Chinese into the program as built.")
    parser.add_argument("tree", nargs="?", type=Path, default=ROOT / "build" / "installer" / "tree")
    parser.add_argument("--with", dest="methods", action="append", choices=METHODS, help="one; both if left out")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    typed = {name: _type(options.tree, name) for name in options.methods or METHODS}
    return 0 if all(typed.values()) else 1


def _type(tree: Path, name: str) -> bool:
    method = METHODS[name]
    if lacking := [tool for tool in (*TOOLS, *method.programs) if shutil.which(tool) is None]:
        print(f"{name}: needs {', '.join(lacking)}: apt-get install xdotool openbox dbus {method.packages}")
        return False
    with tempfile.TemporaryDirectory() as folder, screen.virtual(DISPLAY):
        home = _home(Path(folder))
        environment = _environment(home, method)
        script = f'openbox & {method.start}; exec "{tree}/bin/aipc"'
        program = subprocess.Popen(
            ["dbus-run-session", "--", "sh", "-c", script],
            env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            screen.wait_for_window(DISPLAY, program)
            _keys(environment, method, WORK / f"{name}.png")
        finally:
            screen.end(program)
        done = subprocess.run(
            [tree / "bin" / "aipc", "cases", "--json"], env=environment, capture_output=True, text=True
        )
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    print(f"{name}: typed {TYPED}, the cases are {json.dumps(cases, ensure_ascii=False)} {done.stderr}")
    return MEANT in done.stdout


def _home(folder: Path) -> Path:
    """A user's folder: the program welcomed its user before, fcitx5 knows pinyin."""
    (folder / "aipc").mkdir()
    (folder / "aipc" / "settings.toml").write_text(_SETTINGS, encoding="utf-8")
    (folder / ".config" / "fcitx5").mkdir(parents=True)
    (folder / ".config" / "fcitx5" / "profile").write_text(_PROFILE, encoding="utf-8")
    (folder / "runtime").mkdir(mode=0o700)
    return folder


def _environment(home: Path, method: Method) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return {
        **kept, "HOME": str(home), "XDG_RUNTIME_DIR": str(home / "runtime"), "AIPC_HOME": str(home / "aipc"),
        "DISPLAY": DISPLAY, "LANG": "C.UTF-8", "QT_IM_MODULE": method.module, "XMODIFIERS": f"@im={method.module}",
        "GTK_IM_MODULE": method.module, "GSETTINGS_BACKEND": "memory",
    }  # fmt: skip


def _keys(environment: dict[str, str], method: Method, picture: Path) -> None:
    def press(*arguments: str, wait_s: float = 1.5) -> None:
        subprocess.run(["xdotool", *arguments], env=environment, check=True)
        time.sleep(wait_s)

    press("key", "ctrl+n")
    bus = _bus_of(environment)
    subprocess.run(["sh", "-c", method.switch_on], env={**environment, **bus}, check=False)
    press("key", "ctrl+a", wait_s=0.5)
    press("type", "--delay", "150", TYPED)
    screen.picture(DISPLAY, picture)
    press("key", "space")
    screen.picture(DISPLAY, picture.with_stem(f"{picture.stem}-chosen"))
    press("key", "Return")
    press("key", "Return")
    screen.picture(DISPLAY, picture.with_stem(f"{picture.stem}-made"))


def _bus_of(environment: dict[str, str]) -> dict[str, str]:
    """The session bus that the program has, read from a process of that session."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        found = dict(variable.decode(errors="replace").split("=", 1) for variable in variables if b"=" in variable)
        if found.get("HOME") == environment["HOME"] and "DBUS_SESSION_BUS_ADDRESS" in found:
            return {"DBUS_SESSION_BUS_ADDRESS": found["DBUS_SESSION_BUS_ADDRESS"]}
    return {}


if __name__ == "__main__":
    sys.exit(main())
