"""Headings of Markdown, of Chinese statutes and judgments, and of English papers and contracts."""

import re

import msgspec

from aipc_app.text.layout import display_width

_NUMERAL = r"[一二三四五六七八九十百零〇\d]{1,6}"
_MARKDOWN = re.compile(r"\s*(?P<marks>#{1,6})\s+(?P<title>.+?)\s*#*$")
_DIVISION = re.compile(
    rf"\s*第\s*{_NUMERAL}\s*(?P<kind>分编|[编篇章节]|部\s?分)(?:[\s\u3000：:]|$|(?=[^，。；,;的、]{{1,30}}$))"
)
_ENUMERATED = re.compile(
    r"\s*(?:[一二三四五六七八九十]{1,3}、|(?:附件|附录|附表|附)\s?[一二三四五六七八九十\d]{0,3}(?:[：:\s]|$))"
)
_LEADS = (
    "诉讼请求|仲裁请求|上诉请求|事实与理由|事实和理由|上诉理由|原告诉称|原告称|原告诉讼请求|被告辩称|被告答辩|被告称|上诉人称|"
    "被上诉人辩称|第三人述称|第三人称|申请人称|被申请人称|经审理查明|审理查明|本院查明|本院经审理认定|本院认为|本院经审查认为|"
    "判决如下|裁定如下|裁判结果|裁判理由|裁判要旨|基本案情|案件事实|争议焦点|证据目录|举证质证|法庭调查|法庭辩论|最后陈述|"
    "当事人信息|审查意见|调查情况|还款来源|担保情况|风险提示|结论"
)
_LEAD_ALONE = re.compile(rf"\s*(?P<title>(?:{_LEADS}))\s?[：:]?$")
_LEAD_INLINE = re.compile(rf"\s*(?P<title>(?:{_LEADS}))[，,：:]")
# A party is named between its part and its verb: 原告张三诉称, 上诉人（原审被告）某公司上诉请求.
_PARTY = (
    "反诉原告|反诉被告|原审原告|原审被告|再审申请人|被申请人|申请人|被上诉人|上诉人|原告|被告|第三人|公诉机关|辩护人"
)
_PLEADS = "诉讼请求|上诉请求|再审请求|诉称|辩称|述称|上诉称|起诉称|答辩称|申请称|指控"
_NAMED_LEAD = re.compile(rf"\s*(?P<party>{_PARTY})[^，,。；;：:\n]{{0,40}}?(?P<verb>{_PLEADS})[，,：:]")
_COURT_LEAD = re.compile(
    r"\s*(?P<title>(?:[一二原再]审(?:法院|判决)?(?:经审理)?(?:认定(?:事实)?|查明|认为)|经?本院(?:经|再审|二审)?(?:审理|审查)?(?:查明|认为)"
    r"|二审(?:中|期间)|本院二审期间|经审理查明|另查明|再查明|事实[和与]理由))[，,：:]"
)
_VERDICT = re.compile(r"(?P<title>(?:判决|裁定|决定|调解)如下)\s?[：:]?\s*$")
_LONGEST_VERDICT_LEAD = 320
_CHINESE_NUMBERED = re.compile(
    r"\s*(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?[ \u3000]+[\u4e00-\u9fff][^，。；：、,;:!?|\t\d]{1,28}$"
)
_CHINESE_NAMED = re.compile(r"\s*(?P<title>摘\s?要|关键词|引\s?言|绪\s?论|结\s?语|参考文献|致\s?谢)\s?[：:]?$")
_ENGLISH_NUMBERED = re.compile(r"\s*(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[A-Z][^.;:,?!]{2,70}$")
_ENGLISH_NAMED = re.compile(
    r"\s*(?:abstract|introduction|background|related work|methods?|methodology|results?|discussion|conclusions?|"
    r"references|acknowledge?ments?|appendix(?:\s[A-Z\d])?|definitions|recitals|whereas)\s*:?$",
    re.IGNORECASE,
)
_ENGLISH_DIVISION = re.compile(
    r"\s*(?:part|title|chapter|schedule|annex|exhibit)\s+[\dIVXA-Z]{1,5}\b[^.;]{0,70}$", re.IGNORECASE
)
_CAPITALS = re.compile(r"\s*(?=[^a-z]*$)(?=(?:[^A-Z]*[A-Z]){4})[^|\t.;:<>]{4,70}$")
_SENTENCE_END = re.compile(r"[。；;，,！？、]\s*$|[^\s.]\.\s*$")
_TITLE_RANK = 10
_RANKS = {"编": 12, "篇": 12, "分编": 14, "部分": 16, "章": 22, "节": 32}
_ENUMERATED_RANK, _LEAD_RANK, _ENGLISH_RANK = 42, 45, 40
_NO_TITLE = re.compile(r"[：:|\t。<>]|^\W*$")
_LONGEST = 64
_SPACES = re.compile(r"[\s\u3000]+")


