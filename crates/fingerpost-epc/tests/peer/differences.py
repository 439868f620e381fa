"""The known differences between fingerpost-epc and epcpy 0.1.8: which requests they concern, what each answers, and who is right.

Sections are those of EPC Tag Data Standard 2.3. A request is explained by the first difference that applies.
"""

import re
from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Case:
    """A request, and the answers of both, joined by tabs."""

    request: str
    fingerpost: str
    epcpy: str

    def texts(self, request: str = "", fingerpost: str = "", epcpy: str = "") -> bool:
        pairs = [(request, self.request), (fingerpost, self.fingerpost), (epcpy, self.epcpy)]
        return all(re.search(pattern, text) for pattern, text in pairs)

    def bits(self) -> str:
        form, digits = self.request.split("\t")[:2]
        return f"{int(digits, 16):0{len(digits) * 4}b}" if form == "hex" else ""


@dataclass(frozen=True)
class Difference:
    name: str
    right: str
    why: str
    applies: Callable[[Case], bool]


# What an answer begins with: a translation, or a refusal. Identities alone have no Tag URI.
DONE = r"^(?:urn:|\t)"
REFUSED = "^error\t"


def pattern(request: str = "", fingerpost: str = "", epcpy: str = "") -> Callable[[Case], bool]:
    return lambda case: case.texts(request, fingerpost, epcpy)


def has_shifted_end(case: Case) -> bool:
    """Whether six zero bits of an ADI begin inside a character: the part number begins at bit 50."""
    bits = case.bits()
    end = re.search("000000", bits[50:])
    part = re.match("(?:(?!000000).{6})*000000", bits[50:])
    serial = re.match("(?:(?!000000).{6})*000000", bits[50 + part.end():]) if part else None
    shifted = part is None or serial is None or end.end() != part.end()
    rest = bits[50 + part.end():] if part else ""
    return bits.startswith("00111011") and (shifted or re.search("000000", rest).end() != serial.end())


