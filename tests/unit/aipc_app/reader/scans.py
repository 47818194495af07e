"""Pages of our own words as pictures and as PDFs: drawn, degraded as scanners and cameras do it, given wrong layers."""

from __future__ import annotations

import io
import unicodedata
import zlib
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from pathlib import Path

import cv2
import numpy as np
import pytest
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont
from PIL import Image, ImageChops, ImageDraw, ImageFont

SERIF = Path("/usr/share/fonts/opentype/noto/NotoSerifCJK-Regular.ttc")
SANS = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
_SC = 2  # the simplified Chinese font of both collections
A4_INCHES = (8.27, 11.69)

CHINESE = (
    "借款合同纠纷一审民事判决书",
    "原告李建国与被告上海恒通贸易有限公司借款合同纠纷一案，本院于二〇二三年",
    "六月五日立案后，依法适用简易程序，公开开庭进行了审理。原告诉称，被告因",
    "资金周转需要，于2021年3月5日向原告借款人民币500,000元，约定年利率为6.5%，",
    "借款期限十二个月，到期一次性还本付息。借款到期后，经原告多次催讨，被告",
    "仅于2022年8月19日归还利息18,000元，其余款项至今未付。被告辩称，双方之间",
    "并非借贷关系，而是合伙投资，款项已用于购买设备，亏损应由双方共同承担。",
    "本院经审理查明，双方签订的借款合同系真实意思表示，内容不违反法律、行政",
    "法规的强制性规定，合法有效。被告未提交证据证明其主张的合伙关系，应当承",
    "担举证不能的不利后果。依照《中华人民共和国民法典》第六百七十四条、第六",
    "百七十五条之规定，判决如下：被告于本判决生效之日起十日内归还原告借款本",
    "金500,000元，并支付自2022年3月5日起至实际清偿之日止的利息。",
)
ENGLISH = (
    "LOAN AGREEMENT",
    "This Loan Agreement is made on 5 March 2021 between Jonathan Whitfield (the",
    "Lender) and Harbour Lane Trading Limited (the Borrower). The Lender agrees to",
    "make available to the Borrower a term loan of GBP 48,500.00 for the purchase of",
    "office equipment. Interest shall accrue daily at a rate of 6.25 per cent per annum",
    "and shall be paid quarterly in arrears on the last business day of each quarter.",
    "The Borrower may prepay the whole or any part of the loan on giving not less than",
    "ten days' notice in writing. If the Borrower fails to pay any amount on its due",
    "date, default interest of 2 per cent above the agreed rate shall be payable.",
    "This Agreement shall be governed by the laws of England and Wales.",
)


def require_fonts() -> None:
    if not (SERIF.is_file() and SANS.is_file()):
        pytest.skip("the fonts of the package fonts-noto-cjk are not installed")


def drawn(
    lines: Sequence[str], dpi: int = 200, font: Path = SERIF, points: float = 11.5, left: float = 0.9, top: float = 1.0
) -> Image.Image:
    """An A4 page with these lines, from `left` and `top` (inches) on."""
    page = Image.new("RGB", (round(A4_INCHES[0] * dpi), round(A4_INCHES[1] * dpi)), "white")
    write(page, lines, (left * dpi, top * dpi), dpi, font, points)
    return page


def write(
    page: Image.Image, lines: Sequence[str], at: tuple[float, float], dpi: int, font: Path = SERIF, points: float = 11.5
) -> None:
    letters = ImageFont.truetype(str(font), round(points * dpi / 72), index=_SC)
    pen = ImageDraw.Draw(page)
    for i, line in enumerate(lines):
        pen.text((at[0], at[1] + i * points * 1.75 * dpi / 72), line, fill="black", font=letters)


def skewed(page: Image.Image, degrees: float) -> Image.Image:
    return page.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor="white")


def noisy(page: Image.Image, seed: int = 7) -> Image.Image:
    """Grain, specks and a weak lamp."""
    random = np.random.default_rng(seed)
    array = np.asarray(page, dtype=np.float32) * 0.88 + 12
    array += random.normal(0, 14, array.shape[:2])[..., None]
    specks = random.random(array.shape[:2]) < 0.0015
    array[specks] = random.choice((20.0, 240.0), size=int(specks.sum()))[:, None]
    return Image.fromarray(np.clip(array, 0, 255).astype(np.uint8))


