"""aipc cases, and cases rename | archive | remove."""

from __future__ import annotations

import argparse
import threading
from typing import Any

from aipc_app.cli.forgetting import forget_now
from aipc_app.cli.output import Output
from aipc_app.operations.cases import archive_case, delete_case, find_case, list_cases, rename_case
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("cases", parents=[common], help="list, rename, archive or remove cases")
    parser.set_defaults(action=_list)
    verbs = parser.add_subparsers(metavar="VERB")
    rename = verbs.add_parser("rename", parents=[common], help="give a case another name")
    rename.add_argument("name", metavar="NAME")
    rename.add_argument("new_name", metavar="NEW_NAME")
    rename.set_defaults(action=_rename)
    archive = verbs.add_parser("archive", parents=[common], help="put a case away (--undo takes it out)")
    archive.add_argument("name", metavar="NAME")
    archive.add_argument("--undo", action="store_true")
    archive.set_defaults(action=_archive)
    remove = verbs.add_parser("remove", parents=[common], help="delete a case for good")
    remove.add_argument("name", metavar="NAME")
    remove.set_defaults(action=_remove)


def _list(services: Services, _options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    cases = list_cases(services).run()
    if output.json:
        output.object({"cases": [{"case": c.name, "documents": c.documents} for c in cases]})
    for case in cases:
        output.line(f"{case.name}  {case.documents} documents")
    return 0


def _rename(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    case = find_case(services, name=options.name).run()
    rename_case(services, case_id=case.id, name=options.new_name).run()
    return _done(output, options.new_name)


def _archive(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    case = find_case(services, name=options.name).run()
    archive_case(services, case_id=case.id, on=not options.undo).run()
    return _done(output, case.name)


def _remove(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    case = find_case(services, name=options.name).run()
    delete_case(services, case_id=case.id).run()
    forget_now(services, output)
    return _done(output, case.name)


def _done(output: Output, name: str) -> int:
    if output.json:
        output.object({"case": name})
    output.line(f"{name}: done.")
    return 0