class Heading(msgspec.Struct, frozen=True):
    """A heading line: the lower the rank, the more it governs. `inline` ones open a paragraph of their own text."""

    title: str
    rank: int
    inline: bool = False


class HeadingPath:
    """The headings that govern the place reached so far."""

    def __init__(self) -> None:
        self._stack: list[Heading] = []

    def enter(self, heading: Heading, *, directly: bool = False) -> None:
        """Pass a heading: what it ends is left. `directly`: no text stood between it and the heading before.

        A second title right under the first is a part of it: 中华人民共和国民法典, then 合同编.
        """
        if directly and self._stack and self._stack[-1].rank == heading.rank <= _TITLE_RANK:
            heading = Heading(heading.title, heading.rank + 1)
        self.leave(heading.rank)
        self._stack.append(heading)

    def leave(self, rank: int) -> None:
        """What governs a place of this rank is passed, and nothing takes its place."""
        while self._stack and self._stack[-1].rank >= rank:
            self._stack.pop()

    def text(self) -> str | None:
        """The path from the outermost heading, joined by " / "; None before the first."""
        return " / ".join(heading.title for heading in self._stack) or None


def heading_of(line: str, *, statute: bool = False) -> Heading | None:
    """The heading that a line is, or opens with; None for any other line. A statute tells of parties, it has none."""
    markdown = _MARKDOWN.match(line)
    if markdown is not None:
        return _markdown(markdown["title"], len(markdown["marks"]))
    if len(line) <= _LONGEST * 2 and display_width(line.strip()) <= _LONGEST and not _SENTENCE_END.search(line):
        rank = _rank(line)
        if rank is None and not statute and (_CHINESE_NAMED.match(line) or _CHINESE_NUMBERED.match(line)):
            rank = _ENGLISH_RANK
        if rank is not None:
            return Heading(_title(line), rank)
    return _inline(line) or (None if statute else _party_lead(line))


def title_of(first_line: str) -> Heading | None:
    """The heading that a document's first line is, if it looks like a title."""
    bare = first_line.strip()
    if _ENGLISH_NAMED.match(bare) or _ENGLISH_NUMBERED.match(bare):
        return None
    if not bare or display_width(bare) > _LONGEST or _SENTENCE_END.search(bare) or _NO_TITLE.search(bare):
        return None
    return Heading(_title(bare), 1)


def verdict_in(line: str) -> tuple[int, Heading] | None:
    """Where on a line the sentence starts that ends it with 判决如下, and the heading it is for what follows.

    The sentence names the law that the verdict rests on, and stays with it.
    """
    match = _VERDICT.search(line)
    if match is None:
        return None
    start = max(line.rfind(mark, 0, match.start()) for mark in "。；！？") + 1
    if match.start() - start > _LONGEST_VERDICT_LEAD:
        start = match.start()
    return start, Heading(match["title"], _LEAD_RANK, inline=True)


def clause_heading(title: str, depth: int, *, inline: bool) -> Heading:
    """The heading of a numbered clause; `depth` counts its levels from 1."""
    return Heading(_title(title), clause_rank(depth), inline)


def clause_rank(depth: int) -> int:
    return _ENGLISH_RANK + 2 * (depth - 1)


def _inline(line: str) -> Heading | None:
    lead = _LEAD_INLINE.match(line)
    return Heading(lead["title"], _LEAD_RANK, inline=True) if lead else None


def _party_lead(line: str) -> Heading | None:
    lead = _COURT_LEAD.match(line)
    if lead is not None:
        return Heading(lead["title"], _LEAD_RANK, inline=True)
    named = _NAMED_LEAD.match(line)
    return Heading(named["party"] + named["verb"], _LEAD_RANK, inline=True) if named else None


def _markdown(text: str, depth: int) -> Heading:
    division = _DIVISION.match(text)
    rank = _RANKS[_SPACES.sub("", division["kind"])] if division else 10 * depth
    return Heading(_title(text), rank)


def _rank(line: str) -> int | None:
    division = _DIVISION.match(line)
    if division is not None:
        return _RANKS[_SPACES.sub("", division["kind"])]
    if _LEAD_ALONE.match(line):
        return _LEAD_RANK
    if _ENUMERATED.match(line):
        return _ENUMERATED_RANK
    numbered = _ENGLISH_NUMBERED.match(line)
    if numbered is not None:
        return _ENGLISH_RANK + 2 * numbered["number"].count(".")
    if _ENGLISH_DIVISION.match(line):
        return _RANKS["章"]
    return _ENGLISH_RANK if _ENGLISH_NAMED.match(line) or _CAPITALS.match(line) else None


def _title(text: str) -> str:
    """The heading without marks, with single spaces and without those inside 总 则."""
    bare = _SPACES.sub(" ", text.replace("**", "").strip().strip("#*_ ").rstrip("：:").strip())
    return re.sub(r"(?<=\s[\u4e00-\u9fff]) (?=[\u4e00-\u9fff]$)", "", bare)
