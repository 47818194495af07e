"""aipc kv status | remember | pin | clear: what the model remembers of the documents it read."""

from __future__ import annotations

import argparse
import threading
from typing import Any

from aipc_app.cli.output import Output
from aipc_app.domain.answers import Reading
from aipc_app.domain.remembering import CaseShare, DocumentShare, MemoryStatus
from aipc_app.operations.cases import find_case
from aipc_app.operations.remembering import (
    document_shares,
    forget_case,
    forget_everything,
    memory_status,
    pin_case,
    remember_case,
    settle_remembered,
)
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("kv", parents=[common], help="what the model remembers of what it read")
    parser.set_defaults(action=_status)
    verbs = parser.add_subparsers(metavar="VERB")
    verbs.add_parser("status", parents=[common], help="size, quota, and what is kept per case").set_defaults(
        action=_status
    )
    remember = verbs.add_parser("remember", parents=[common], help="read a case's documents now")
    remember.add_argument("--case", required=True, metavar="NAME")
    remember.set_defaults(action=_remember)
    pin = verbs.add_parser("pin", parents=[common], help="never throw it out to make room (--undo: it may be)")
    pin.add_argument("--case", required=True, metavar="NAME")
    pin.add_argument("--undo", action="store_true")
    pin.set_defaults(action=_pin)
    clear = verbs.add_parser("clear", parents=[common], help="delete what was read for a case, or for all")
    clear.add_argument("--case", metavar="NAME")
    clear.set_defaults(action=_clear)


def _status(services: Services, _options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    status = memory_status(services).run()
    if output.json:
        output.object(_as_json(status))
    output.line(f"RAM   {_size(status.ram_bytes)} of {_size(status.ram_quota)}")
    output.line(f"disk  {_size(status.disk_bytes)} of {_size(status.disk_quota)}, {status.blocks} blocks")
    if not status.enabled:
        output.line("Nothing is kept on disk: remembering is switched off in the settings.")
    for case in status.cases:
        output.line(f"{_size(case.bytes):>10}  {case.tokens:8} tokens  {'pinned  ' if case.pinned else ''}{case.case}")
    if status.problem:
        output.error(status.problem)
    return 0


def _as_json(status: MemoryStatus) -> dict[str, object]:
    return {
        "enabled": status.enabled,
        "ram_bytes": status.ram_bytes,
        "ram_quota": status.ram_quota,
        "disk_bytes": status.disk_bytes,
        "disk_quota": status.disk_quota,
        "blocks": status.blocks,
        "cases": [_case(case) for case in status.cases],
        "problem": status.problem,
    }


def _case(share: CaseShare) -> dict[str, object]:
    return {
        "case": share.case,
        "bytes": share.bytes,
        "tokens": share.tokens,
        "pinned": share.pinned,
        "documents": [_document(one) for one in share.documents],
    }


def _document(one: DocumentShare) -> dict[str, object]:
    return {"document_id": one.document_id, "document": one.document, "remembered": round(one.remembered, 4)}


def _remember(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    case = find_case(services, name=options.case).run()
    remember_case(services, case_id=case.id).run(lambda event: _progress(event, output), cancel)
    settle_remembered(services, cases=(case.id,)).run()
    _show_reading(services, case.id, case.name, output)
    problem = memory_status(services).run().problem
    if problem:
        output.error(problem)
    return 1 if problem else 0


def _progress(event: object, output: Output) -> None:
    if isinstance(event, Reading):
        output.status(
            f"Reading {event.done_tokens} of {event.total_tokens} tokens, about {event.seconds_left:.0f} s left"
        )
    elif isinstance(event, float):
        output.status(f"Opening the model … {event:.0%}")


def _show_reading(services: Services, case_id: int, name: str, output: Output) -> None:
    documents = document_shares(services, case_id=case_id).run()
    if output.json:
        output.object({"case": name, "documents": [_document(one) for one in documents]})
    for one in documents:
        output.line(f"{one.remembered:5.0%}  {one.document}")


def _pin(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    case = find_case(services, name=options.case).run()
    pin_case(services, case_id=case.id, on=not options.undo).run()
    if output.json:
        output.object({"case": case.name, "pinned": not options.undo})
    output.line(f"{case.name}: {'may be thrown out again' if options.undo else 'pinned'}.")
    return 0


def _clear(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    if options.case is None:
        freed = forget_everything(services).run()
    else:
        freed = forget_case(services, case_id=find_case(services, name=options.case).run().id).run()
    if output.json:
        output.object({"case": options.case, "freed_bytes": freed})
    output.line(f"Forgotten; {_size(freed)} freed.")
    return 0


def _size(size: int) -> str:
    return f"{size / (1 << 30):.2f} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.1f} MiB"
