"""Archives: their files come out under names of ours, and what is a trick ends in a sentence."""

from __future__ import annotations

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import rarfile
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from aipc_app.domain.reader_wire import MemberFound
from aipc_app.errors import DocumentError, DocumentLimit, PasswordNeeded
from aipc_app.reader.names import safe_name
from tests.unit.aipc_app.reader.conftest import ReadFile

Unpack = Callable[..., dict[str, bytes | str]]


@pytest.fixture
def unpack(tmp_path: Path, read: ReadFile) -> Unpack:
    """unpack(bytes, name, password=) -> bytes by name, or the reason of what was not taken."""

    def unpack_archive(data: bytes, name: str = "a.zip", password: str | None = None) -> dict[str, bytes | str]:
        file, folder, found = tmp_path / name, tmp_path / "work", list[MemberFound]()
        file.write_bytes(data)
        folder.mkdir(exist_ok=True)
        read(file, work_folder=folder, on_member=found.append, password=password)
        assert all(Path(one.path).parent == folder for one in found if one.path)
        return {one.name: Path(one.path).read_bytes() if one.path else one.problem for one in found}

    return unpack_archive


def packed(*files: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


class Named(zipfile.ZipInfo):
    """A name in the bytes of some charset, without the flag that says UTF-8."""

    raw = b""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:
        return self.raw, 0


def named(raw: bytes) -> zipfile.ZipInfo:
    info = Named(raw.hex())
    info.raw = raw
    return info


def test_files_come_out_with_their_folders_in_the_name(unpack: Unpack) -> None:
    data = packed(("卷一/合同.txt", b"1"), ("卷一/", b""), ("b.txt", b""))
    assert unpack(data) == {"卷一/合同.txt": b"1", "b.txt": b""}


@pytest.mark.parametrize("charset", ["gbk", "big5", "utf-8"])
def test_names_of_old_programs_are_read_in_their_charset(unpack: Unpack, charset: str) -> None:
    names = ["起诉状和证据目录.txt", "民事判决书正本.txt"]
    if charset == "big5":
        names = ["起訴狀和證據目錄.txt", "民事判決書正本.txt"]
    assert list(unpack(packed(*((named(name.encode(charset)), b"x") for name in names)))) == names


@pytest.mark.parametrize(
    "name", ["../a", "a/../../b", "/etc/passwd", "C:\\windows\\a", "..\\a", "a\nb", "", ".", "a\x00b", "x" * 500]
)
def test_names_that_are_tricks_are_no_names(name: str) -> None:
    assert safe_name(name) is None


def test_names_are_made_plain() -> None:
    assert safe_name("./a//b\\c.txt") == "a/b/c.txt"


def test_tricks_are_told_and_the_rest_is_taken(unpack: Unpack) -> None:
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    found = unpack(packed(("../a", b"x"), (link, b"/etc/passwd"), ("good", b"y")))
    assert found["good"] == b"y"
    assert "leads out" in str(found["../a"]) and "link" in str(found["link"])


def test_a_bomb_is_not_unpacked(unpack: Unpack) -> None:
    data = bytearray(packed(("bomb.txt", bytes(300 << 20)), ("good.txt", b"x")))
    found = unpack(bytes(data))
    assert "far more" in str(found["bomb.txt"]) and found["good.txt"] == b"x"


def test_a_file_that_is_longer_than_it_says_is_damaged(unpack: Unpack) -> None:
    data = bytearray(packed(("a.txt", bytes(5_000_000))))
    at = data.rindex(b"PK\x01\x02") + 24
    struct.pack_into("<I", data, at, 1000)
    assert "damaged" in str(unpack(bytes(data))["a.txt"])


def test_too_many_files_are_refused(unpack: Unpack) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(20_001):
            archive.writestr(zipfile.ZipInfo(f"{number}"), b"")
    with pytest.raises(DocumentLimit, match="20000 files"):
        unpack(out.getvalue())


def test_an_empty_and_a_broken_archive_are_told(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.zip"
    file.write_bytes(packed())
    assert read(file).read[0].problem == "There is nothing in this archive."
    file.write_bytes(packed(("a.txt", b"x" * 1000))[:-30])
    with pytest.raises(DocumentError, match="damaged"):
        read(file)


def test_the_page_of_an_archive_lists_what_is_in_it(tmp_path: Path, read: ReadFile) -> None:
    file = tmp_path / "a.zip"
    file.write_bytes(packed(*((f"{number}.txt", b"x") for number in range(500))))
    outcome = read(file)
    assert outcome.text.startswith("0.txt | 1 B\n") and outcome.text.endswith("… +300")
    assert outcome.end.members == 500


def aes_zip(name: str, data: bytes, password: str) -> bytes:
    """As WinZip and 7-Zip write it: AE-2, AES-256, deflated."""
    import hashlib
    import hmac

    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    salt = bytes(range(16))
    keys = hashlib.pbkdf2_hmac("sha1", password.encode(), salt, 1000, 66)
    plain = zlib.compress(data)[2:-4]
    encryptor = Cipher(algorithms.AES(keys[:32]), modes.ECB()).encryptor()
    pad = b"".join(encryptor.update((i + 1).to_bytes(16, "little")) for i in range(len(plain) // 16 + 1))
    body = bytes(a ^ b for a, b in zip(plain, pad, strict=False))
    body = salt + keys[64:] + body + hmac.new(keys[32:64], body, "sha1").digest()[:10]
    extra = struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", 3, 8)
    raw = name.encode()
    fields = struct.pack("<HHHHHIIIHH", 51, 0x801, 99, 0, 0, 0, len(body), len(data), len(raw), len(extra))
    local = b"PK\x03\x04" + fields + raw + extra + body
    central = b"PK\x01\x02" + struct.pack("<H", 51) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + raw + extra
    return local + central + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)


def test_a_zip_with_a_password_opens_with_it_only(unpack: Unpack) -> None:
    data = aes_zip("合同.txt", "机密正文".encode() * 1000, "密码")
    with pytest.raises(PasswordNeeded):
        unpack(data)
    assert "does not open" in str(unpack(data, password="x")["合同.txt"])
    assert unpack(data, password="密码") == {"合同.txt": "机密正文".encode() * 1000}


def seven_zip(path: Path, password: str | None = None) -> bytes:
    import py7zr

    with py7zr.SevenZipFile(path, "w", password=password, header_encryption=password is not None) as archive:
        archive.writestr("正文一".encode(), "案卷/一.txt")
        archive.writestr(b"", "空.txt")
    return path.read_bytes()


def test_a_7z_is_unpacked(unpack: Unpack, tmp_path: Path) -> None:
    assert unpack(seven_zip(tmp_path / "x.7z"), "a.7z") == {"案卷/一.txt": "正文一".encode(), "空.txt": b""}


def test_tricks_of_a_7z_are_told(unpack: Unpack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import py7zr

    monkeypatch.setattr("py7zr.py7zr.check_archive_path", lambda name: True)
    with py7zr.SevenZipFile(tmp_path / "x.7z", "w") as archive:
        archive.writestr(b"x", "../up.txt")
        archive.writestr(b"good", "good.txt")
        archive.writestr(b"better", "good.txt")
    found = unpack((tmp_path / "x.7z").read_bytes(), "a.7z")
    assert found["good.txt"] == b"better", "of two files of one name each comes out"
    assert "leads out" in str(found["../up.txt"])


def test_a_7z_with_a_password_opens_with_it_only(unpack: Unpack, tmp_path: Path) -> None:
    data = seven_zip(tmp_path / "x.7z", "秘密")
    for wrong in (None, "x"):
        with pytest.raises(PasswordNeeded):
            unpack(data, "a.7z", wrong)
    assert unpack(data, "a.7z", "秘密")["案卷/一.txt"] == "正文一".encode()


def test_a_broken_7z_is_damaged(unpack: Unpack, tmp_path: Path) -> None:
    data = bytearray(seven_zip(tmp_path / "x.7z"))
    data[40:60] = bytes(20)
    with pytest.raises(DocumentError, match="damaged"):
        unpack(bytes(data), "a.7z")


NUMBERS = "".join(f"{n:03}\n" for n in range(512)).encode()
PACKED = bytes.fromhex(  # NUMBERS as RAR 5 packs them
    "c4aa34443424fa32eb47fac44d7dbde60580820a8cc1032a95ca229b501a93dd40fc00400200d4600436ed15f9b754832a644ecd7c1fe0"
)


def encrypted(data: bytes, password: str) -> tuple[bytes, bytes]:
    """Filled up and encrypted, and what a RAR 5 says of it: algorithm, flags, rounds, salt, vector, check value."""
    salt, vector, rounds = b"s" * 16, b"v" * 16, 4
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 1 << rounds)
    long = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, (1 << rounds) + 32)
    check = bytes(long[i] ^ long[i + 8] ^ long[i + 16] ^ long[i + 24] for i in range(8))
    cipher = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    filled = cipher.update(data + bytes(-len(data) % 16))
    return filled, bytes([1, 0, 3, rounds]) + salt + vector + check + hashlib.sha256(check).digest()[:4]


def rar5(*files: tuple[str, bytes], password: str | None = None, packed: bytes = b"") -> bytes:
    """RAR 5 with files that are stored as they are, but for the first if `packed` is given (the technical note)."""

    def number(value: int) -> bytes:
        out = bytearray()
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        return bytes([*out, value])

    def block(kind: int, flags: int, body: bytes, data: bytes = b"", extra: bytes = b"") -> bytes:
        sizes = (number(len(extra)) if extra else b"") + (number(len(data)) if flags & 2 else b"")
        inner = number(kind) + number(flags | bool(extra)) + sizes + body + extra
        sized = number(len(inner)) + inner
        return struct.pack("<I", zlib.crc32(sized)) + sized + data

    out = b"Rar!\x1a\x07\x01\x00" + block(1, 0, number(0))
    for at, (name, data) in enumerate(files):
        raw, inside = name.encode(), packed if packed and at == 0 else data
        body = number(4) + number(len(data)) + number(0o100644) + struct.pack("<I", zlib.crc32(data))
        body += number(0x180 if inside is packed else 0) + number(1) + number(len(raw)) + raw
        filled, record = encrypted(inside, password) if password else (inside, b"")
        out += block(2, 2, body, filled, number(len(record)) + record if record else b"")
    return out + block(5, 0, number(0))


def has_libarchive() -> bool:
    try:
        import libarchive
    except (ImportError, OSError, TypeError, AttributeError):
        return False
    return libarchive is not None


needs_libarchive = pytest.mark.skipif(not has_libarchive(), reason="the library libarchive is not on this computer")


@needs_libarchive
def test_a_rar_is_unpacked_by_libarchive(unpack: Unpack) -> None:
    found = unpack(rar5(("案卷/一.txt", "正文".encode()), ("../up.txt", b"x")), "a.rar")
    assert found["案卷/一.txt"] == "正文".encode() and "leads out" in str(found["../up.txt"])


@needs_libarchive
@pytest.mark.parametrize("given", [None, "falsch", ""])
def test_a_protected_rar_asks_for_its_password(unpack: Unpack, given: str | None) -> None:
    with pytest.raises(PasswordNeeded, match="password"):
        unpack(rar5(("a.txt", b"secret"), password="秘密"), "a.rar", given)


@needs_libarchive
def test_a_protected_rar_opens_with_its_password_whether_packed_or_stored(unpack: Unpack) -> None:
    data = rar5(("案卷/表.txt", NUMBERS), ("二.txt", "正文".encode()), password="秘密", packed=PACKED)
    assert unpack(data, "a.rar", "秘密") == {"案卷/表.txt": NUMBERS, "二.txt": "正文".encode()}
    plain = rar5(("案卷/表.txt", NUMBERS), packed=PACKED)
    assert unpack(plain, "a.rar")["案卷/表.txt"] == NUMBERS


@needs_libarchive
def test_a_protected_rar_3_opens_with_its_password(unpack: Unpack, tmp_path: Path) -> None:
    inside, salt = "正文一".encode(), b"saltsalt"
    cipher = Cipher(algorithms.AES((key := rarfile.rar3_s2k("秘密", salt))[0]), modes.CBC(key[1])).encryptor()
    filled = cipher.update(inside + bytes(-len(inside) % 16))
    flags, name = 0x8000 | 0x0400 | 0x0004, b"a.txt"
    crc = zlib.crc32(inside)
    body = struct.pack("<IIBIIBBHI", len(filled), len(inside), 3, crc, 0x58000000, 29, 0x30, len(name), 0o100644)
    rest = struct.pack("<BHH", 0x74, flags, 7 + len(body) + len(name) + 8) + body + name + salt
    header = struct.pack("<H", zlib.crc32(rest) & 0xFFFF) + rest
    data = bytes.fromhex("526172211a0700cf907300000d00000000000000") + header + filled + bytes.fromhex("c43d7b00400700")
    assert unpack(data, "a.rar", "秘密")["a.txt"] == inside
    for wrong in (None, "falsch"):
        with pytest.raises(PasswordNeeded):
            unpack(data, "a.rar", wrong)


@needs_libarchive
def test_a_broken_rar_is_damaged(unpack: Unpack) -> None:
    assert "damaged" in str(unpack(rar5(("a.txt", b"x" * 1000))[:-500], "a.rar")["a.txt"])
