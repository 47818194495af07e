"""Arguments and exit status: 0 done, 1 could not (one sentence on standard error), 2 wrong usage."""

from __future__ import annotations

import argparse
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from aipc_app import __version__, log, paths
from aipc_app.cli import (
    asking,
    backup,
    cases,
    demo,
    doctor,
    documents,
    golden,
    kv,
    library,
    models,
    opening,
    plan,
    reviewing,
    servers,
    serving,
    tasks,
)
from aipc_app.cli.output import Output, readable
from aipc_app.errors import AipcError, Cancelled, UserMistake
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from engine.errors import EngineError

Opener = Callable[[Home], AbstractContextManager[Services]]
_ROOMS = (
    documents, cases, library, asking, golden, reviewing, models, servers, serving, plan, kv, backup, doctor, demo,
    opening, tasks,
)  # fmt: skip


class Room(Protocol):
    """What declares commands: a module of this package, or one that app.py brings."""

    def declare(self, commands: Any, common: argparse.ArgumentParser) -> None: ...


class Window(Protocol):
    """Opens the window over a home; blocks until it is closed. `sample`: on the sample case. `files`: on these."""

    def __call__(self, home: Home, *, sample: bool = False, files: tuple[Path, ...] = ()) -> int: ...


def run(arguments: list[str], opener: Opener, window: Window, more: Sequence[Room] = ()) -> int:
    """Run one command over one home. `more`: commands that are not of this package."""
    options = _parser((*_ROOMS, *more)).parse_args([readable(argument) for argument in arguments])
    output = Output(json=getattr(options, "json", False))
    try:
        return _run(options, paths.home(options.home), output, opener, window)
    except (Cancelled, KeyboardInterrupt):
        output.error("Stopped; what was done so far is kept.")
    except (AipcError, EngineError) as error:
        output.error(error.message)
    except BrokenPipeError:
        pass
    except Exception as error:  # ours to mend: one sentence for the user, the rest in the log
        places = "".join(traceback.format_tb(error.__traceback__))  # not its message, which may quote a document
        log.INIT.error("unexpected %s\n%s", type(error).__name__, places)
        output.error(f"The program made a mistake ({type(error).__name__}); its log, logs/aipc.log, says more.")
    return 1


def _run(options: argparse.Namespace, home: Home, output: Output, opener: Opener, window: Window) -> int:
    if not hasattr(options, "action"):
        if not demo.has_display():
            raise UserMistake("There is no display to open the window on; 'aipc --help' lists the commands.")
        return window(home, files=tuple(getattr(options, opening.FILES, ())))
    if getattr(options, "opens_window", False) and demo.has_display():
        return window(home, sample=True)
    if getattr(options, "without_home", False):
        return int(options.action(options, output))
    cancel = threading.Event()
    _on_interrupt(cancel)
    with opener(home) as services:
        servers.ask_for_token(services)
        return int(options.action(services, options, output, cancel))


def _on_interrupt(cancel: threading.Event) -> None:
    """The first Ctrl+C asks the work to end and keeps what is done; the second ends the program."""

    def stop(_signal: int, _frame: object) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    signal.signal(signal.SIGINT, stop)


def _parser(rooms: Sequence[Room]) -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--home", default=argparse.SUPPRESS, metavar="DIR", help="data folder (or AIPC_HOME)")
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON, one object a line")
    parser = argparse.ArgumentParser(
        prog="aipc", description="Ask your case files on your own PC. With no command, the window opens."
    )
    parser.add_argument("--home", default=None, metavar="DIR", help="data folder (or AIPC_HOME)")
    parser.add_argument("--version", action="version", version=f"aipc {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND")
    for room in rooms:
        room.declare(commands, common)
    return parser
