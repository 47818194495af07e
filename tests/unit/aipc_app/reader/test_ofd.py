"""OFD written byte by byte: text in place, templates, runs, turned text, seals, attachments, and hostile files."""

from __future__ import annotations

import base64
import zipfile
from pathlib import Path

import numpy as np
import pytest

from aipc_app.domain.boxes import span_boxes
from aipc_app.domain.documents import PageState
from aipc_app.errors import DocumentError, UnsupportedFormat
from aipc_app.workers.reader import Reader
from tests.unit.aipc_app.reader.conftest import ReadFile
from tests.unit.aipc_app.reader.scans import require_fonts

MM = 72 / 25.4
_NS = 'xmlns:ofd="http://www.ofdspec.org/2016"'
RED_DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


def text(content: str, x: float, y: float, size: float = 5, deltas: str = "", extra: str = "") -> str:
    """A text object whose first character begins at `x`, baseline `y` (millimetres)."""
    delta = f'DeltaX="{deltas}"' if deltas else ""
    return (
        f'<ofd:TextObject Boundary="{x} {y - size} 150 {size * 1.3}" Font="3" Size="{size}" {extra}>'
        f'<ofd:TextCode X="0" Y="{size}" {delta}>{content}</ofd:TextCode></ofd:TextObject>'
    )


def write_ofd(
    path: Path, *pages: str, template: str = "", document: str = "", body: str = "", area: str = "0 0 210 297",
    parts: dict[str, str | bytes] | None = None,
) -> Path:  # fmt: skip
    """`pages`: the objects of each; `document` and `body`: more entries of Document.xml and OFD.xml."""
    listed = "".join(f'<ofd:Page ID="{10 + i}" BaseLoc="Pages/P{i}.xml"/>' for i in range(len(pages)))
    common = '<ofd:TemplatePage ID="2" BaseLoc="Tpl.xml"/>' if template else ""
    use = '<ofd:Template TemplateID="2" ZOrder="Background"/>' if template else ""
    files: dict[str, str | bytes] = {
        "OFD.xml": f'<ofd:OFD {_NS} Version="1.0"><ofd:DocBody><ofd:DocInfo><ofd:Title>起诉状</ofd:Title></ofd:DocInfo>'
        f"<ofd:DocRoot>Doc_0/Document.xml</ofd:DocRoot>{body}</ofd:DocBody></ofd:OFD>",
        "Doc_0/Document.xml": f"<ofd:Document {_NS}><ofd:CommonData><ofd:PageArea><ofd:PhysicalBox>{area}"
        f"</ofd:PhysicalBox></ofd:PageArea><ofd:PublicRes>Res.xml</ofd:PublicRes>{common}</ofd:CommonData>"
        f"<ofd:Pages>{listed}</ofd:Pages>{document}</ofd:Document>",
        "Doc_0/Res.xml": f'<ofd:Res {_NS} BaseLoc="Res"><ofd:Fonts><ofd:Font ID="3" FontName="宋体"/></ofd:Fonts>'
        '<ofd:MultiMedias><ofd:MultiMedia ID="7" Type="Image"><ofd:MediaFile>dot.png</ofd:MediaFile></ofd:MultiMedia>'
        "</ofd:MultiMedias></ofd:Res>",
        "Doc_0/Res/dot.png": RED_DOT,
        "Doc_0/Tpl.xml": f"<ofd:Page {_NS}><ofd:Content><ofd:Layer>{template}</ofd:Layer></ofd:Content></ofd:Page>",
    }
    for i, page in enumerate(pages):
        files[f"Doc_0/Pages/P{i}.xml"] = (
            f"<ofd:Page {_NS}>{use}<ofd:Content><ofd:Layer>{page}</ofd:Layer></ofd:Content></ofd:Page>"
        )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, **(parts or {})}.items():
            archive.writestr(name, content)
    return path


def test_text_stands_in_rows_with_a_box_for_each_character(tmp_path: Path, read: ReadFile) -> None:
    page = text("第二行", 20, 60) + text("金额：", 20, 40) + text("伍拾万元", 100, 40)
    outcome = read(write_ofd(tmp_path / "a.ofd", page))
    assert outcome.states == [PageState.TEXT] and outcome.opened.has_layout
    assert outcome.text == "金额： 伍拾万元\n第二行"
    assert outcome.end.title == "起诉状"
    assert (outcome.page.width, outcome.page.height) == pytest.approx((210 * MM, 297 * MM), abs=0.01)
    (box,) = span_boxes(outcome.page.boxes, 4, 8)
    assert box == pytest.approx((100 * MM, (40 - 4.3) * MM, 120 * MM, (40 + 0.7) * MM), abs=0.5)


