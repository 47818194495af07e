"""aipc serve: other programs on this computer may ask the model."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import Any

from aipc_app.cli.output import Output
from aipc_app.operations.services import Services
from aipc_app.operations.serving import PORT, start_serving, stop_serving, write_token


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "serve", parents=[common], help="let other programs on this PC ask the model (OpenAI's protocol, 127.0.0.1)"
    )
    parser.add_argument("--port", type=_port, default=PORT, metavar="N", help=f"{PORT}; 0 for any free one")
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="write the token there instead of printing it")
    parser.set_defaults(action=_serve)


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65_535:
        raise argparse.ArgumentTypeError(f"{text} is no port")
    return number


def _serve(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    """Until Ctrl+C."""
    served = start_serving(services, port=options.port).run()
    if options.token_file:
        write_token(options.token_file, served.token)
    shown = str(options.token_file) if options.token_file else served.token
    if output.json:
        token = None if options.token_file else served.token
        output.object({"address": served.address, "port": served.port, "token": token})
    output.line(f"address  {served.address}\ntoken    {shown}\nCtrl+C ends it.")
    cancel.wait()
    stop_serving(services).run()
    return 0
