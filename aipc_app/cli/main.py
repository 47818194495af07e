"""Arguments and exit status: 0 done, 1 could not (one sentence on standard error), 2 wrong usage."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from aipc_app import __version__, paths
from aipc_app.cli import asking, bench, cases, demo, documents, doctor, models, window
from aipc_app.cli.output import Output
from aipc_app.errors import AipcError, Cancelled
from aipc_app.operations.services import Services
from aipc_app.paths import Home
from engine.errors import EngineError

Opener = Callable[[Home], AbstractContextManager[Services]]
_ROOMS = (documents, cases, asking, models, doctor, bench, demo)


def run(arguments: list[str], opener: Opener) -> int:
    """Run one command over one home."""
    options = _parser().parse_args(arguments)
    home = paths.home(options.home)
    output = Output(json=getattr(options, "json", False))
    try:
        return _run(options, home, output, opener)
    except Cancelled:
        return 1
    except (AipcError, EngineError) as error:
        output.error(error.message)
        return 1
    except BrokenPipeError:
        return 1


def _run(options: argparse.Namespace, home: Home, output: Output, opener: Opener) -> int:
    if not hasattr(options, "action"):
        return window.run(home, opener)
    if getattr(options, "without_home", False):
        return int(options.action(options, output))
    cancel = threading.Event()
    _on_interrupt(cancel)
    with opener(home) as services:
        return int(options.action(services, options, output, cancel))


def _on_interrupt(cancel: threading.Event) -> None:
    """The first Ctrl+C asks the work to end and keeps what is done; the second ends the program."""
    def stop(_signal: int, _frame: object) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    signal.signal(signal.SIGINT, stop)


def _parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--home", default=argparse.SUPPRESS, metavar="DIR", help="data folder (or AIPC_HOME)")
    common.add_argument("--json", action="store_true", help="print JSON, one object a line")
    parser = argparse.ArgumentParser(
        prog="aipc", description="Ask your case files on your own PC. With no command, the window opens.")
    parser.add_argument("--home", default=None, metavar="DIR", help="data folder (or AIPC_HOME)")
    parser.add_argument("--version", action="version", version=f"aipc {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND")
    for room in _ROOMS:
        room.declare(commands, common)
    return parser


