"""The results of checks, and the refusal that functions raise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Optional

Span = tuple[int, int]


class FingerpostError(ValueError):
    """Why a text cannot be read, or cannot be written in another form.

    >>> import fingerpost
    >>> try:
    ...     fingerpost.convert("09520123456789", to="hri")
    ... except fingerpost.FingerpostError as error:
    ...     print(error.code, error.span)
    ...     print(error)
    EAN_CHECK_DIGIT (0, 14)
    check digit is 9, expected 8
    """

    def __init__(self, code: str, message: str, help: str = "", span: Span = (0, 0), input: str = "") -> None:
        super().__init__(code, message, help, span, input)
        #: The stable code, such as ``VALUE_TOO_SHORT``.
        self.code = code
        #: What was expected and what was found.
        self.message = message
        #: Advice; empty if there is none.
        self.help = help
        #: The position in ``input``, in bytes of UTF-8: start and end.
        self.span = span
        #: The text that was read, without white space and quotes around it.
        self.input = input

    def __str__(self) -> str:
        return self.message

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.args == self.args

    def __hash__(self) -> int:
        return hash(self.args)


@dataclass(frozen=True)
class Finding:
    """A fault or a warning, with its position in bytes of the text."""

    code: str
    message: str
    help: str
    span: Span


@dataclass(frozen=True)
class Element:
    """A value with its Application Identifier; ``meaning`` has a member ``type``."""

    ai: str
    title: str
    value: str
    meaning: Optional[Mapping[str, Any]] = field(default=None, hash=False)


@dataclass(frozen=True)
class GtinKind:
    """What a number in the form of a GTIN is, if not the number of a product."""

    code: str
    name: str


@dataclass(frozen=True)
class Item:
    """What a text says."""

    canonical_uri: Optional[str]
    no_uri: Optional[Finding]
    element_string: str
    hri: tuple[str, ...]
    elements: tuple[Element, ...]
    gtin_kind: Optional[GtinKind]
    medicine: Optional[Mapping[str, str]] = field(default=None, hash=False)
    weight_code: Optional[Mapping[str, Any]] = field(default=None, hash=False)


@dataclass(frozen=True)
class EpcFacts:
    """The spellings of an EPC that it determines alone."""

    scheme: Optional[str] = None
    filter: Optional[int] = None
    hostname: Optional[str] = None
    urn: Optional[str] = None
    tag_uri: Optional[str] = None
    hex: Optional[str] = None


@dataclass(frozen=True)
class Symbology:
    """The kind of symbol that scan data begins with."""

    id: str
    carrier: str


@dataclass(frozen=True)
class Assumption:
    """What is assumed in a better reading, and what speaks for it."""

    code: str
    message: str
    span: Span
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Why:
    """The assumptions of a better reading."""

    assumed: tuple[Assumption, ...]
    other_readings: int


@dataclass(frozen=True)
class Check:
    """The result of a check, with the members of ``fingerpost check --format json``."""

    input: str
    kind: str
    valid: bool
    faults: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    item: Optional[Item]
    perhaps_meant: Optional[Item]
    why: Optional[Why]
    epc: Optional[EpcFacts]
    symbology: Optional[Symbology]
    notes: tuple[str, ...]

    def __bool__(self) -> bool:
        """Returns whether the text is valid."""
        return self.valid

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Check:
        members: dict[str, Any] = {"item": None, "perhaps_meant": None, "why": None, "epc": None, "symbology": None}
        members.update(found)
        members["faults"] = tuple(map(_finding, found["faults"]))
        members["warnings"] = tuple(map(_finding, found["warnings"]))
        for name, read in _MEMBERS:
            if name in found:
                members[name] = read(found[name])
        return cls(**members)


def _span(value: dict[str, int]) -> Span:
    return (value["start"], value["end"])


def _finding(value: dict[str, Any]) -> Finding:
    return Finding(value["code"], value["message"], value["help"], _span(value["span"]))


def _item(value: dict[str, Any]) -> Item:
    members = dict(value)
    members["no_uri"] = value["no_uri"] and _finding(value["no_uri"])
    members["elements"] = tuple(Element(**element) for element in value["elements"])
    members["gtin_kind"] = value["gtin_kind"] and GtinKind(**value["gtin_kind"])
    return Item(**members)


def _assumption(value: dict[str, Any]) -> Assumption:
    return Assumption(value["code"], value["message"], _span(value["span"]), value["evidence"])


def _why(value: dict[str, Any]) -> Why:
    return Why(tuple(map(_assumption, value["assumed"])), value["other_readings"])


def _epc(value: dict[str, Any]) -> EpcFacts:
    return EpcFacts(**value)


def _symbology(value: dict[str, Any]) -> Symbology:
    return Symbology(**value)


_MEMBERS: tuple[tuple[str, Callable[[dict[str, Any]], object]], ...] = (
    ("item", _item),
    ("perhaps_meant", _item),
    ("why", _why),
    ("epc", _epc),
    ("symbology", _symbology),
)
