"""What is known of a document as a whole, each thing with the place it was read from."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class FieldName(StrEnum):
    """`PARTY` and `DATE` may come several times, the others once."""

    KIND = "kind"
    TITLE = "title"
    CASE_NUMBER = "case_number"
    PARTY = "party"
    DATE = "date"
    EFFECTIVE_DATE = "effective_date"


class DocumentKind(StrEnum):
    COMPLAINT = "complaint"
    ANSWER = "answer"
    JUDGMENT = "judgment"
    STATUTE = "statute"
    CONTRACT = "contract"
    EVIDENCE_LIST = "evidence_list"
    TRANSCRIPT = "transcript"
    STATEMENT = "statement"
    PAPER = "paper"
    MAIL = "mail"
    OTHER = "other"


class DocumentField(Struct, frozen=True, kw_only=True):
    """`value` is a DocumentKind's for KIND, YYYY-MM-DD for whole dates, otherwise as written without line breaks.

    `page` from 1 and the offsets in its stored text are None where nothing on a page says it: a kind told by the
    file's name, or what the user knows better. `edited` by the user: kept when the document is read again.
    """

    name: FieldName
    value: str
    page: int | None = None
    start: int | None = None
    end: int | None = None
    edited: bool = False
