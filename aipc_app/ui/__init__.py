"""The window. The only importer of PySide6; it asks `operations` for everything and does no work itself."""
