"""The case as a review reads it: which documents an item means, their pages and units, each cut once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

import msgspec

from aipc_app.answer.gather import read_whole, readable_documents
from aipc_app.answer.material import Source
from aipc_app.answer.units import Units, cut_units
from aipc_app.domain.documents import LIBRARY_ID, Document
from aipc_app.domain.fields import FieldName
from aipc_app.domain.review import DocumentRule, Item, ReviewedDocument, Scope, Template
from aipc_app.store import Store


class CaseMaterial:
    """Read when it is made; documents that come later belong to the next review. Not for two threads at once."""

    def __init__(self, store: Store, case_id: int, template: Template) -> None:
        self._store, self._template = store, template
        self.case_id = case_id
        self.documents = readable_documents(store, (case_id,))
        self._fields = store.fields.of_case(case_id)
        self._units: dict[tuple[int, ...], Units] = {}
        self._sources: dict[int, tuple[Source, ...]] = {}

    def reviewed(self) -> tuple[ReviewedDocument, ...]:
        return tuple(ReviewedDocument(id=d.id, name=d.name, sha256=d.sha256) for d in self.documents)

    def of_item(self, item: Item) -> tuple[Document, ...]:
        """The documents an item names; () when it names some and the case has none of them."""
        if not item.documents:
            return self.documents
        rules = [self._template.documents[name] for name in item.documents]
        chosen = {d.id for rule in rules for d in self._matching(rule)}
        return tuple(d for d in self.documents if d.id in chosen)

    def sources(self, documents: Sequence[Document]) -> tuple[Source, ...]:
        for document in documents:
            if document.id not in self._sources:
                self._sources[document.id] = read_whole(self._store, (document,))
        return tuple(source for document in documents for source in self._sources[document.id])

    def units(self, documents: Sequence[Document]) -> Units:
        key = tuple(document.id for document in documents)
        if key not in self._units:
            self._units[key] = cut_units(self.sources(documents))
        return self._units[key]

    def basis(self, item: Item, language: str, model: str) -> str:
        """Hashes all that the item is worked out from, computed inputs apart."""
        documents = self.of_item(item) or self.documents
        parts = [msgspec.json.encode(item), language.encode(), model.encode() if item.question else b""]
        parts += [self._text_hash(document) for document in documents]
        if item.scope is not Scope.DOCUMENTS:
            parts.append(self._library_hash)
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def _text_hash(self, document: Document) -> bytes:
        """Of the text, not the file: a page that was corrected is another one."""
        text = "\f".join(source.page_text for source in self.sources((document,)))
        return hashlib.sha256(f"{document.name}\0{text}".encode()).digest()

    @cached_property
    def _library_hash(self) -> bytes:
        library = sorted(document.sha256 for document in self._store.documents.of_case(LIBRARY_ID))
        return hashlib.sha256("".join(library).encode()).digest()

    def _matching(self, rule: DocumentRule) -> tuple[Document, ...]:
        """By name first: 银行交易明细 says more than 'a statement'."""
        if rule.ids:
            return tuple(d for d in self.documents if d.id in rule.ids)
        named = tuple(d for d in self.documents if any(word.lower() in self._called(d) for word in rule.names))
        return named or tuple(d for d in self.documents if self._field(d, FieldName.KIND) in rule.kinds)

    def _called(self, document: Document) -> str:
        return f"{document.name} {self._field(document, FieldName.TITLE)}".lower()

    def _field(self, document: Document, name: FieldName) -> str:
        return next((f.value for f in self._fields.get(document.id, ()) if f.name is name), "")
