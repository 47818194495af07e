"""Cases, documents, pages and passages."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

LIBRARY_ID = 1  # the law library is the case with this id


class CaseKind(StrEnum):
    CASE = "case"
    LIBRARY = "library"


class Case(Struct, frozen=True, kw_only=True):
    """A folder of documents that are asked together. `trashed` cases can be brought back."""

    id: int
    name: str
    kind: CaseKind = CaseKind.CASE
    documents: int = 0
    archived: bool = False
    trashed: bool = False
    created: float = 0.0


class DocumentStatus(StrEnum):
    QUEUED = "queued"
    READING = "reading"
    SEARCHABLE = "searchable"  # by keyword; vectors still to come
    INDEXED = "indexed"
    INDEXED_WITH_GAPS = "indexed_with_gaps"
    FAILED = "failed"
    UNSUPPORTED = "unsupported"

    @property
    def settled(self) -> bool:
        """Nothing more happens by itself."""
        return self in (self.INDEXED, self.INDEXED_WITH_GAPS, self.FAILED, self.UNSUPPORTED)

    @property
    def readable(self) -> bool:
        """Its pages can be asked and shown."""
        return self in (self.SEARCHABLE, self.INDEXED, self.INDEXED_WITH_GAPS)


class Document(Struct, frozen=True, kw_only=True):
    """One original, stored once by the hash of its bytes, whatever cases it belongs to."""

    id: int
    name: str  # file name with extension, or path inside an added folder with "/"
    sha256: str
    size: int  # bytes
    status: DocumentStatus
    reason: str | None = None
    retryable: bool = False
    pages: int = 0
    passages: int = 0
    has_layout: bool = False  # pages can be drawn; else the text view is used
    added: float = 0.0
    encoding: str = ""  # of text: the charset its bytes were found to be in


class Member(Struct, frozen=True, kw_only=True):
    """A file inside another: an attachment, a file of an archive. `name` is its path in there, with "/".

    `document_id` is None when it was not taken in (`problem` says why) or is deleted. `was_known`: its bytes had
    been there before.
    """

    name: str
    document_id: int | None = None
    was_known: bool = False
    problem: str = ""


class PageState(StrEnum):
    TEXT = "text"
    OCR = "ocr"
    EMPTY = "empty"
    GARBLED = "garbled"
    FAILED = "failed"


class Page(Struct, frozen=True, kw_only=True):
    """One page as it was read. `boxes` as in domain.boxes, b"" when the format has none. Size in points.

    `problem`: why it is not simply good text, in a few words (also for pages read by OCR: why it was needed);
    `confidence`: OCR's own, from 0 to 1, weighted by characters; None where nothing was recognised.
    """

    number: int
    text: str
    state: PageState
    width: float = 0.0
    height: float = 0.0
    boxes: bytes = b""
    problem: str = ""
    confidence: float | None = None
    label: str = ""  # the page number printed on it, behind its volume where one is: "15", "卷二 15"
    corrected: bool = False  # the user wrote its text; the store keeps what was read


class Passage(Struct, frozen=True, kw_only=True):
    """A piece of one page. `text` is exactly the page's stored text from `start` to `end`."""

    id: int
    document_id: int
    document: str
    page: int
    start: int
    end: int
    text: str
    heading: str | None = None
    article: str | None = None
    page_label: str = ""  # as Page.label


class PassageDraft(Struct, frozen=True, kw_only=True):
    """A passage before it is stored."""

    page: int
    start: int
    end: int
    text: str
    heading: str | None = None
    article: str | None = None


class Stage(StrEnum):
    KEYWORD = "keyword"
    VECTOR = "vector"
    EXACT = "exact"
    RERANK = "rerank"  # read again together with the question, where there is a model for it


class Along(StrEnum):
    """Why an article comes along with one that was found."""

    CITED = "cited"  # 依照本法第六百八十条, 民法典第六百八十条
    PREVIOUS = "previous"  # 前条规定的
    REST = "rest"  # of the same article, which is cut in several passages
    DEFINITION = "definition"  # 本法所称借款人，是指


class Related(Struct, frozen=True, kw_only=True):
    """A passage that was not found itself, and the one it comes along with (`of`: its id)."""

    passage: Passage
    why: Along
    of: int


class ForceState(StrEnum):
    """What speaks against a document of the library being law now."""

    SUPERSEDED = "superseded"  # a newer version is in the library
    REPEALED = "repealed"  # a law of the library says so
    TO_COME = "to_come"  # it comes into force later


class Force(Struct, frozen=True, kw_only=True):
    """`by`: the newer version's day, the repealing law, or the day on which it comes into force."""

    state: ForceState
    by: str


class Evidence(Struct, frozen=True, kw_only=True):
    """A passage that a search found: fused score, the rank in each stage that found it (from 1), and what each put
    into the score. `along`: it was not found, it comes along with one that was. `force`: where it is a law's, and
    something speaks against its being law now."""

    passage: Passage
    score: float
    ranks: dict[Stage, int] = {}
    shares: dict[Stage, float] = {}
    along: Along | None = None
    force: Force | None = None


class SearchResult(Struct, frozen=True, kw_only=True):
    """Best first. `missing` names stages that could not take part (the encoder is starting, say).

    `related`: articles of the library that belong to those found, not among them, in the order of what they belong to.
    """

    evidence: tuple[Evidence, ...]
    seconds: float
    missing: tuple[Stage, ...] = ()
    related: tuple[Related, ...] = ()