def sealed(page: Image.Image, dpi: int, opaque: bool = False) -> Image.Image:
    """A round red seal over the text: ink through which black print shows, or thick as paint."""
    layer = Image.new("RGBA", page.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(layer)
    x, y, r = page.width * 0.55, page.height * 0.19, 0.85 * dpi
    red = (222, 32, 38, 215)
    pen.ellipse((x - r, y - r, x + r, y + r), outline=red, width=round(0.05 * dpi))
    star = [(x + r * 0.35 * np.sin(a) * k, y - r * 0.35 * np.cos(a) * k)
            for i in range(10) for a, k in [(i * np.pi / 5, 1.0 if i % 2 == 0 else 0.4)]]  # fmt: skip
    pen.polygon(star, fill=red)
    letters = ImageFont.truetype(str(SERIF), round(0.19 * dpi), index=_SC)
    for i, char in enumerate("江城区人民法院专用章"):
        a = np.radians(-135 + 30 * i)
        pen.text((x + 0.74 * r * np.sin(a), y - 0.74 * r * np.cos(a)), char, fill=red, font=letters, anchor="mm")
    if opaque:
        return Image.alpha_composite(page.convert("RGBA"), layer).convert("RGB")
    ink = Image.alpha_composite(Image.new("RGBA", page.size, "white"), layer).convert("RGB")
    return ImageChops.multiply(page, ink)


def photographed(page: Image.Image) -> Image.Image:
    """Held askew before a camera, darker to one side, on a brown table."""
    array = np.asarray(page)
    height, width = array.shape[:2]
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    seen = flat + np.array([[0.06, 0.05], [-0.02, 0.02], [-0.07, -0.04], [0.02, -0.02]], np.float32) * (width, height)
    matrix = cv2.getPerspectiveTransform(flat, seen.astype(np.float32))
    photo = cv2.warpPerspective(array, matrix, (width, height), flags=cv2.INTER_AREA, borderValue=(96, 70, 52))
    light = np.linspace(1.0, 0.62, width, dtype=np.float32)[None, :, None]
    buffer = io.BytesIO()
    Image.fromarray((photo * light).astype(np.uint8)).save(buffer, "JPEG", quality=80)
    return Image.open(buffer).convert("RGB")


def plain(text: str) -> str:
    """What a reader compares: no spaces, one width."""
    return "".join(unicodedata.normalize("NFKC", text).split())


def right_share(read: str, meant: Sequence[str] | str) -> float:
    """The share of the meant characters that were read in their order."""
    wanted = plain("".join(meant))
    matcher = SequenceMatcher(None, wanted, plain(read), autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(wanted)


def picture_pdf(pages: Sequence[Image.Image], path: Path, dpi: int, layer: str = "") -> Path:
    """A PDF of scans; `layer` is invisible text over each, as other programs' recognition leaves it."""
    objects: list[bytes] = []
    kids = " ".join(f"{3 + 3 * i} 0 R" for i in range(len(pages)))
    for i, page in enumerate(pages):
        width, height = (round(side * 72 / dpi, 2) for side in page.size)
        buffer = io.BytesIO()
        page.convert("RGB").save(buffer, "JPEG", quality=88)
        hidden = "".join(
            f"BT 3 Tr /F 11.5 Tf 1 0 0 1 65 {height - 82 - 20.1 * k:.2f} Tm <{line.encode('utf-16-be').hex()}> Tj ET\n"
            for k, line in enumerate(layer.splitlines())
        )
        content = f"q {width} 0 0 {height} 0 0 cm /Im Do Q\n{hidden}".encode()
        objects += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents {4 + 3 * i} 0 R"
            f"/Resources<</XObject<</Im {5 + 3 * i} 0 R>>/Font<</F<</Type/Font/Subtype/Type0/BaseFont/STSong-Light"
            "/Encoding/UniGB-UCS2-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light"
            "/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/DW 1000>>]>>>>>>>>".encode(),
            stream(content),
            stream(buffer.getvalue(), f"/Type/XObject/Subtype/Image/Width {page.width}/Height {page.height}"
                   "/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode"),
        ]  # fmt: skip
    head = [b"<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Count {len(pages)}/Kids[{kids}]>>".encode()]
    return _written(path, [*head, *objects])


Wrong = Callable[[str], str]


def text_pdf(
    lines: Sequence[str], path: Path, font: Path, says: Wrong, *, mapped: bool = True, points: float = 14
) -> Path:
    """A digital PDF: glyphs of `font` embedded, and a ToUnicode map that says `says(character)` for each.

    Without `mapped` there is no map at all, as some typesetting systems leave it.
    """
    data, glyph_of = _subset(font, "".join(lines))
    rows = "".join(
        f"BT /F {points} Tf 1 0 0 1 60 {760 - 26 * i} Tm <{''.join(f'{glyph_of[char]:04x}' for char in line)}> Tj ET\n"
        for i, line in enumerate(lines)
    )
    pairs = [f"<{glyph:04x}> <{says(char).encode('utf-16-be').hex()}>" for char, glyph in glyph_of.items()]
    blocks = "".join(
        f"{len(pairs[i : i + 100])} beginbfchar\n" + "\n".join(pairs[i : i + 100]) + "\nendbfchar\n"
        for i in range(0, len(pairs), 100)
    )
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <ffff> endcodespacerange\n{blocks}endcmap end end"
    )
    entry = "/ToUnicode 8 0 R" if mapped else ""
    name = "ABCDEF+Embedded"
    return _written(path, [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 820]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        stream(rows.encode()),
        f"<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H/DescendantFonts[6 0 R]{entry}>>".encode(),
        f"<</Type/Font/Subtype/CIDFontType0/BaseFont/{name}/FontDescriptor 7 0 R/DW 1000/W[{_widths(data)}]"
        "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>".encode(),
        f"<</Type/FontDescriptor/FontName/{name}/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 880"
        "/Descent -120/CapHeight 700/StemV 80/FontFile3 9 0 R>>".encode(),
        stream(to_unicode.encode()),
        stream(data, "/Subtype/OpenType"),
    ])  # fmt: skip


