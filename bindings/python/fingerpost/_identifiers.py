"""Identifiers as values: equal if they are written equally, hashable, and pickled as their text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Optional, TypeVar

from ._native import Refused
from ._options import ConvertOptions, Form, toolkit
from ._results import FingerpostError

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T", bound="_Text")


@dataclass(frozen=True)
class Label:
    """A label: the content of a file, what a scanner reports, and its size in millimetres."""

    format: str
    data: bytes
    scan_data: str
    width_mm: float
    height_mm: float


class _Text:
    """A value that is its text."""

    __slots__ = ("_known", "_text")

    _text: str
    _known: dict[str, Any]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Text) and type(other) is type(self) and other._text == self._text

    def __hash__(self) -> int:
        return hash((type(self), self._text))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), self._text, self._known))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} does not change: {name}")

    def _optional(self, name: str) -> Optional[str]:
        value = self._known.get(name)
        return None if value is None else str(value)

    def _set(self, text: str, known: dict[str, Any]) -> None:
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_known", known)


def _restored(kind: type[T], text: str, known: dict[str, Any]) -> T:
    value = kind.__new__(kind)
    value._set(text, known)  # pyright: ignore[reportPrivateUsage]
    return value


class _Identifier(_Text):
    """An identifier that was read from any form and is written in one."""

    __slots__ = ()
    _member: ClassVar[str]
    _form: ClassVar[Form]

    def __init__(self, text: str, **options: Unpack[ConvertOptions]) -> None:
        try:
            known = json.loads(toolkit(options, "json").convert(text))
            # The object leaves out a form that cannot be written; this says why.
            self._set(known.get(self._member) or toolkit(options, self._form).convert(text), known)
        except Refused as refused:
            raise FingerpostError(*refused.args) from None

    @property
    def elements(self) -> tuple[tuple[str, str], ...]:
        """Pairs of Application Identifier and value; empty if it has none."""
        return tuple((ai, value) for ai, value in self._known.get("elements", ()))

    @property
    def canonical(self) -> Optional[str]:
        """The canonical Digital Link URI, if there is one."""
        return self._optional("canonical")

    def to(self, form: Form, **options: Unpack[ConvertOptions]) -> str:
        """Returns it in another form."""
        try:
            return toolkit(options, form).convert(self._text)
        except Refused as refused:
            raise FingerpostError(*refused.args) from None

    def __getitem__(self, ai: str) -> str:
        """Returns the value of an Application Identifier."""
        for name, value in self.elements:
            if name == ai:
                return value
        raise KeyError(ai)


class DigitalLink(_Identifier):
    """A GS1 Digital Link URI, from any form of an identifier.

    >>> link = DigitalLink("(01)09520123456788(10)ABC", stem="https://id.example.org")
    >>> link
    DigitalLink('https://id.example.org/01/09520123456788/10/ABC')
    >>> link["10"], link.canonical
    ('ABC', 'https://id.gs1.org/01/09520123456788/10/ABC')
    """

    __slots__ = ()
    _member = "digital_link"
    _form = "digital-link"


class ElementString(_Identifier):
    """An element string with brackets, from any form of an identifier.

    >>> ElementString("]d201095201234567881726123110ABC")
    ElementString('(01)09520123456788(17)261231(10)ABC')
    >>> ElementString("https://example.com/01/09520123456788").elements
    (('01', '09520123456788'),)
    """

    __slots__ = ()
    _member = "element_string"
    _form = "element-string"

    @property
    def hri(self) -> str:
        """The human-readable interpretation, as printed below a barcode."""
        return str(self._known["hri"])


class Epc(_Identifier):
    """An EPC as a tag holds it, from any form of an identifier.

    >>> epc = Epc("(01)09506000134352(21)6789", gcp_length=7, filter=3)
    >>> epc.scheme, epc.urn
    ('SGTIN-96', 'urn:epc:id:sgtin:9506000.013435.6789')
    >>> Epc(epc.hex) == epc
    True
    """

    __slots__ = ()
    _member = "epc_hex"
    _form = "epc-hex"

    @property
    def scheme(self) -> str:
        """The name of the scheme, such as ``SGTIN-96``."""
        return str(self._known["scheme"])

    @property
    def filter(self) -> Optional[int]:
        """The filter value, if the scheme has one."""
        return self._known.get("filter")

    @property
    def urn(self) -> Optional[str]:
        """The pure identity, if the length of the company prefix is known."""
        return self._optional("epc_urn")

    @property
    def tag(self) -> Optional[str]:
        """The EPC Tag URI, if the scheme has one."""
        return self._optional("epc_tag")

    @property
    def hex(self) -> str:
        """The bits as hexadecimal digits."""
        return self._text

    @property
    def base64(self) -> str:
        """The bits as base64url."""
        return str(self._known["epc_base64"])

    @property
    def bits(self) -> int:
        """The number of bits."""
        return int(self._known["epc_bits"])


class _Parsed(_Text):
    """A text that was split into its parts."""

    __slots__ = ()

    def _read(self, found: dict[str, Any]) -> None:
        for fault in found["faults"]:
            span = (fault["span"]["start"], fault["span"]["end"])
            raise FingerpostError(fault["code"], fault["message"], fault["help"], span, found["input"])
        self._set(found["input"], found)

    @property
    def fragment(self) -> Optional[str]:
        """What follows ``#``."""
        return self._optional("fragment")

    @property
    def query(self) -> Optional[str]:
        """What follows ``?``."""
        return self._optional("query")


class Uri(_Parsed):
    """A URI reference and its components (RFC 3986); passwords are shown.

    >>> uri = Uri("https://a.example:8443/b?c#d")
    >>> uri.scheme, uri.host, uri.port, uri.path, uri.query, uri.fragment
    ('https', 'a.example', '8443', '/b', 'c', 'd')
    """

    __slots__ = ()

    def __init__(self, text: str) -> None:
        self._read(toolkit({"show_passwords": True}).uri(text))

    @property
    def scheme(self) -> Optional[str]:
        """The scheme; None for a relative reference."""
        return self._optional("scheme")

    @property
    def authority(self) -> Optional[str]:
        """User information, host and port."""
        return self._optional("authority")

    @property
    def host(self) -> Optional[str]:
        """The host."""
        return self._optional("host")

    @property
    def port(self) -> Optional[str]:
        """The port as it is written."""
        return self._optional("port")

    @property
    def path(self) -> str:
        """The path."""
        return str(self._known["path"])


class Urn(_Parsed):
    """A URN and its parts (RFC 8141); a name that violates the rules of its namespace is refused.

    >>> urn = Urn("URN:ISBN:0-451-45052-3")
    >>> urn.nid, urn.nss, urn.name
    ('ISBN', '0-451-45052-3', 'urn:isbn:0451450523')
    """

    __slots__ = ()

    def __init__(self, text: str) -> None:
        self._read(toolkit({}).urn(text))

    @property
    def nid(self) -> str:
        """The namespace."""
        return str(self._known["nid"])

    @property
    def nss(self) -> str:
        """The name in its namespace."""
        return str(self._known["nss"])

    @property
    def name(self) -> str:
        """The preferred spelling, which equivalent names share."""
        return str(self._known["name"])
