"""Sentence and material pairs made by rule from the samples and the statutes: which state does each one get?

    python -m tests.bench.proof_pairs [--data DIR] [--show KIND]

True pairs say what their sentence says in other numerals, dates, scripts, units or with a reporting head; false ones
change a number, a date, a name, a party, an article, a negation or a unit. Only rules decide here; the model's own
check comes on top of it in the product. Prints a line a kind and the figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import opencc

from aipc_app.answer.attribute import attribute
from aipc_app.answer.claim import make_claim
from aipc_app.answer.material import Source
from aipc_app.answer.units import cut_units
from aipc_app.domain.answers import SentenceState
from aipc_app.text.facts import find_facts
from aipc_app.text.names import find_names
from aipc_app.text.sentences import split_sentences
from aipc_app.text.values import DateValue, FactKind

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "assets" / "samples"
SEED = 20_240_612
LAWS, SENTENCES = 4, 40
LEAST, MOST = 12, 120  # characters of a sentence worth changing
DIGITS = "〇一二三四五六七八九"
PARTIES = (("原告", "被告"), ("甲方", "乙方"), ("出借人", "借款人"), ("债权人", "债务人"), ("lender", "borrower"))
NEGATED = ("应当", "可以", "已经", "已", "是", "有")


@dataclass(frozen=True)
class Pair:
    kind: str
    true: bool
    sentence: str
    of: str
    material: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--show", help="print each wrongly judged pair of this kind, or 'all'")
    options = parser.parse_args()
    materials = {**samples(), **laws(options.data)}
    counts: dict[tuple[bool, str], Counter[str]] = defaultdict(Counter)
    for name, sources in materials.items():
        units = cut_units(sources)
        for pair in pairs_of(name, sources):
            verdict = attribute(make_claim(pair.sentence), units)
            counts[pair.true, pair.kind][str(verdict.state)] += 1
            if options.show in (pair.kind, "all") and (verdict.state is SentenceState.SUPPORTED) is not pair.true:
                print(f"{pair.kind}: {pair.sentence}\n    of: {pair.of}\n    {verdict.state} {verdict.reason}")
    print(json.dumps(table(counts), ensure_ascii=False, indent=1))
    return 0


def table(counts: dict[tuple[bool, str], Counter[str]]) -> dict[str, object]:
    """Counts by kind, and what they come to."""
    total = {truth: sum((c for (t, _), c in counts.items() if t is truth), Counter[str]()) for truth in (True, False)}
    shown = {truth: total[truth]["supported"] / max(1, total[truth].total()) for truth in total}
    supported = total[True]["supported"] + total[False]["supported"]
    return {
        "kinds": {f"{'true' if t else 'false'}: {kind}": dict(c) for (t, kind), c in sorted(counts.items(), key=str)},
        "true_pairs": total[True].total(),
        "false_pairs": total[False].total(),
        "true_supported": round(shown[True], 3),
        "false_supported": round(shown[False], 4),
        "false_in_doubt": round(total[False]["in_doubt"] / max(1, total[False].total()), 3),
        "precision_of_supported": round(total[True]["supported"] / max(1, supported), 3),
    }


def samples() -> dict[str, tuple[Source, ...]]:
    """The text documents of the samples, as they were written."""
    found: dict[str, tuple[Source, ...]] = {}
    for case in ("lending", "loan", "paper"):
        folders = (SAMPLES / "sources" / case / "documents", SAMPLES / case / "documents")
        files = [file for folder in folders for file in sorted(folder.glob("*")) if file.suffix in (".md", ".txt")]
        found[case] = tuple(_source(number, file) for number, file in enumerate(files, 1))
    return found


def laws(data: Path) -> dict[str, tuple[Source, ...]]:
    """Some statutes of the test data, each a material of its own; none where there is no such folder."""
    files = sorted((data / "laws" / "cn").glob("**/*.md"))
    chosen = random.Random(SEED).sample(files, min(LAWS, len(files)))
    return {file.stem: (_source(1, file, MOST * 60),) for file in chosen}


def _source(number: int, file: Path, most: int = 1_000_000) -> Source:
    text = file.read_text(encoding="utf-8")[:most]
    return Source(document_id=number, document=file.name, page=1, page_text=text, start=0, end=len(text))


def pairs_of(material: str, sources: tuple[Source, ...], most: int = SENTENCES) -> Iterator[Pair]:
    """Each sentence of the material, said truly and falsely in the ways that fit it."""
    rng = random.Random(f"{SEED} {material}")
    text = "\n".join(source.text for source in sources)
    names = [name for name in find_names(text) if 2 <= len(name) <= 4 and not name.isascii()]
    sentences = [s for source in sources for s in _sentences(source.text)]
    if len(sentences) > most:
        sentences = rng.sample(sentences, most)
    makers: tuple[tuple[bool, str, Callable[[str], str | None]], ...] = (
        (True, "as it stands", lambda s: s),
        (True, "other numerals", _other_numerals),
        (True, "date in characters", _date_in_characters),
        (True, "traditional script", _traditional),
        (True, "reporting head", lambda s: f"材料写明，{s}" if _is_chinese(s) else f"It says that {s}"),
        (False, "number", lambda s: _number(s, rng)),
        (False, "date", _date),
        (False, "name", lambda s: _name(s, names, rng)),
        (False, "party", _party),
        (False, "article", _article),
        (False, "negation", _negation),
        (False, "unit", _unit),
    )
    for sentence in sentences:
        for true, kind, make in makers:
            made = make(sentence)
            if made is None or (made == sentence and kind != "as it stands"):
                continue
            if not true and _says(made, text):
                continue  # the change gives another true sentence of the material
            yield Pair(kind, true, made, sentence, material)


def _sentences(text: str) -> Iterator[str]:
    for span in split_sentences(text):
        sentence = text[span.start : span.end].strip("#*-> \n　")
        if LEAST <= len(sentence) <= MOST and "|" not in sentence and not sentence.endswith(("?", "？", "：", ":")):
            yield sentence


def _is_chinese(text: str) -> bool:
    return bool(re.search(r"[\u4e00-\u9fff]", text))


def _says(sentence: str, text: str) -> bool:
    return sentence.strip("。.") in text


def _other_numerals(sentence: str) -> str | None:
    def in_ten_thousands(match: re.Match[str]) -> str:
        value = int(match[1].replace(",", ""))
        return f"{value // 10_000}万元" if value % 10_000 == 0 and value else match[0]

    return re.sub(r"(\d{1,3}(?:,\d{3})+|\d{5,})元", in_ten_thousands, sentence)


def _date_in_characters(sentence: str) -> str | None:
    def spelt(match: re.Match[str]) -> str:
        return "".join(DIGITS[int(d)] for d in match[1]) + f"年{_spelt(match[2])}月{_spelt(match[3])}日"

    return re.sub(r"(\d{4})年(\d{1,2})月(\d{1,2})日", spelt, sentence)


def _spelt(number: str) -> str:
    tens, ones = divmod(int(number), 10)
    return {0: "", 1: "十"}.get(tens, DIGITS[tens] + "十") + (DIGITS[ones] if ones else "")


def _traditional(sentence: str) -> str | None:
    return str(opencc.OpenCC("s2t").convert(sentence)) if _is_chinese(sentence) else None


def _number(sentence: str, rng: random.Random) -> str | None:
    kinds = (FactKind.AMOUNT, FactKind.PERCENT, FactKind.NUMBER)
    facts = [f for f in find_facts(sentence) if f.kind in kinds and re.search(r"[1-9]", f.text)]
    if not facts:
        return None
    fact = rng.choice(facts)
    at = next(m.start() for m in re.finditer(r"[1-9]", fact.text))
    digit = str(int(fact.text[at]) % 9 + 1)
    return sentence[: fact.start] + fact.text[:at] + digit + fact.text[at + 1 :] + sentence[fact.end :]


def _date(sentence: str) -> str | None:
    for fact in find_facts(sentence):
        if isinstance(fact.value, DateValue) and (day := re.search(r"(\d{1,2})日", fact.text)):
            other = int(day[1]) % 28 + 1
            changed = fact.text[: day.start(1)] + str(other) + fact.text[day.end(1) :]
            return sentence[: fact.start] + changed + sentence[fact.end :]
    return None


def _name(sentence: str, names: list[str], rng: random.Random) -> str | None:
    mine = [name for name in names if name in sentence]
    others = [name for name in names if name not in sentence and len(name) > 2]
    if not mine or not others:
        return None
    return sentence.replace(rng.choice(mine), rng.choice(others))


def _party(sentence: str) -> str | None:
    for one, other in PARTIES:
        if one in sentence or other in sentence:
            return sentence.replace(one, "\0").replace(other, one).replace("\0", other)
    return None


def _article(sentence: str) -> str | None:
    found = re.search(r"第([一二三四五六七八九])条", sentence)
    if not found:
        return None
    return sentence[: found.start(1)] + DIGITS[DIGITS.index(found[1]) % 9 + 1] + sentence[found.end(1) :]


def _negation(sentence: str) -> str | None:
    if not _is_chinese(sentence):
        changed = re.sub(r"\b(was|is|were|are|has|shall|must)\b (?!not)", r"\1 not ", sentence, count=1)
        return changed if changed != sentence else None
    if found := re.search(r"没有|未|不得|不", sentence):
        turned = {"没有": "有", "未": "已", "不得": "可以", "不": ""}[found[0]]
        return sentence[: found.start()] + turned + sentence[found.end() :]
    for word in NEGATED[:4]:
        if word in sentence:
            turned = {"应当": "不应当", "可以": "不得", "已经": "没有", "已": "未"}[word]
            return sentence.replace(word, turned, 1)
    return None


def _unit(sentence: str) -> str | None:
    for one, other in (("万元", "万美元"), ("元", "美元"), ("个月", "年"), ("日内", "个月内"), ("年内", "个月内")):
        if found := re.search(rf"(?<=[\d一二三四五六七八九十]){one}", sentence):
            return sentence[: found.start()] + other + sentence[found.end() :]
    return None


if __name__ == "__main__":
    sys.exit(main())
