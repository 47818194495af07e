"""Reviews: a template's items worked out over a case, each finding with its proof, its working and its decision."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from aipc_app.domain.answers import Citation, Reading, Sentence, SentenceState
from aipc_app.domain.exporting import Typography


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """One text in both languages."""

    zh: str
    en: str

    def of(self, language: str) -> str:
        """`language` "zh" or "en"."""
        return self.zh if language == "zh" else self.en


class ItemType(StrEnum):
    TEXT = "text"
    PARTY = "party"
    MONEY = "money"
    DATE = "date"
    RATIO = "ratio"
    LIST = "list"
    TABLE = "table"
    CHOICE = "choice"


class Scope(StrEnum):
    DOCUMENTS = "documents"  # of the case
    LIBRARY = "library"  # articles in the law library
    PAST_CASES = "past_cases"  # judgments in the law library


class EvidenceRule(StrEnum):
    """What a finding needs to be called supported."""

    QUOTE = "quote"  # it stands word for word on a page
    PROOF = "proof"  # each sentence is proved as those of an answer are
    WORKING = "working"  # worked out in code from findings that are supported


class FindingStatus(StrEnum):
    SUPPORTED = "supported"
    IN_DOUBT = "in_doubt"
    UNSUPPORTED = "unsupported"
    NOT_FOUND = "not_found"
    FAILED = "failed"


class Decision(StrEnum):
    """What the user said of a finding."""

    NONE = ""
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    EDITED = "edited"  # accepted with the user's own text in the place of the value


class DocumentRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which documents are meant: of one of these kinds (domain.fields), or with one of these words in name or title.

    `names` come first: `kinds` are for cases where no document is named so. `ids` are just these.
    """

    kinds: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()


