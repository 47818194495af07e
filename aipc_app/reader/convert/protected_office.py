"""Office files with a password, old and new: opened with it by msoffcrypto, then read as what they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msoffcrypto
from msoffcrypto.exceptions import DecryptionError, FileFormatError, InvalidKeyError, ParseError

from aipc_app.reader.convert.base import Content, Source
from aipc_app.reader.convert.passwords import password_needed, protection_unknown, wrong_password
from aipc_app.reader.convert.spool import Spool
from aipc_app.reader.failure import FailureKind, ReadingError

_OPENS_WITHOUT = "VelvetSweatshop"  # Excel's own password for files that are protected against changes only


@contextmanager
def convert(source: Source) -> Iterator[Content]:
    """Raises ReadingError: password, unsupported (another kind of protection), and what the file's kind raises."""
    from aipc_app.reader.convert.converters import converter_of
    from aipc_app.reader.convert.detect import Format, detect

    with decrypted(source) as plain:
        format_ = detect(plain)
        if format_ is Format.PROTECTED_OFFICE:
            raise protection_unknown()
        with converter_of(format_)(plain) as content:
            yield content


@contextmanager
def decrypted(source: Source) -> Iterator[Source]:
    """The file without its protection, for as long as the block lasts."""
    with Spool(source.work_folder) as spool:
        target = spool.folder / "plain"
        _decrypt(source, target)
        try:
            yield replace(source, path=target, password=None)
        except ReadingError as error:
            if error.kind is FailureKind.DAMAGED:  # it was whole before: another kind of protection than it looked
                raise protection_unknown() from error
            raise


def _decrypt(source: Source, target: Path) -> None:
    passwords = [source.password] if source.password is not None else [_OPENS_WITHOUT]
    try:
        with source.path.open("rb") as file, target.open("wb") as plain:
            office = msoffcrypto.OfficeFile(file)
            for password in passwords:
                office.load_key(password=password)
                office.decrypt(plain)
    except InvalidKeyError as error:
        raise (wrong_password() if source.password is not None else password_needed()) from error
    except (FileFormatError, ParseError) as error:
        raise protection_unknown() from error
    except DecryptionError as error:
        raise _sorted(error, source) from error
    except MemoryError:
        raise
    except Exception as error:  # keys of other kinds, broken headers: many libraries' errors
        raise (wrong_password() if source.password is not None else protection_unknown()) from error


def _sorted(error: DecryptionError, source: Source) -> ReadingError:
    text = str(error).lower()
    if "unencrypted" in text or "unsupported" in text:
        return protection_unknown()
    return wrong_password() if source.password is not None else password_needed()
