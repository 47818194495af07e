"""What goes wrong inside the encoder; it crosses the wire as Hello.problem or EncodeFailed.

EncoderError              one sentence for a person
├── EmbedderUnusable      this machine can't run the embedder, or its model folder is no good
└── IndexDamaged          the vectors folder was deleted or can't be read; it was emptied, to be rebuilt
"""

from __future__ import annotations


class EncoderError(Exception):
    """Base. `str(error)` is one sentence for a person."""


class EmbedderUnusable(EncoderError):
    """Search by meaning can't run here; search by keyword goes on."""


class IndexDamaged(EncoderError):
    """The index lost its content."""

