"""What a document is, and what stands on its pages, as the user knows better."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from msgspec import Struct

from aipc_app.domain.documents import PageState
from aipc_app.domain.fields import DocumentField, DocumentKind, FieldName
from aipc_app.domain.jobs import Changes
from aipc_app.errors import UserMistake
from aipc_app.ingest.field_places import with_place
from aipc_app.operations.op import Op, simply
from aipc_app.operations.services import Services

_SINGLE = (FieldName.KIND, FieldName.TITLE, FieldName.CASE_NUMBER, FieldName.EFFECTIVE_DATE)


class ReadText(Struct, frozen=True):
    """A page as it was read, before the user wrote its text."""

    text: str
    state: PageState


def document_fields(services: Services, *, document_id: int) -> Op[tuple[DocumentField, ...]]:
    """Kind, title, case number, parties and dates, with their places."""
    return simply("get fields", lambda: _fields(services, document_id))


def fields_of_case(services: Services, *, case_id: int) -> Op[dict[int, tuple[DocumentField, ...]]]:
    """The fields of each document of a case, by document id."""
    return simply("get fields", lambda: services.store.fields.of_case(case_id))


def edit_fields(
    services: Services, *, document_id: int, values: Mapping[FieldName, Sequence[str]]
) -> Op[tuple[DocumentField, ...]]:
    """Say what fields are; they stay when the document is read again. Empty values are left out.

    What a page says too gets its place there.

    Raises UserMistake for two values where there is one, or a kind that isn't one; then none is changed.
    """
    return simply("edit fields", lambda: _edit(services, document_id, values))


def correct_page(services: Services, *, document_id: int, page: int, text: str | None) -> Op[None]:
    """Take the user's text for a page, or with None what was read again; passages and search follow."""
    return simply("correct page", lambda: services.ingest.correct(document_id, page, text))


def recognise_page(services: Services, *, document_id: int, page: int) -> Op[str]:
    """The text that recognition reads from the picture of a page; nothing is stored. Takes seconds."""
    return Op("recognise page", lambda _emit, cancel: _recognise(services, document_id, page, cancel))


def read_text(services: Services, *, document_id: int, page: int) -> Op[ReadText | None]:
    """What was read of a page that the user corrected; None for any other."""
    return simply("get original text", lambda: _read_text(services, document_id, page))


def _fields(services: Services, document_id: int) -> tuple[DocumentField, ...]:
    services.store.documents.get(document_id)
    return services.store.fields.of_document(document_id)


def _edit(
    services: Services, document_id: int, values: Mapping[FieldName, Sequence[str]]
) -> tuple[DocumentField, ...]:
    services.store.documents.get(document_id)
    cleaned = {name: _cleaned(name, written) for name, written in values.items()}
    pages = services.store.documents.pages(document_id)
    placed = {name: [with_place(name, value, pages) for value in kept] for name, kept in cleaned.items()}
    with services.store.transaction():
        for name, fields in placed.items():
            services.store.fields.edit(document_id, name, fields)
    services.changes.publish(Changes(documents=frozenset(services.store.documents.cases_of(document_id))))
    return services.store.fields.of_document(document_id)


def _cleaned(name: FieldName, values: Sequence[str]) -> list[str]:
    written = [" ".join(value.split()) for value in values]
    kept = list(dict.fromkeys(value for value in written if value))
    if name in _SINGLE and len(kept) > 1:
        raise UserMistake("A document has one of these; give one value.")
    if name is FieldName.KIND and kept and kept[0] not in set(DocumentKind):
        raise UserMistake(f"'{kept[0]}' is no kind of document; kinds are {', '.join(DocumentKind)}.")
    return kept


def _recognise(services: Services, document_id: int, page: int, cancel: threading.Event) -> str:
    document = services.store.documents.get(document_id)
    path = services.store.originals.path(document.sha256)
    return services.reader.recognise(path, document.name, page, cancel).text


def _read_text(services: Services, document_id: int, page: int) -> ReadText | None:
    known = services.store.corrections.of_document(document_id).get(page)
    return None if known is None else ReadText(known.read_text, known.read_state)
