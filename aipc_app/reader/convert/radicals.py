"""Radical characters that PDF fonts put in the place of ordinary ideographs, one to one.

Kangxi radicals (U+2F00-2FD5) by their compatibility mapping; the radicals supplement (U+2E80-2EF3) by the
Unicode property Equivalent_Unified_Ideograph (UAX #44).
"""

from __future__ import annotations

import unicodedata

_SUPPLEMENT_START = 0x2E80
# From U+2E80 on; "." where Unicode names no equivalent ideograph.
_SUPPLEMENT = (
    ".\u5382\u4e5b\u4e5a\u4e59\u4ebb\u5182\U00020628\u5200\u5202\u535c\u353e\u5c0f\u5c0f\u5140\u5c23"
    "\u5c22\U00021bc2\u5df3\u5e7a\u5f51\u5f50\u5fc4\u5fc3\u624c\u6535.\u65e1\u65e5\u6708\u6b7a\u6bcd"
    "\u6c11\u6c35\u6c3a\u706c\u722b\u722b\u4e2c\u725b\u72ad\u738b\U00024d14\u76ee\u793a\u793b\U00025ad7\u7cf9"
    "\u7e9f\u7f53\u7f52\u34c1\u5197\U0002626b\u7f8a\U0002634c\U0002634b\u8002\u8080\u807f\u8089\U00026951\u8279\u8279"
    "\u8279\u864e\u8864\u8980\u897f\u89c1\u89d2\U000278b2\u8ba0\u8d1d\U00027fb7\u8f66\u8fb6\u8fb6\u8fb6\u9091"
    "\u9485\u9577\u9578\u957f\u95e8\U00028e0f\u961d\u96e8\u9752\u97e6\u9875\u98ce\u98de\u98df\U0002967f\u98e0"
    "\u9963\U00029810\u9a6c\u9aa8\u9b3c\u9c7c\u9e1f\u5364\u9ea6\u9ec4\u9efe\u6589\u9f50\u6b6f\u9f7f\u7adc"
    "\u9f99\u9f9c\u4e80\u9f9f"
)


def _table() -> dict[int, str]:
    supplement = {
        _SUPPLEMENT_START + i: ideograph for i, ideograph in enumerate(_SUPPLEMENT) if ideograph != "."
    }
    kangxi = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x2F00, 0x2FD6)}
    return supplement | kangxi


IDEOGRAPH_OF_RADICAL: dict[int, str] = _table()
