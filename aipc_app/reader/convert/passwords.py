"""The sentences about protected files, the same for every format."""

from __future__ import annotations

from aipc_app.reader.failure import FailureKind, ReadingError


def password_needed() -> ReadingError:
    return ReadingError(FailureKind.PASSWORD, "This file is protected; give its password to read it.")


def wrong_password() -> ReadingError:
    return ReadingError(FailureKind.PASSWORD, "The password is not the right one; give the file's own.")


def protection_unknown() -> ReadingError:
    return ReadingError(
        FailureKind.UNSUPPORTED,
        "This file is protected in a way that can't be opened here; add a copy saved without a password.",
    )
