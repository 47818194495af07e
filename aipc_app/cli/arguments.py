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
