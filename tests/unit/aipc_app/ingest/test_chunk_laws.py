"""All of the law library, where the test data is at hand."""

import re
from pathlib import Path

import pytest

from aipc_app.ingest.chunk import PageText, cut

ARTICLE_LINE = re.compile(r"^第[一二三四五六七八九十百千零〇 ]+条(?:之[一二三四五六七八九十]+)?(?=[ 　])", re.MULTILINE)


@pytest.mark.data
def test_every_article_of_every_law_is_a_passage_that_names_it(shared_data: Path) -> None:
    """Counted against the lines that open with 第…条 and a space, law by law."""
    expected, differing = 0, []
    for file in sorted((shared_data / "laws" / "cn").rglob("*.md")):
        text = file.read_text(encoding="utf-8")
        written = [re.sub(r"\s", "", line) for line in ARTICLE_LINE.findall(text)]
        named = [one.article for one in cut([PageText(1, text)]) if one.article and not one.continued]
        expected += len(written)
        if set(written) - set(named):
            differing.append((file.name, len(written), len(named)))
    assert expected > 60_000
    assert differing == []
