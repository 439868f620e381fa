"""The options of the functions. Tests compare their names with those of the command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import time
from typing import Any, Literal, Optional, TypedDict, cast

from ._native import Toolkit

Form = Literal[
    "digital-link",
    "canonical",
    "element-string",
    "epc-urn",
    "epc-tag",
    "epc-hex",
    "epc-base64",
    "epc-link",
    "compressed",
    "hri",
]
Accept = Literal[
    "parts",
    "unknown-ais",
    "unknown-attributes",
    "short-gtin",
    "uri-syntax-1.4",
    "any-character",
    "user-information",
    "trailing-slash",
    "bad-percent",
    "former-names",
    "repeated-attributes",
    "qualifiers-in-query",
    "missing-fnc1",
    "nonzero-padding",
    "lenient",
    "separators",
    "lost-separators",
    "labels",
    "control-word",
]
Symbol = Literal["qr", "datamatrix", "gs1-datamatrix", "ean-13", "ean-8", "upc-a", "itf-14", "gs1-128"]
Address = Literal["plain", "upper-case", "compressed"]


class ReadOptions(TypedDict, total=False):
    """Options of reading: those of ``fingerpost check``."""

    accept: Sequence[Accept]
    show_passwords: bool
    weight_codes: Optional[str]
    today: Optional[str]


class ConvertOptions(ReadOptions, total=False):
    """Options of conversions: those of ``fingerpost convert``."""

    gcp_length: Optional[int]
    gcp_table: Optional[Mapping[str, int]]
    filter: Optional[int]
    scheme: Optional[str]
    stem: Optional[str]
    hostname: Optional[str]
    lossy: bool


class LabelOptions(ReadOptions, total=False):
    """Options of labels: those of ``fingerpost label``."""

    symbol: Symbol
    beside: Optional[Symbol]
    root: Optional[str]
    address: Address
    x_dimension: Optional[str]
    bar_height: Optional[str]
    no_text: bool
    error_correction: Literal["L", "M", "Q", "H"]
    format: Literal["svg", "png", "pdf"]
    dpi: int


@lru_cache(maxsize=64)
def _toolkit_of(options: str, day: int) -> Toolkit:
    return Toolkit(options)


@lru_cache(maxsize=256)
def _simple(to: Optional[str], day: int) -> Toolkit:
    return _toolkit_of(json.dumps({} if to is None else {"to": to}), day)


def toolkit(options: Mapping[str, Any], to: Optional[str] = None) -> Toolkit:
    """Returns the functions with these options; the same ones for a day, because dates are relative to it."""
    day = _today()
    if not options:
        return _simple(to, day)
    given = dict(options) if to is None else {**options, "to": to}
    return _toolkit_of(json.dumps(given, default=_plain), day)


def _today() -> int:
    return int(time()) // 86400


def _plain(value: object) -> object:
    """Returns a sequence or mapping as JSON has it."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    if isinstance(value, (set, frozenset)):
        return sorted(cast("set[str]", value))
    return list(cast("Sequence[object]", value))

