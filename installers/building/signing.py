"""SHA256SUMS over the products, and a signature that any OpenSSL can check.

The private key lies outside the checkout, in AIPC_SIGNING_KEY or ~/.config/aipc/signing-key.pem; it is made at the
first build. The public key is put beside the products for convenience: whoever checks takes it from another way.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from building.packing import sha256


def sums(products: Sequence[Path], folder: Path) -> Path:
    """`SHA256SUMS`, as `sha256sum --check` reads it."""
    file = folder / "SHA256SUMS"
    file.write_text("".join(f"{sha256(path)}  {path.name}\n" for path in sorted(products)), encoding="utf-8")
    return file


def sign(file: Path) -> list[Path]:
    """FILE.sig (ECDSA P-256 over SHA-256) and aipc-signing-key.pub beside it."""
    key = _private_key()
    signature, public = file.with_name(file.name + ".sig"), file.with_name("aipc-signing-key.pub")
    _openssl("dgst", "-sha256", "-sign", key, "-out", signature, file)
    _openssl("pkey", "-in", key, "-pubout", "-out", public)
    _openssl("dgst", "-sha256", "-verify", public, "-signature", signature, file)
    return [signature, public]


def _private_key() -> Path:
    key = Path(os.environ.get("AIPC_SIGNING_KEY") or Path.home() / ".config" / "aipc" / "signing-key.pem")
    if not key.is_file():
        key.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        key.touch(mode=0o600)
        _openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
    return key


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
