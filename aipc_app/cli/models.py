"""aipc models list | fetch | import | verify | use | remove."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import Any

from aipc_app.cli.output import Output
from aipc_app.domain.models import ModelInfo
from aipc_app.operations.model_files import import_model, remove_model
from aipc_app.operations.models import fetch_models, list_models, use_model, verify_model
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("models", parents=[common], help="language models on this machine")
    parser.set_defaults(action=_list)
    verbs = parser.add_subparsers(metavar="VERB")
    verbs.add_parser("list", parents=[common], help="what is known and what is here").set_defaults(action=_list)
    fetch = verbs.add_parser("fetch", parents=[common], help="download the default model, or those of these roles")
    fetch.add_argument("roles", nargs="*", metavar="ROLE")
    fetch.set_defaults(action=_fetch)
    bring = verbs.add_parser("import", parents=[common], help="copy a GGUF file into the data folder")
    bring.add_argument("file", type=Path, metavar="FILE")
    bring.set_defaults(action=_import)
    for verb, action, about in (
        ("verify", _verify, "compare its bytes with what they should be"),
        ("use", _use, "answer with this model from now on"),
        ("remove", _remove, "delete it from the data folder"),
    ):
        one = verbs.add_parser(verb, parents=[common], help=about)
        one.add_argument("name", metavar="NAME")
        one.set_defaults(action=action)


def _list(services: Services, _options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    models = list_models(services).run()
    if output.json:
        output.object({"models": models})
    for model in models:
        where = "in use" if model.in_use else "here" if model.path else "not here"
        output.line(f"{model.name:36} {model.size / 1e9:7.2f} GB  {where:9} {model.role or ''}")
    return 0


def _fetch(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    def progress(event: Any) -> None:
        output.status(f"{event.what}, {event.done / 1e6:.0f} of {event.total / 1e6:.0f} MB")

    return _show(fetch_models(services, roles=tuple(options.roles)).run(progress, cancel), output)


def _import(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    def progress(fraction: float) -> None:
        output.status(f"Copying {options.file.name} … {fraction:.0%}")

    return _show((import_model(services, path=options.file).run(progress, cancel),), output)


def _verify(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    model = verify_model(services, name=options.name).run(cancel=cancel)
    _show((model,), output)
    if not model.verified:
        output.error(f"{model.file} is not what it should be; delete it and fetch or copy it again.")
    return 0 if model.verified else 1


def _use(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    return _show((use_model(services, name=options.name).run(),), output)


def _remove(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    return _show((remove_model(services, name=options.name).run(),), output)


def _show(models: tuple[ModelInfo, ...], output: Output) -> int:
    for model in models:
        if output.json:
            output.object(model)
        verified = {True: ", verified", False: ", WRONG BYTES", None: ""}[model.verified]
        output.line(f"{model.name}: {model.path or 'not here'}{verified}")
    return 0
