"""aipc golden: the golden questions of a case, kept, listed and run."""

from __future__ import annotations

import argparse
import threading
from typing import Any

import msgspec

from aipc_app.cli.arguments import case_id, case_or_library, natural
from aipc_app.cli.output import Output
from aipc_app.domain.golden import GoldenTable
from aipc_app.operations.golden import GoldenProgress, golden_table, keep_golden, remove_golden, run_golden
from aipc_app.operations.services import Services


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    parser = commands.add_parser("golden", parents=[common], help="questions kept for a case and asked again")
    case_or_library(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--keep", metavar="QUESTION", help="keep a question")
    what.add_argument("--remove", type=natural, metavar="ID", help="forget a question")
    what.add_argument("--run", action="store_true", help="ask them all; exit 1 if one fails")
    parser.add_argument(
        "--expect", action="append", default=[], metavar="FACT",
        help="with --keep: what the answer must state, may be given several times; none: it must be refused",
    )  # fmt: skip
    parser.set_defaults(action=_golden)


def _golden(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    case = case_id(services, options)
    if options.keep is not None:
        keep_golden(services, case_id=case, question=options.keep, expected="\n".join(options.expect)).run()
    if options.remove is not None:
        remove_golden(services, question_id=options.remove).run()
    if not options.run:
        return _show(golden_table(services, case_id=case).run(), output)
    table = run_golden(services, case_id=case).run(lambda event: _tell(event, output), cancel)
    _show(table, output)
    return 0 if table.passed == len(table.rows) else 1


def _tell(event: GoldenProgress, output: Output) -> None:
    output.status(f"question {event.done + 1} of {event.total}")


def _show(table: GoldenTable, output: Output) -> int:
    if output.json:
        rows = [msgspec.to_builtins(row) | {"change": row.change.value} for row in table.rows]
        output.object({"questions": rows, "passed": table.passed})
    for row in table.rows:
        state = "-" if row.now is None else "passed" if row.now.passed else "failed"
        output.line(f"{row.question.id}  {state:6}  {row.change.value:6}  {row.question.question}")
        if row.now is not None and not row.now.passed:
            output.line(f"    {row.now.missing}")
    return 0
