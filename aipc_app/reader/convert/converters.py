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


def _ofd() -> Converter:
    from aipc_app.reader.convert import ofd

    return ofd.convert


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


def _doc() -> Converter:
    from aipc_app.reader.convert import doc

    return doc.convert


def _xls() -> Converter:
    from aipc_app.reader.convert import xls

    return xls.convert


def _ppt() -> Converter:
    from aipc_app.reader.convert import ppt

    return ppt.convert


def _rare_office() -> Converter:
    from aipc_app.reader.convert import rare_office

    return rare_office.convert


def _protected_office() -> Converter:
    from aipc_app.reader.convert import protected_office

    return protected_office.convert


def _word_xml() -> Converter:
    from aipc_app.reader.convert import office_xml

    return office_xml.convert_word


def _excel_xml() -> Converter:
    from aipc_app.reader.convert import office_xml

    return office_xml.convert_excel


def _mail() -> Converter:
    from aipc_app.reader.convert import mail

    return mail.convert


def _outlook() -> Converter:
    from aipc_app.reader.convert import msg

    return msg.convert


def _mbox() -> Converter:
    from aipc_app.reader.convert import mbox

    return mbox.convert


def _tnef() -> Converter:
    from aipc_app.reader.convert import tnef

    return tnef.convert


def _table() -> Converter:
    from aipc_app.reader.convert import table

    return table.convert


def _zip() -> Converter:
    from aipc_app.reader.convert import zip_archive

    return zip_archive.convert


def _seven_zip() -> Converter:
    from aipc_app.reader.convert import seven_zip

    return seven_zip.convert


def _rar() -> Converter:
    from aipc_app.reader.convert import rar

    return rar.convert


def _epub() -> Converter:
    from aipc_app.reader.convert import epub

    return epub.convert


_LOADERS: dict[Format, Callable[[], Converter]] = {
    Format.PDF: _pdf,
    Format.IMAGE: _image,
    Format.OFD: _ofd,
    Format.DOCX: _docx,
    Format.XLSX: _xlsx,
    Format.PPTX: _pptx,
    Format.ODF: _odf,
    Format.RTF: _rtf,
    Format.HTML: _html,
    Format.TEXT: _text,
    Format.MARKDOWN: _markdown,
    Format.DOC: _doc,
    Format.XLS: _xls,
    Format.PPT: _ppt,
    Format.XLSB: _rare_office,
    Format.WORKS: _rare_office,
    Format.PROTECTED_OFFICE: _protected_office,
    Format.WORD_XML: _word_xml,
    Format.EXCEL_XML: _excel_xml,
    Format.MAIL: _mail,
    Format.OUTLOOK: _outlook,
    Format.MBOX: _mbox,
    Format.TNEF: _tnef,
    Format.EPUB: _epub,
    Format.TABLE: _table,
    Format.ZIP: _zip,
    Format.SEVEN_ZIP: _seven_zip,
    Format.RAR: _rar,
}
