"""Arguments several commands share."""

from __future__ import annotations

import argparse

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.operations.cases import find_case
from aipc_app.operations.services import Services


def case_or_library(parser: argparse.ArgumentParser) -> None:
    """Exactly one of --case NAME and --library."""
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--case", metavar="NAME")
    group.add_argument("--library", action="store_true")


def case_id(services: Services, options: argparse.Namespace) -> int:
    """The id of the case that was named, or the library's. Raises UserMistake."""
    return LIBRARY_ID if options.library else find_case(services, name=options.case).run().id


def natural(text: str) -> int:
    """A number from 1 that the database can hold; anything else is wrong usage."""
    number = int(text)
    if not 1 <= number < 2**63:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 up")
    return number


def document_ids(text: str) -> frozenset[int]:
    """ID,ID,… with at least one."""
    try:
        found = frozenset(natural(part) for part in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            "give document numbers separated by commas, as 'aipc documents' lists"
        ) from error
    return found
