"""SQLite behind one door: cases, documents, passages, vectors, conversations, jobs, originals."""

from aipc_app.store.contents import IndexedPassage
from aipc_app.store.corrections import Correction
from aipc_app.store.store import Store
from aipc_app.store.vectors import VectorBatch

__all__ = ["Correction", "IndexedPassage", "Store", "VectorBatch"]
