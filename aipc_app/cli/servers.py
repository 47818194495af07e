"""aipc server: a server of the organisation instead of a model here."""

from __future__ import annotations

import argparse
import getpass
import sys
import threading
from pathlib import Path
from typing import Any

from aipc_app.cli.arguments import natural
from aipc_app.cli.output import Output
from aipc_app.operations.servers import (
    ServerStatus,
    allow_server,
    keep_token,
    server_models,
    server_status,
    use_server,
    use_this_computer,
)
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("server", parents=[common], help="let a server of your organisation answer (off)")
    parser.set_defaults(action=_status)
    verbs = parser.add_subparsers(metavar="VERB")
    verbs.add_parser("status", parents=[common], help="where text is sent, and where it may be").set_defaults(
        action=_status
    )
    for verb, action, about in (
        ("allow", _allow, "text of your files may be sent to this address"),
        ("forbid", _forbid, "it may no longer"),
        ("models", _models, "what models it offers"),
        ("token", _token, "enter its token, which the system's keyring keeps"),
    ):
        one = verbs.add_parser(verb, parents=[common], help=about)
        one.add_argument("address", metavar="ADDRESS")
        one.set_defaults(action=action)
    use = verbs.add_parser("use", parents=[common], help="answer with its model from now on")
    use.add_argument("address", metavar="ADDRESS", help="like https://server.example:8000/v1")
    use.add_argument("--model", metavar="NAME", help="where it has several")
    use.add_argument("--context", type=natural, metavar="TOKENS", help="where it doesn't tell")
    use.add_argument("--ca", type=Path, metavar="FILE", help="certificate of your organisation's authority (PEM)")
    use.set_defaults(action=_use)
    verbs.add_parser("off", parents=[common], help="answer with the model on this PC again").set_defaults(action=_off)


def ask_for_token(services: Services) -> None:
    """On a terminal, the token of a server that was reached with one is asked for where no keyring has it."""
    if sys.stdin.isatty():
        services.secrets.ask = lambda origin: _entered(origin) if services.settings().server.with_token else ""


def _entered(origin: str) -> str:
    return getpass.getpass(f"Token of {origin} (Enter for none): ")


def _status(services: Services, _options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    return _show(server_status(services).run(), output)


def _allow(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    return _show(allow_server(services, address=options.address).run(), output)


def _forbid(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    return _show(allow_server(services, address=options.address, allowed=False).run(), output)


def _models(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    names = server_models(services, address=options.address).run()
    if output.json:
        output.object({"models": names})
    for name in names:
        output.line(name)
    return 0


def _token(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    token = getpass.getpass("Token: ") if sys.stdin.isatty() else sys.stdin.readline()
    kept = keep_token(services, address=options.address, token=token).run()
    if not kept:
        output.error(
            "This system has no keyring to keep the token in; set AIPC_SERVER_TOKEN for each command instead."
        )
    if output.json:
        output.object({"kept": kept})
    return 0 if kept else 1


def _use(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    ca_file = str(options.ca.absolute()) if options.ca else None
    if sys.stdin.isatty():
        services.secrets.ask = _entered
    use_server(
        services, address=options.address, model=options.model, context_tokens=options.context, ca_file=ca_file
    ).run(cancel=cancel)
    return _show(server_status(services).run(), output)


def _off(services: Services, _options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    return _show(use_this_computer(services).run(), output)


def _show(status: ServerStatus, output: Output) -> int:
    if output.json:
        output.object(status)
    output.line(f"text is sent to {status.address}" if status.address else "no text leaves this computer")
    for address in status.allowed:
        output.line(f"allowed  {address}")
    return 0
