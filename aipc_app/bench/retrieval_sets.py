"""Questions with gold places, read from the public sets (laid out as the shared test data is)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from aipc_app.domain.documents import PassageDraft
from aipc_app.ingest.chunk import PageText, cut

Place = tuple[str, str]  # document, article


class Question(Struct, frozen=True):
    """Each gold item is found by any of its places."""

    text: str
    gold: tuple[frozenset[Place], ...]


class SpanQuestion(Struct, frozen=True):
    """Gold: (document, start, end) in code points."""

    text: str
    gold: tuple[tuple[str, int, int], ...]


class CaseQuestion(Struct, frozen=True):
    """Of a sample case. `facts`: what the answer must say, each in any of these ways; `documents`: where it stands."""

    text: str
    facts: tuple[tuple[str, ...], ...]
    documents: tuple[str, ...]


class Text(Struct, frozen=True):
    """A document of a set: its name there, its text, its passages."""

    name: str
    text: str
    passages: tuple[PassageDraft, ...]


def text_of(name: str, content: str) -> Text:
    passages = tuple(
        PassageDraft(page=c.page, start=c.start, end=c.end, text=c.text, heading=c.heading, article=c.article)
        for c in cut([PageText(1, content)])
    )
    return Text(name, content, passages)


def lay_questions(data: Path) -> tuple[Question, ...]:
    """STARD: what lay people ask, with the articles that answer it."""
    return tuple(_lay_questions(data))


def _lay_questions(data: Path) -> Iterator[Question]:
    for line in (data / "bench" / "stard_dev.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        gold = (frozenset((where["file"], where["article"]) for where in item["where"]) for item in record["gold"])
        yield Question(record["query"], tuple(item for item in gold if item))


def statutes(data: Path, questions: Sequence[Question], others: int | None) -> tuple[Text, ...]:
    """Every law of laws/cn, or of each the wanted articles and a fixed draw of `others` in all."""
    laws = [
        text_of(path.relative_to(data).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted((data / "laws" / "cn").rglob("*.md"))
    ]
    if others is None:
        return tuple(law for law in laws if law.passages)
    wanted = {place for question in questions for item in question.gold for place in item}
    rest = [
        (law.name, number) for law in laws for number, one in enumerate(law.passages)
        if one.article and (law.name, one.article) not in wanted
    ]  # fmt: skip
    kept = set(random.Random(7).sample(rest, min(others, len(rest))))
    reduced = (
        Text(law.name, law.text, tuple(
            one for number, one in enumerate(law.passages)
            if (law.name, number) in kept or (law.name, one.article) in wanted
        ))
        for law in laws
    )  # fmt: skip
    return tuple(law for law in reduced if law.passages)


def contracts(data: Path) -> tuple[tuple[Text, ...], tuple[SpanQuestion, ...]]:
    """LegalBench-RAG, ContractNLI: agreements, and questions with the spans that answer them."""
    corpus = data / "bench" / "legalbench_rag" / "corpus"
    record = json.loads((data / "bench" / "legalbench_rag_contractnli_dev.json").read_text(encoding="utf-8"))
    questions = tuple(
        SpanQuestion(test["query"], tuple((one["file_path"], *one["span"]) for one in test["snippets"]))
        for test in record["tests"]
    )
    texts = tuple(
        text_of(path.relative_to(corpus).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(corpus.rglob("*.txt"))
    )
    return texts, questions


def two_languages(data: Path) -> tuple[tuple[Text, ...], dict[str, tuple[Question, ...]]]:
    """XQuAD: half of the paragraphs in Chinese, half in English; questions of both languages about either half."""
    sets = {language: _xquad(data, language) for language in ("zh", "en")}
    draw = random.Random(7)
    written = [draw.choice(("zh", "en")) for _ in sets["zh"][0]]
    texts = tuple(text_of(f"{number}.txt", sets[one][0][number]) for number, one in enumerate(written))
    return texts, {
        f"question_{asked}_text_{language}": tuple(
            Question(text, (frozenset({(f"{number}.txt", "")}),))
            for text, number in sets[asked][1]
            if written[number] == language
        )
        for asked in sets
        for language in sets
    }


def _xquad(data: Path, language: str) -> tuple[list[str], list[tuple[str, int]]]:
    record = json.loads((data / "bench" / f"xquad_{language}_dev.json").read_text(encoding="utf-8"))
    paragraphs = [paragraph for article in record["data"] for paragraph in article["paragraphs"]]
    questions = [(qa["question"], number) for number, p in enumerate(paragraphs) for qa in p["qas"]]
    return [paragraph["context"] for paragraph in paragraphs], questions
