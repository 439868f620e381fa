"""Checks, repairs, converts and labels GS1 identifiers: barcodes, Digital Links, EPCs.

>>> import fingerpost
>>> fingerpost.convert("3066c4409047e14000001a85", to="digital-link")
'https://id.gs1.org/01/09506000134352/21/6789'
>>> found = fingerpost.check("(01)09520123456788(17)261231(10)ABC")
>>> found.valid, found.item.elements[1].meaning["date"]
(True, '2026-12-31')
>>> wrong = fingerpost.check("09520123456789")
>>> wrong.faults[0].code, wrong.faults[0].span
('EAN_CHECK_DIGIT', (13, 14))

Positions count bytes of the text in UTF-8. Dates without a century are relative to today in UTC, or to the
option ``today``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Optional, Union, cast, overload

from ._identifiers import DigitalLink, ElementString, Epc, Label, Uri, Urn
from ._native import ArrowColumn, Refused, __version__, definition
from ._options import Accept, Address, ConvertOptions, Form, LabelOptions, ReadOptions, Symbol, toolkit
from ._results import (
    Assumption,
    Check,
    Element,
    EpcFacts,
    FingerpostError,
    Finding,
    GtinKind,
    Item,
    Symbology,
    Why,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack


def check(text: str, **options: Unpack[ReadOptions]) -> Check:
    """Returns what a text is, whether it is valid, each fault with its position, and what it says.

    >>> bool(check("9520123456788"))
    True
    >>> check("1021072911172405310109520123456788").perhaps_meant.element_string
    '(10)21072911(17)240531(01)09520123456788'
    """
    return Check._of(toolkit(options).check(text))  # pyright: ignore[reportPrivateUsage]


def convert(text: str, to: Form, **options: Unpack[ConvertOptions]) -> str:
    """Returns an identifier in another form.

    Raises FingerpostError if it cannot be read, or cannot be written in that form.

    >>> convert("(01)09520123456788(21)6789", to="epc-urn", gcp_length=7)
    'urn:epc:id:sgtin:9520123.045678.6789'
    """
    try:
        return toolkit(options, to).convert(text)
    except Refused as refused:
        raise FingerpostError(*refused.args) from None


def check_many(texts: Iterable[Optional[str]], *, threads: int = 0, **options: Unpack[ReadOptions]) -> list[Optional[Check]]:
    """Checks all texts of a list, a pandas Series or an Arrow array, without the interpreter lock. Columns of Arrow are not copied.

    Missing values stay missing. ``threads`` is by default the number of processors.

    >>> [found.valid for found in check_many(["9520123456788", "9520123456789"])]
    [True, False]
    """
    found = toolkit(options).check_many(_texts(texts), threads or _processors())
    return [None if one is None else Check._of(one) for one in found]  # pyright: ignore[reportPrivateUsage]


@overload
def convert_many(
    texts: Iterable[Optional[str]],
    to: Form,
    *,
    errors: Literal["raise", "none"] = "raise",
    threads: int = 0,
    **options: Unpack[ConvertOptions],
) -> list[Optional[str]]: ...
@overload
def convert_many(
    texts: Iterable[Optional[str]],
    to: Form,
    *,
    errors: Literal["return"],
    threads: int = 0,
    **options: Unpack[ConvertOptions],
) -> list[Union[str, FingerpostError, None]]: ...
def convert_many(
    texts: Iterable[Optional[str]],
    to: Form,
    *,
    errors: Literal["raise", "none", "return"] = "raise",
    threads: int = 0,
    **options: Unpack[ConvertOptions],
) -> Any:
    """Converts all texts of a list, a pandas Series or an Arrow array, without the interpreter lock.

    A text that is refused raises its error, becomes None, or becomes the error itself, as ``errors`` says.
    Missing values stay missing.

    >>> convert_many(["3066c4409047e14000001a85", "x"], to="element-string", errors="none")
    ['(01)09506000134352(21)6789', None]
    """
    found, refusals = toolkit(options, to).convert_many(_texts(texts), threads or _processors())
    for position in refusals:
        error = FingerpostError(*found[position].args)
        if errors == "raise":
            raise error
        found[position] = None if errors == "none" else error
    return found


def label(text: str, **options: Unpack[LabelOptions]) -> Label:
    """Draws the label of an identifier as SVG, PNG or PDF.

    >>> drawn = label("9520123456788", symbol="ean-13")
    >>> drawn.data[:4], drawn.scan_data
    (b'<svg', ']E09520123456788')
    """
    try:
        data, scan_data, width, height = toolkit(options).label(text)
    except Refused as refused:
        raise FingerpostError(*refused.args) from None
    return Label(options.get("format", "svg"), data, scan_data, width, height)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _texts(texts: Any) -> Union[ArrowColumn, Sequence[Optional[str]]]:
    """Returns a column of Arrow as it is, and others as a list, in which missing values of pandas are None."""
    of_pandas = hasattr(texts, "isna") and hasattr(texts, "array")
    if of_pandas and hasattr(texts.array, "__arrow_array__"):
        arrow = ArrowColumn.of(texts.array.__arrow_array__())
    else:
        arrow = None if of_pandas else ArrowColumn.of(texts)
    if arrow is not None:
        return arrow
    if hasattr(texts, "to_pylist"):
        return cast("list[Optional[str]]", texts.to_pylist())
    if of_pandas:
        texts = texts.astype(object).where(texts.notna(), None).tolist()
    return cast("list[Optional[str]]", texts if isinstance(texts, list) else [*texts])


__all__ = [
    "Accept",
    "Address",
    "Assumption",
    "Check",
    "ConvertOptions",
    "DigitalLink",
    "Element",
    "ElementString",
    "Epc",
    "EpcFacts",
    "Finding",
    "FingerpostError",
    "Form",
    "GtinKind",
    "Item",
    "Label",
    "LabelOptions",
    "ReadOptions",
    "Symbol",
    "Symbology",
    "Uri",
    "Urn",
    "Why",
    "__version__",
    "check",
    "check_many",
    "convert",
    "convert_many",
    "definition",
    "label",
]
