"""What can go wrong between the list of models and a verified file on this PC.

ModelError (engine.errors)
├── InvalidCatalogueError     the list of models doesn't say what it must
├── UnknownModelError         no model has that name or role
└── FetchError
    ├── DownloadError         the package index or the network failed; running again goes on where it stopped
    ├── WrongBytesError       what came is not what the list promises; it has been deleted
    ├── NoRoomError           the disk is too full, or a folder can't be written
    ├── FetchNotOfferedError  this build of the program has no way to download
    └── FetchCancelledError   the user stopped it; what is complete is kept
"""

from __future__ import annotations

from engine.errors import ModelError


class InvalidCatalogueError(ModelError):
    """The catalogue file is not what this version of the program can read."""


class UnknownModelError(ModelError):
    """No model of the catalogue has this name or role."""


class FetchError(ModelError):
    """A model could not be fetched."""


class DownloadError(FetchError):
    """A wheel could not be downloaded."""


class WrongBytesError(FetchError):
    """Downloaded or stored bytes are not the model's."""


class NoRoomError(FetchError):
    """The model can't be stored where it should be."""


class FetchNotOfferedError(FetchError):
    """Installed builds carry no pip and never download."""


class FetchCancelledError(FetchError):
    """Stopped on request."""