def test_runs_of_equal_steps_are_unrolled(tmp_path: Path, read: ReadFile) -> None:
    outcome = read(write_ofd(tmp_path / "a.ofd", text("发票号码24112", 20, 30, 4, "g 3 4 6 g 4 2")))
    assert outcome.text == "发票号码24112"
    (box,) = span_boxes(outcome.page.boxes, 8, 9)
    assert box[0] == pytest.approx((20 + 3 * 4 + 6 + 4 * 2) * MM, abs=0.1)


def test_a_template_is_part_of_the_page_and_notes_come_last(tmp_path: Path, read: ReadFile) -> None:
    note = f"<ofd:PageAnnot {_NS}><ofd:Annot><ofd:Appearance Boundary='0 0 210 297'>{text('水印', 20, 20)}" \
           "</ofd:Appearance></ofd:Annot></ofd:PageAnnot>"  # fmt: skip
    page = "<ofd:Page PageID='10'><ofd:FileLoc>Note.xml</ofd:FileLoc></ofd:Page>"
    listed = f"<ofd:Annotations {_NS}>{page}</ofd:Annotations>"
    file = write_ofd(
        tmp_path / "a.ofd", text("张三", 60, 40), template=text("姓名：", 20, 40),
        document="<ofd:Annotations>Annots/All.xml</ofd:Annotations>",
        parts={"Doc_0/Annots/All.xml": listed, "Doc_0/Annots/Note.xml": note},
    )  # fmt: skip
    assert read(file).text == "姓名： 张三\n水印"


def test_the_page_is_drawn_with_text_lines_and_pictures_where_the_boxes_are(
    tmp_path: Path, read: ReadFile, reader: Reader
) -> None:
    require_fonts()
    line = ('<ofd:PathObject Boundary="20 100 60 10" LineWidth="1" Fill="true"><ofd:FillColor Value="0 0 255"/>'
            "<ofd:AbbreviatedData>M 0 0 L 60 0 L 60 10 L 0 10 C</ofd:AbbreviatedData></ofd:PathObject>")  # fmt: skip
    dot = '<ofd:ImageObject Boundary="20 120 10 10" ResourceID="7"/>'
    turned = text("竖", 0, 5, 10, extra='CTM="0 1 -1 0 100 50"').replace('Boundary="0 0', 'Boundary="0 0')
    file = write_ofd(tmp_path / "a.ofd", text("合同", 20, 40, 10) + line + dot + turned)
    outcome = read(file)
    drawn = reader.render(file, "a.ofd", 1, 2.0)
    pixels = np.frombuffer(drawn.pixels, np.uint8).reshape(drawn.height, drawn.width, 3)
    assert (drawn.width, drawn.height) == (round(210 * MM * 2), round(297 * MM * 2))

    def at(x: float, y: float) -> tuple[int, ...]:
        return tuple(int(v) for v in pixels[round(y * MM * 2), round(x * MM * 2)])

    assert at(50, 105) == (0, 0, 255) and at(25, 125) == (255, 0, 0) and at(150, 200) == (255, 255, 255)
    (box,) = span_boxes(outcome.page.boxes, 0, 2)
    x0, y0, x1, y1 = (round(value * 2) for value in box)
    assert (pixels[y0:y1, x0:x1].min(axis=2) < 100).mean() > 0.05
    assert pixels[: y0 - 2].min() == 255


def test_seals_are_drawn_and_signatures_noted_attachments_are_files_of_their_own(
    tmp_path: Path, reader: Reader
) -> None:
    signature = f"<ofd:Signature {_NS}><ofd:SignedInfo><ofd:Seal><ofd:BaseLoc>Seal.esl</ofd:BaseLoc></ofd:Seal>" \
                '<ofd:StampAnnot PageRef="10" Boundary="100 100 40 40"/></ofd:SignedInfo></ofd:Signature>'  # fmt: skip
    file = write_ofd(
        tmp_path / "a.ofd", text("判决书", 20, 40), body="<ofd:Signatures>Signs/All.xml</ofd:Signatures>",
        document="<ofd:Attachments>Att/All.xml</ofd:Attachments>",
        parts={
            "Signs/All.xml": f"<ofd:Signatures {_NS}><ofd:Signature BaseLoc='S.xml'/></ofd:Signatures>",
            "Signs/S.xml": signature, "Signs/Seal.esl": b"\x30\x82ES" + RED_DOT + b"\x02\x01",
            "Doc_0/Att/All.xml": f"<ofd:Attachments {_NS}><ofd:Attachment Name='invoice' Format='xml'>"
            "<ofd:FileLoc>x.xml</ofd:FileLoc></ofd:Attachment></ofd:Attachments>",
            "Doc_0/Att/x.xml": "<a>一</a>",
        },
    )  # fmt: skip
    pages, members = [], []
    folder = tmp_path / "members"
    folder.mkdir()
    end = reader.read(file, "a.ofd", on_page=pages.append, work_folder=folder, on_member=members.append)
    assert "seal stands on it" in pages[0].problem and pages[0].page.state is PageState.TEXT
    assert [member.name for member in members] == ["invoice.xml"] and end.members == 1
    assert Path(members[0].path).read_text(encoding="utf-8") == "<a>一</a>"
    drawn = reader.render(file, "a.ofd", 1, 1.0)
    middle = 3 * (round(120 * MM) * drawn.width + round(120 * MM))
    assert tuple(drawn.pixels[middle : middle + 3]) == (255, 0, 0)