def _subset(font: Path, text: str) -> tuple[bytes, dict[str, int]]:
    """The font with the text's glyphs only, and each character's glyph number, which is its code in the PDF."""
    whole = TTCollection(font)[_SC] if font.suffix == ".ttc" else TTFont(font)
    options = Options()
    options.layout_features, options.name_IDs, options.notdef_outline = [], [], True
    options.drop_tables += ["VORG", "vhea", "vmtx", "GSUB", "GPOS", "GDEF", "BASE"]
    options.desubroutinize = True
    subsetter = Subsetter(options)
    subsetter.populate(text=text)
    subsetter.subset(whole)
    buffer = io.BytesIO()
    whole.save(buffer)
    kept = TTFont(io.BytesIO(buffer.getvalue()))
    cmap = kept.getBestCmap()
    return buffer.getvalue(), {char: kept.getGlyphID(cmap[ord(char)]) for char in dict.fromkeys(text)}


def _widths(data: bytes) -> str:
    font = TTFont(io.BytesIO(data))
    scale = 1000 / font["head"].unitsPerEm
    names = font.getGlyphOrder()
    return " ".join(f"{i} [{round(font['hmtx'][name][0] * scale)}]" for i, name in enumerate(names))


def stream(content: bytes, entries: str = "") -> bytes:
    if "/Filter" not in entries:
        content = zlib.compress(content)
        entries += "/Filter/FlateDecode"
    return f"<<{entries}/Length {len(content)}>>stream\n".encode() + content + b"\nendstream"


def _written(path: Path, objects: Sequence[bytes]) -> Path:
    from tests.unit.aipc_app.reader.making import assemble

    path.write_bytes(assemble(objects, "/Root 1 0 R"))
    return path
