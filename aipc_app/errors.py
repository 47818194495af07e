"""What the desktop raises for a person to read.

AipcError                  one sentence: what happened and what to do
├── UserMistake            wrong name, unknown id, a setting that doesn't exist (command line: exit 1)
├── HomeInUse              another desktop holds this data folder
├── StorageError           disk full, read-only or damaged data folder
│   └── SchemaTooNew       the data folder was written by a newer version
├── DocumentError          one document could not be read; carries whether a retry can help
│   ├── PasswordNeeded     encrypted and no (or a wrong) password
│   ├── UnsupportedFormat  no reader for this kind of file
│   └── DocumentLimit      over a limit of time, memory or size
├── WorkerDied             a reader or encoder process ended; it is restarted, the piece of work is retried
├── EncoderUnavailable     search by meaning can't run on this computer; keyword search goes on, no retry helps
├── IndexDamaged           the vector index was lost; it was emptied and is to be filled again from the store
├── ModelUnavailable       no model, or the engine could not load it
└── Cancelled              the user stopped it; shown to nobody
"""

from __future__ import annotations


class AipcError(Exception):
    """Base of what is shown to people. `message` is one sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UserMistake(AipcError):
    """Something asked for doesn't exist or can't be meant."""


class HomeInUse(AipcError):
    """The data folder is locked by another process."""


class StorageError(AipcError):
    """The data folder can't be written or read."""


class SchemaTooNew(StorageError):
    """A newer program wrote this data."""


class DocumentError(AipcError):
    """One document could not be read. `retryable`: trying again can help."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class PasswordNeeded(DocumentError):
    """The document is encrypted."""


class UnsupportedFormat(DocumentError):
    """No reader for this kind of file."""


class DocumentLimit(DocumentError):
    """The document went over a limit."""


class WorkerDied(AipcError):
    """A helper process ended."""


class EncoderUnavailable(AipcError):
    """Search by meaning can't run here."""


class IndexDamaged(AipcError):
    """The vector index lost its content."""


class ModelUnavailable(AipcError):
    """No usable language model."""


class Cancelled(AipcError):
    """The user stopped it."""

    def __init__(self, message: str = "Cancelled.") -> None:
        super().__init__(message)