def test_a_missing_page_fails_alone_and_a_page_of_nothing_is_empty(tmp_path: Path, read: ReadFile) -> None:
    broken = {"Doc_0/Pages/P2.xml": "<a><b>"}
    file = write_ofd(tmp_path / "a.ofd", text("一", 20, 20), "", text("三", 20, 20), parts=broken)
    outcome = read(file)
    assert outcome.states == [PageState.TEXT, PageState.EMPTY, PageState.FAILED]
    assert all(one.problem for one in outcome.read[1:])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("OFD.xml", '<!DOCTYPE a [<!ENTITY b "bb">]><ofd:OFD xmlns:ofd="x">&b;</ofd:OFD>'),
        ("OFD.xml", "<a/>"),
        ("Doc_0/Document.xml", "<broken"),
    ],
)
def test_what_is_no_ofd_is_damaged(tmp_path: Path, read: ReadFile, name: str, content: str) -> None:
    with pytest.raises(DocumentError, match="damaged"):
        read(write_ofd(tmp_path / "a.ofd", text("一", 20, 20), parts={name: content}))


def test_nothing_reaches_out_of_the_file_and_composites_within_themselves_end(tmp_path: Path, read: ReadFile) -> None:
    (tmp_path / "secret.xml").write_text(f"<ofd:Page {_NS}/>", encoding="utf-8")
    itself = '<ofd:CompositeObject Boundary="0 0 9 9" ResourceID="5"/>'
    loop = f'<ofd:Res {_NS}><ofd:CompositeGraphicUnits><ofd:CompositeGraphicUnit ID="5"><ofd:Content>{itself}{itself}' \
           "</ofd:Content></ofd:CompositeGraphicUnit></ofd:CompositeGraphicUnits></ofd:Res>"  # fmt: skip
    file = write_ofd(
        tmp_path / "a.ofd", text("安全", 20, 20) + itself,
        document='<ofd:Attachments>../../secret.xml</ofd:Attachments>', parts={"Doc_0/Res.xml": loop},
    )  # fmt: skip
    assert read(file).text == "安全"


def test_an_encrypted_file_says_so(tmp_path: Path, read: ReadFile) -> None:
    with pytest.raises(UnsupportedFormat, match="encrypted"):
        read(write_ofd(tmp_path / "a.ofd", text("一", 20, 20), parts={"Doc_0/Encryptions.xml": "<a/>"}))


SAMPLES = {
    "20240531141733.ofd": (1, "发票号码：24112000000048542163"),
    "AddWatermarkAnnot.ofd": (6, "。”倘能如此，这也就够了"),
    "hello.ofd": (2, "拿来主义”者是全不这样的"),
    "path_unstd.ofd": (1, "立案决定书"),
    "testPathFillOpacity.ofd": (1, "关于加快南货场铁路涵洞下穿建设的函"),
    "no_page_container.ofd": (1, "上海增值税电子普通发票 发票代码：031001900511"),
    "draw_param_ref.ofd": (2, "购买方名称： 百望股份有限公司"),
    "SignScaleError.ofd": (1, "江苏中电创新环境科技有限公司"),
    "SESV4SignDoc.ofd": (1, "你好呀，OFD Reader&Writer！"),
    "z.ofd": (1, "CodePosition xs:int TextCode中字符编码的起始位置，从0开始 必选"),
    "v4signed.ofd": (1, "发票号码：99999951"),
    "areaholder_fields.ofd": (1, "姓名\n生日"),
}


@pytest.mark.data
@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long if n == "z.ofd" else ()) for n in SAMPLES])
def test_samples_of_the_corpus_have_their_text_and_a_picture(
    shared_data: Path, read: ReadFile, reader: Reader, name: str
) -> None:
    require_fonts()
    file = shared_data / "documents/ofd_ofdrw" / name
    number, words = SAMPLES[name]
    page = read(file).read[number - 1].page
    assert words in page.text
    drawn = reader.render(file, name, number, 1.0)
    pixels = np.frombuffer(drawn.pixels, np.uint8).reshape(drawn.height, drawn.width, 3)
    start = page.text.index(words)
    for x0, y0, x1, y1 in span_boxes(page.boxes, start, start + len(words)):
        assert pixels[int(y0) : int(y1) + 1, int(x0) : int(x1) + 1].min() < 160