DIFFERENCES = [
    Difference(
        "GDTI-113", "fingerpost",
        "Section 14.2 lists the scheme, deprecated, for tags that exist. epcpy does not know it.",
        pattern("(?i)gdti-113|^hex\t3a", DONE, REFUSED),
    ),
    Difference(
        "extension 0 of an SGLN", "fingerpost",
        "Section 6.3.3: the extension `0` says that there is none, so the element string has no (254). epcpy writes (254)0.",
        pattern("", r"sgln:\d+\.\d*\.0\t\(414\)\d{13}\t", r"sgln:\d+\.\d*\.0\t\(414\)\d{13}\(254\)0\t"),
    ),
    Difference(
        "GLN without extension", "fingerpost",
        "Section 7: (414) alone is the SGLN with the extension `0`. epcpy refuses it.",
        pattern(r"^elements\t\(414\)\d{13}\t", r"\.0\t\(414\)\d{13}\t", REFUSED),
    ),
    Difference(
        "piece or total 99", "fingerpost",
        "The General Specifications allow 01 to 99 in (8006). Section 14.3.8 prints `less than 10^D - 1`, which epcpy follows; its decoding "
        "procedure reads 99.",
        pattern("^(?:tag|hex|identity)\t", r"itip:\d+\.\d+\.(?:99\.\d\d|\d\d\.99)\.", REFUSED),
    ),
    Difference(
        "bits after the end", "epcpy",
        "Section 15 says to cut off what follows a scheme of fixed length. fingerpost refuses bits that are not zero, on purpose: they are "
        "more often a misread tag.",
        pattern("^hex\t", "^error\tNON_ZERO_PADDING$", DONE),
    ),
    Difference(
        "GTIN of a restricted range", "fingerpost",
        "Section 7.3: restricted circulation numbers, coupons and ISSN are no SGTIN. fingerpost reads tags that have one, and writes none, "
        "from a pure identity or an element string either. epcpy does not look at the prefix.",
        pattern("^(?:identity|elements)\t", "^error\tRESTRICTED_PREFIX$", DONE),
    ),
    Difference(
        "reserved bits", "fingerpost",
        "Section 14.6: the last 24 bits of SSCC-96, GSRN-96 and GSRNP-96 are zero. epcpy does not look at them.",
        pattern("(?i)^hex\t(?:31|2d|2e)", "^error\tRESERVED_BITS_NOT_ZERO$", DONE),
    ),
    Difference(
        "reference without digits", "fingerpost",
        "Section 14.3.3: beside a company prefix of twelve digits the reference has no digits, so its bits are zero. epcpy does not look at "
        "them.",
        pattern("^hex\t", "^error\tREFERENCE_OVERFLOW$", r"^urn:epc:tag:[a-z0-9-]+:\d\.\d{12}\.\."),
    ),
    Difference(
        "cut-off variable scheme", "fingerpost",
        "Sections 14.3.5 and 14.6: a text ends with six zero bits, and the serial number of CPI-var has 40 bits. epcpy reads a value from "
        "fewer bits.",
        pattern("(?i)^hex\t(?:3b|3d)", "^error\tTRUNCATED$", DONE),
    ),
    Difference(
        "end of a text of ADI-var", "fingerpost",
        "Section 14.3.5: characters have six bits, and the text ends with a character of zero bits. epcpy takes the first six zero bits "
        "anywhere, such as in `P0` (010000 110000) followed by the end.",
        lambda case: has_shifted_end(case) and not case.texts(fingerpost="^error\t(?!BAD_CHARACTER$)"),
    ),
    Difference(
        "characters after the end of a text", "fingerpost",
        "Section 14.3.2: zero bits follow the text up to the end of the field. epcpy leaves out zero characters wherever they are.",
        pattern("^hex\t", "^error\tDATA_AFTER_TERMINATOR$", DONE),
    ),
    Difference(
        "space in a CAGE code", "fingerpost",
        "Section 14.3.10: a space is in front of five characters only. epcpy removes spaces anywhere.",
        pattern("(?i)^hex\t2f", "^error\tBAD_CAGE$", DONE),
    ),
    Difference(
        "colon in a GIAI", "fingerpost",
        "Section 6.3.5: the reference may have a colon. epcpy cuts it off there.",
        lambda case: case.texts("", r"giai:\d+\.[^\t]*:|^error\t(?:BAD_DIGITS|TOO_LONG|VALUE_TOO_LONG)$", r"id:giai:\d+\.[^\t]*:")
        or case.texts("", r"giai:\d+\.:", REFUSED),
    ),
    Difference(
        "escaped text counted with its escapes", "fingerpost",
        "Section 6.3: the limits of GRAI, GIAI, GDTI and CPI are in characters; an escape is one. epcpy counts three.",
        pattern("", r"id:grai:\d+\.\d*\.(?=[^\t]*%)[^\t]{17}|id:gdti:\d+\.\d*\.(?=[^\t]*%)[^\t]{18}"
                    r"|id:(?:giai|cpi):(?=[^\t]*%)[^\t]{32}", REFUSED),
    ),
    Difference(
        "escape with a letter after an escape or at the start", "fingerpost",
        "Section 6.3.1, table A: `%2F`, `%3C`, `%3E` and `%3F` are escapes as `%22` is. epcpy takes what follows the first escape for the "
        "number of a character, and fails.",
        pattern("", r"(?:\.|%\d\d)%\d[A-F]", "^error\t(?:ValueError|ConvertException|OverflowError)$"),
    ),
    Difference(
        "escape in lower case", "fingerpost",
        "RFC 3986, section 2.1, and section 6.1: `%2f` is `%2F`. epcpy refuses it, or takes it for the characters `%2f`.",
        pattern(r"^(?:tag|identity)\t.*%[23][a-f]", DONE),
    ),
    Difference(
        "escape of another character", "fingerpost",
        "Section 6.3.1: every character of the set can be escaped, and an escape stands for its character. epcpy takes it for three "
        "characters, or refuses it.",
        pattern("^(?:tag|identity)\t.*%(?!22|25|26|2F|3C|3E|3F|23)[0-9A-Fa-f]{2}", "^(?!error\t(?!BAD_CHARACTER$))"),
    ),
    Difference(
        "% that begins no escape", "fingerpost",
        "Section 6.3.1: `%` is written `%25`. epcpy reads it as it is, and writes it again.",
        pattern("^(?:tag|identity)\t.*%(?![0-9A-Fa-f]{2})", "^error\tBAD_ESCAPE$", DONE),
    ),
    Difference(
        "wrong check digit", "fingerpost",
        "Section 7: the check digit is no part of the URN, so it is lost unless it is verified first. epcpy does not verify it.",
        pattern("^elements\t", "^error\tL_INCORRECT_CHECK_DIGIT$", DONE),
    ),
    Difference(
        "piece 00 or beyond the total", "fingerpost",
        "General Specifications, section 3.9: pieces of (8006) are counted from 01 to the total. epcpy does not check that.",
        pattern(r"^elements\t\(8006\)", "^error\tL_(?:ZERO_PIECE_NUMBER|PIECE_NUMBER_EXCEEDS_TOTAL)$", DONE),
    ),
    Difference(
        "serial number 0 of a CPI", "both",
        "Section 6.3.9 allows `0` in a URN. The General Specifications forbid a leading zero in (8011), which fingerpost-gs1 checks when it "
        "reads the element string.",
        pattern(r"^elements\t\(8010\).*\(8011\)0", "^error\tL_ILLEGAL_ZERO_PREFIX$", DONE),
    ),
    Difference(
        "company prefix that is no number", "fingerpost",
        "Section 6.3: a company prefix has digits only. epcpy cuts the value at the length given, whatever is before it.",
        pattern(r"^elements\t\((?:401|8004)\)", "^error\tNO_EPC$", DONE),
    ),
]
