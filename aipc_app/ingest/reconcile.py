"""Makes the vector index agree with the store, which is the truth, without embedding anything again."""

from __future__ import annotations

from aipc_app.domain.documents import LIBRARY_ID
from aipc_app.domain.jobs import JobKind
from aipc_app.ingest.pipeline import index_documents
from aipc_app.ingest.ports import PassageEncoder, collection_of
from aipc_app.log import INGEST
from aipc_app.store import Store


def rebuild_vectors(store: Store, encoder: PassageEncoder, embedder: str, *, force: bool = False) -> tuple[int, ...]:
    """Fill anew the part of the index of each case whose count differs from the store's. Returns those cases.

    `force`: all of them, whatever their counts (the index was found to be damaged). Raises WorkerDied.
    """
    rebuilt = [case_id for case_id in all_cases(store) if force or not _agrees(store, encoder, case_id, embedder)]
    for case_id in rebuilt:
        INGEST.info("rebuilding the vector index of case %d", case_id)
        encoder.index_remove(collection_of(case_id), None)
        documents = [document.id for document in store.documents.of_case(case_id)]
        index_documents(encoder, store, case_id, documents, embedder)
    return tuple(rebuilt)


def queue_embedding(store: Store, embedder: str, *, but: frozenset[int] = frozenset()) -> tuple[int, ...]:
    """Queue a job for each document that has a passage without a vector of this embedder. Returns the documents.

    After a change of embedder these are all of them; the old vectors stay until a document's new ones are
    complete. Otherwise those that were stopped or given up are left to be retried by the user. `but`: leave
    these alone in any case.
    """
    known = store.vectors.embedders()
    changed = bool(known) and embedder not in known
    left_alone = but if changed else but | store.jobs.ended_badly(JobKind.EMBED)
    documents = tuple(id_ for id_ in store.vectors.incomplete_documents(embedder) if id_ not in left_alone)
    with store.transaction():
        for document_id in documents:
            if not any(job.kind is JobKind.EMBED for job in store.jobs.of_document(document_id)):
                store.jobs.add(JobKind.EMBED, document_id)
    return documents


def all_cases(store: Store) -> tuple[int, ...]:
    """The library, and every case, archived and trashed ones too."""
    groups = (store.cases.list(), store.cases.list(archived=True), store.cases.list(trashed=True))
    return (LIBRARY_ID, *(case.id for group in groups for case in group))


def _agrees(store: Store, encoder: PassageEncoder, case_id: int, embedder: str) -> bool:
    """Documents whose embedding is still to come may or may not be in the index already."""
    stored = store.vectors.count(embedder, case_id)
    unfinished = store.vectors.count_unfinished(embedder, case_id)
    return stored - unfinished <= encoder.index_count(collection_of(case_id)) <= stored
