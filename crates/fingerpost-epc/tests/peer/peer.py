"""Answers the requests of the example `translate_lines` with epcpy."""

import importlib

from epcpy import ConvertException
from epcpy.epc_schemes.base_scheme import GS1Element, TagEncodable
from epcpy.utils.parsers import (
    epc_pure_identity_to_scheme,
    epc_pure_identity_to_tag_encodable,
    gs1_element_string_to_gs1_element,
    hex_to_tag_encodable,
    tag_uri_to_tag_encodable,
)

# The bits of the filter value, of schemes whose filter value does not have three.
FILTER_BITS = {"gid-96": 0, "usdod-96": 4, "adi-var": 6}


def answer(request: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return translate(*request)
    except ConvertException:
        return ("error", "ConvertException")
    # It does not promise another exception, but some inputs raise one. A refusal it is all the same.
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        return ("error", type(error).__name__)


def translate(form: str, text: str, *more: str) -> tuple[str, ...]:
    if form == "hex":
        epc = hex_to_tag_encodable(text)
        bits = f"{int(text, 16):0{len(text) * 4}b}"
        scheme = epc.header_to_schemes()[bits[:8]].value
        width = FILTER_BITS.get(scheme, 3)
        return of_epc(epc, scheme, str(int(bits[8:8 + width], 2)) if width else "")
    if form == "tag":
        scheme, components = text.split(":", 4)[3:]
        return of_epc(tag_uri_to_tag_encodable(text), scheme, components.split(".")[0])
    if form == "identity" and more:
        return of_epc(epc_pure_identity_to_tag_encodable(text), *more)
    if form == "identity":
        return of_identity(epc_pure_identity_to_scheme(text))
    return of_identity(gs1_element_string_to_gs1_element(text, int(more[0])))


def of_epc(epc: TagEncodable, scheme: str, filter_value: str) -> tuple[str, ...]:
    arguments = {"binary_coding_scheme": epc.BinaryCodingScheme(scheme)}
    if FILTER_BITS.get(scheme, 3):
        name = type(epc).__name__
        values = getattr(importlib.import_module(f"epcpy.epc_schemes.{name.lower()}"), f"{name}FilterValue")
        arguments["filter_value"] = values(filter_value)
    _, identity, elements, _ = of_identity(epc)
    return (epc.tag_uri(**arguments), identity, elements, epc.hex(**arguments))


def of_identity(epc) -> tuple[str, ...]:
    elements = epc.gs1_element_string() if isinstance(epc, GS1Element) else ""
    return ("", epc.epc_uri, elements, "")
