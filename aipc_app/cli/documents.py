"""aipc add, documents, pages, remove."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from aipc_app.cli.arguments import case_id, case_or_library, natural
from aipc_app.cli.forgetting import forget_now
from aipc_app.cli.output import Output
from aipc_app.domain.documents import LIBRARY_ID, Document
from aipc_app.domain.fields import DocumentField
from aipc_app.ingest.report import IngestProgress, IngestReport
from aipc_app.messages import system_language, translate
from aipc_app.operations.cases import delete_case, ensure_case
from aipc_app.operations.details import fields_of_case
from aipc_app.operations.documents import (
    add_and_wait,
    get_document,
    list_documents,
    read_pages,
    remove_document,
)
from aipc_app.operations.remembering import document_shares
from aipc_app.operations.services import Services

GOOD = ("indexed", "indexed_with_gaps", "duplicate")


def declare(commands: Any, common: argparse.ArgumentParser) -> None:
    add = commands.add_parser("add", parents=[common], help="add files and folders, wait until they are indexed")
    case_or_library(add)
    add.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    add.add_argument("--password", metavar="P", help="for encrypted files; not kept")
    add.set_defaults(action=_add)
    listing = commands.add_parser("documents", parents=[common], help="list a case's documents")
    case_or_library(listing)
    listing.set_defaults(action=_documents)
    pages = commands.add_parser("pages", parents=[common], help="show a document's stored text")
    pages.add_argument("document_id", type=natural, metavar="DOCUMENT_ID")
    pages.add_argument("--page", type=natural, metavar="N")
    pages.set_defaults(action=_pages)
    remove = commands.add_parser("remove", parents=[common], help="take a document out of a case")
    case_or_library(remove)
    remove.add_argument("document_id", type=natural, metavar="DOCUMENT_ID")
    remove.set_defaults(action=_remove)


def _add(services: Services, options: argparse.Namespace, output: Output, cancel: threading.Event) -> int:
    known = None if options.library else services.store.cases.by_name(options.case)
    case = LIBRARY_ID if options.library else ensure_case(services, name=options.case).run().id
    operation = add_and_wait(services, case_id=case, paths=options.paths, password=options.password)
    reports = operation.run(lambda event: _progress(event, output), cancel)
    for report in reports:
        _print_report(report, output)
    if any(report.status in GOOD for report in reports):
        return 0
    if not options.library and known is None and not list_documents(services, case_id=case).run():
        delete_case(services, case_id=case).run()  # nothing was taken in: no empty case stays behind
    output.error(next((report.reason for report in reports if report.reason), "Nothing could be added."))
    return 1


def _progress(event: Any, output: Output) -> None:
    if isinstance(event, IngestProgress):
        output.status(f"{event.done} of {event.total} files")


def _print_report(report: IngestReport, output: Output) -> None:
    if output.json:
        output.object(report)
        return
    detail = f": {translate(report.reason, system_language())}" if report.reason else ""
    output.line(f"{report.document}  {report.status}, {report.pages} pages, {report.passages} passages{detail}")


def _documents(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    case = case_id(services, options)
    documents = list_documents(services, case_id=case).run()
    shares = {one.document_id: one.remembered for one in document_shares(services, case_id=case).run()}
    if output.json:
        fields = fields_of_case(services, case_id=case).run()
        output.object(
            {
                "documents": [
                    _described(document, shares.get(document.id, 0.0), fields.get(document.id, ()))
                    for document in documents
                ]
            }
        )
    for document in documents:
        known = f", {shares[document.id]:.0%} remembered" if shares.get(document.id) else ""
        output.line(f"{document.id:5}  {document.status:18} {document.pages:4} pages{known}  {document.name}")
    return 0


def _described(document: Document, remembered: float, fields: Sequence[DocumentField]) -> dict[str, object]:
    return {
        "document_id": document.id,
        "document": document.name,
        "status": str(document.status),
        "pages": document.pages,
        "remembered": round(remembered, 4),
        "reason": document.reason,
        "encoding": document.encoding or None,
        "fields": [msgspec.to_builtins(field) for field in fields],
    }


def _pages(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    document = get_document(services, document_id=options.document_id).run()
    pages = read_pages(services, document_id=document.id, page=options.page).run()
    if output.json:
        output.object(
            {
                "document_id": document.id,
                "document": document.name,
                "pages": [
                    {
                        "page": p.number,
                        "text": p.text,
                        "state": str(p.state),
                        "width": p.width,
                        "height": p.height,
                        "label": p.label,
                        "corrected": p.corrected,
                        "problem": p.problem or None,
                        "confidence": p.confidence,
                    }
                    for p in pages
                ],
            }
        )
    for page in pages:
        why = f": {page.problem}" if page.problem else ""
        output.line(f"--- {document.name}, page {page.number} ({page.state}{why})")
        output.line(page.text)
    return 0


def _remove(services: Services, options: argparse.Namespace, output: Output, _cancel: threading.Event) -> int:
    gone = remove_document(services, case_id=case_id(services, options), document_id=options.document_id).run()
    forget_now(services, output)
    if output.json:
        output.object({"document_id": options.document_id, "deleted": gone})
    output.line("Removed; the document is gone." if gone else "Removed from this case; other cases still have it.")
    return 0