class Column(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of a table item; `names` are heads that documents give it."""

    id: str
    label: Words
    names: tuple[str, ...] = ()


class Look(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How code finds an item in the documents word for word, before any model is asked.

    `heads`: the lines below a heading with one of these words, up to the next heading or one with a word of `until`.
    `lines`: paragraphs that begin with one of these words. `after`: what stands behind one of these words, to the end
    of its sentence and of a list that follows. `mentions`: sentences with one of these words. `asked`: the replies to
    a question with one of these words, in a transcript. `near`: the figure of the item's type that follows one of
    these words in its sentence. `rows`: the cell beside one of these words in a table; `year`: the cell under a year,
    "last" or "before". `table`: all rows of tables that have a column for each of these words. `method`: "timeline",
    "both_sides" (of the first two document rules), "numbered" (points), "tables" (all rows of all tables, with their
    heads), "last_date", or "last_exchange" (of messages). `without`: sentences with one of these words are passed over.
    """

    heads: tuple[str, ...] = ()
    until: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    year: str = ""
    table: tuple[str, ...] = ()
    method: str = ""
    without: tuple[str, ...] = ()


class Item(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of a review. Exactly one of `question`, `compute` and `queries` says how it is worked out, after `look`.

    `documents`: names of the template's document rules, () for all of the case. `compute`: a computation of
    aipc_app.review.computing, `inputs` the ids of the items it takes, by the computation's own names ("a|b": the first
    that is supported). `queries`: what is searched for in the library, beside the values of the items in `about`.
    `options`: of a choice. `only_with`: where none of these words stands in the documents, nothing is asked: a model
    asked for the loan in a contract of sale would name the price.
    """

    id: str
    label: Words
    type: ItemType = ItemType.TEXT
    scope: Scope = Scope.DOCUMENTS
    evidence: EvidenceRule = EvidenceRule.PROOF
    documents: tuple[str, ...] = ()
    look: Look = Look()
    question: Words | None = None
    queries: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    compute: str = ""
    inputs: dict[str, str] = {}
    options: tuple[Words, ...] = ()
    columns: tuple[Column, ...] = ()
    only_with: tuple[str, ...] = ()
    limit: int = 8  # lines of a list, rows of a table, articles, past cases


class Section(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: Words
    items: tuple[Item, ...]


class DraftPart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the draft: `text` with {item id} where proved values go; a line whose items have none is left out."""

    title: Words
    text: Words


class Template(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`notice` stands on each page of an export. `hash` is of the file's bytes; `own`: a user's copy."""

    id: str
    title: Words
    about: Words
    notice: Words
    sections: tuple[Section, ...]
    typography: Typography = Typography.PLAIN
    documents: dict[str, DocumentRule] = {}
    draft: tuple[DraftPart, ...] = ()
    hash: str = ""
    own: bool = False

    @property
    def items(self) -> tuple[Item, ...]:
        return tuple(item for section in self.sections for item in section.items)


class Cell(Struct, frozen=True, kw_only=True):
    """One cell of a table. `citations` are markers of its finding."""

    text: str
    citations: tuple[int, ...] = ()
    state: SentenceState = SentenceState.SUPPORTED


class Finding(Struct, frozen=True, kw_only=True):
    """What one item came to. `value` is all of it as plain text, "" when not found.

    `sentences` are its lines, or `rows` its table, under the columns of the item; their citations are markers that
    count from 1 within the finding. `reason`: why it is not supported, or what failed. `working`: the formula with its
    inputs, a step a line. `problem`: it is no fault of the material (status failed).
    """

    item: str
    status: FindingStatus
    value: str = ""
    sentences: tuple[Sentence, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    citations: tuple[Citation, ...] = ()
    reason: str = ""
    working: tuple[str, ...] = ()
    decision: Decision = Decision.NONE
    edited: str = ""
    comment: str = ""
    seconds: float = 0.0

    @property
    def shown(self) -> str:
        """The value as the user wants it."""
        return self.edited if self.decision is Decision.EDITED else self.value


class ReviewedDocument(Struct, frozen=True, kw_only=True):
    """A document as it was when the review read it."""

    id: int
    name: str
    sha256: str


class ReviewState(StrEnum):
    RUNNING = "running"  # or was, when the program ended: it can be resumed
    STOPPED = "stopped"
    DONE = "done"


class ReviewTiming(Struct, frozen=True, kw_only=True):
    load_s: float = 0.0
    total_s: float = 0.0
    prompt_tokens: int = 0
    restored_tokens: int = 0
    prefilled_tokens: int = 0
    generated_tokens: int = 0


class Review(Struct, frozen=True, kw_only=True):
    """`template` is kept whole, as it was used. `findings` in the template's order, those that are done."""

    id: int
    case_id: int
    template: Template
    language: str
    model: str
    documents: tuple[ReviewedDocument, ...]
    state: ReviewState
    findings: tuple[Finding, ...] = ()
    created: float = 0.0
    changed: float = 0.0
    timing: ReviewTiming = ReviewTiming()

    def finding(self, item: str) -> Finding | None:
        return next((one for one in self.findings if one.item == item), None)


class ReviewSummary(Struct, frozen=True, kw_only=True):
    """A line of the list of a case's reviews. `done` of `total` items."""

    id: int
    case_id: int
    template: str
    title: Words
    model: str
    state: ReviewState
    done: int
    total: int
    created: float


class DraftSection(Struct, frozen=True, kw_only=True):
    """A part of the draft, assembled from proved findings; citations are markers of `ReviewDraft.citations`."""

    title: str
    sentences: tuple[Sentence, ...]


class ReviewDraft(Struct, frozen=True, kw_only=True):
    """`missing`: labels of items that were not found or not proved, which stand first. Markers count through."""

    notice: str
    missing: tuple[str, ...]
    sections: tuple[DraftSection, ...]
    citations: tuple[Citation, ...]


class FindingDifference(Struct, frozen=True, kw_only=True):
    """One item of two reviews; None where a review doesn't have it."""

    item: str
    label: Words
    one: Finding | None
    other: Finding | None
    same: bool


class ReviewBegun(Struct, frozen=True, tag=True):
    """The review as it stands: new, resumed, or with the findings that are kept from before."""

    review: Review


class ItemsBegun(Struct, frozen=True, tag=True):
    """These are being worked out now."""

    items: tuple[str, ...]


class FindingReady(Struct, frozen=True, tag=True):
    """A finding is worked out and stored; `done` of `total` items, and an honest estimate for the rest."""

    finding: Finding
    done: int
    total: int
    seconds_left: float | None


class ReviewEnded(Struct, frozen=True, tag=True):
    """The end: everything, or what was done when it was stopped."""

    review: Review


ReviewEvent = ReviewBegun | Reading | ItemsBegun | FindingReady | ReviewEnded
