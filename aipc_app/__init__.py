"""AIPC: ask your case files on your own PC, with quotes that open the page they rest on."""

__version__ = "0.1.0"
