"""HTML gives the text a browser shows, and nothing of it runs or is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from aipc_app.domain.documents import PageState
from aipc_app.errors import DocumentError
from tests.unit.aipc_app.reader.conftest import ReadFile


@pytest.fixture
def shown(tmp_path: Path, read: ReadFile):  # type: ignore[no-untyped-def]
    def text_of(markup: str | bytes) -> str:
        file = tmp_path / "a.html"
        file.write_bytes(markup if isinstance(markup, bytes) else markup.encode())
        return read(file).text

    return text_of


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>one\n  two</p><p>three", "one two\n\nthree"),
        ("<div>a</div><div>b<div>c</div></div>d", "a\nb\nc\nd"),
        ("<b>bo</b>ld <i>x</i>", "bold x"),
        ("line<br>break<hr>after", "line\nbreak\n\nafter"),
        ("<h1>Head</h1>text", "Head\n\ntext"),
        ("<ol start=3><li>a<li>b</ol><ul><li>c</ul>", "3. a\n4. b\nc"),
        ("<pre>  keep\n   this</pre>", "  keep\n   this"),
        ("<table><tr><th>A<th>B<tr><td><p>1</p><p>2</p><td>3</table>end", "A | B\n1 2 | 3\n\nend"),
        ("<table><tr><td>x<table><tr><td>y<td>z</table><td>w</table>", "x y | z | w"),
        ("a<script>alert('b')</script><style>c{}</style><!-- d -->e<noscript>f</noscript>", "ae"),
        ("a<p hidden>b</p><p style='color:red; DISPLAY : none'>c</p><span style='visibility:hidden'>d</span>e", "ae"),
        ("&lt;b&gt; &amp; &#20511;&nbsp;x", "<b> & 借\u00a0x"),
        ("<title>Title</title><body>Text", "Title\n\nText"),
        ("<title>Title</title><body><h1>Title</h1>Text", "Title\n\nText"),
    ],
)  # fmt: skip
def test_what_is_shown(shown, markup: str, expected: str) -> None:  # type: ignore[no-untyped-def]
    assert shown(markup) == expected


@pytest.mark.parametrize("charset", ["gb2312", "gbk", "GB18030", "big5", "utf-8"])
def test_the_declared_charset_is_used(shown, charset: str) -> None:  # type: ignore[no-untyped-def]
    text = "民法" if charset != "big5" else "民法條"
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">'
    assert shown(f"{meta}<p>{text}".encode(charset)) == text


def test_a_lying_charset_is_not_believed(shown) -> None:  # type: ignore[no-untyped-def]
    assert shown('<meta charset="no-such"><p>借款合同'.encode()) == "借款合同"
    assert shown('<meta charset="utf-16"><p>借款合同'.encode()) == "借款合同"


def test_a_numbered_list_of_many_items_is_read_in_a_breath(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.html"
    file.write_text("<ol>" + "<li>x\n" * 20_000, encoding="utf-8")
    assert read(file).text.endswith("20000. x")


def test_a_page_cut_off_by_absurd_nesting_is_refused_not_shortened(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.html"
    file.write_text("<div>" * 100_000 + "lost", encoding="utf-8")
    with pytest.raises(DocumentError, match="nested"):
        read(file)


def test_an_empty_page_is_listed_as_empty(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.html"
    file.write_bytes(b"")
    assert read(file).states == [PageState.EMPTY]
