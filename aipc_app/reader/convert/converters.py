"""The converter of each format, imported when needed: a reader that only sees text loads no PDF library."""

from __future__ import annotations

from collections.abc import Callable

from aipc_app.reader.convert.base import Converter
from aipc_app.reader.convert.detect import Format, unsupported


def converter_of(format_: Format) -> Converter:
    """Raises ReadingError (unsupported) where there is none."""
    load = _LOADERS.get(format_)
    if load is None:
        raise unsupported(f"a file of the kind {format_.value}")
    return load()


def _pdf() -> Converter:
    from aipc_app.reader.convert import pdf

    return pdf.convert


def _image() -> Converter:
    from aipc_app.reader.convert import image

    return image.convert


def _docx() -> Converter:
    from aipc_app.reader.convert import docx

    return docx.convert


def _xlsx() -> Converter:
    from aipc_app.reader.convert import xlsx

    return xlsx.convert


def _pptx() -> Converter:
    from aipc_app.reader.convert import pptx

    return pptx.convert


def _odf() -> Converter:
    from aipc_app.reader.convert import odf

    return odf.convert


def _rtf() -> Converter:
    from aipc_app.reader.convert import rtf

    return rtf.convert


def _html() -> Converter:
    from aipc_app.reader.convert import html

    return html.convert


def _text() -> Converter:
    from aipc_app.reader.convert import text

    return text.convert_text


def _markdown() -> Converter:
    from aipc_app.reader.convert import text

    return text.convert_markdown


_LOADERS: dict[Format, Callable[[], Converter]] = {
    Format.PDF: _pdf,
    Format.IMAGE: _image,
    Format.DOCX: _docx,
    Format.XLSX: _xlsx,
    Format.PPTX: _pptx,
    Format.ODF: _odf,
    Format.RTF: _rtf,
    Format.HTML: _html,
    Format.TEXT: _text,
    Format.MARKDOWN: _markdown,
}
