"""Generates requests about EPCs of every classic scheme, the same ones in every run: EPC Tag Data Standard 2.3, sections 6, 12 and 14."""

import random

SEED = 20261121
PER_SCHEME = 150

# The characters of GS1 AI encodable character set 82, and those that a URN has to escape (section 5.4, table A).
ALPHANUMERIC = "!\"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
COMPONENT_PART = "#-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PART_NUMBER = "-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CAGE = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
ESCAPED = "\"#%&/<>?"


class Draw:
    """Random choices that depend on the seed only: of `random`, Python keeps just the sequence of `random()`."""

    def __init__(self, seed: object) -> None:
        self.source = random.Random(f"{SEED} {seed}")

    def below(self, count: int) -> int:
        return int(self.source.random() * count)

    def one(self, choices):
        return choices[self.below(len(choices))]

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent

    def digits(self, length: int) -> str:
        return "".join(str(self.below(10)) for _ in range(length))

    def integer(self, limit: int) -> str:
        """A number below `limit`, rarely one beyond, often at an end."""
        ends = [0, 1, limit - 1, limit, int(self.source.random() * limit)]
        return str(self.one(ends) if self.chance(40) else self.below(min(limit, 10 ** (1 + self.below(13)))))

    def number_text(self, longest: int) -> str:
        return self.digits(1 + self.below(longest))

    def text(self, longest: int, characters: str = ALPHANUMERIC, shortest: int = 1) -> str:
        """A text, as a URN has it; rarely one that is a character too long."""
        length = longest + self.chance(3) if self.chance(20) else shortest + self.below(longest - shortest + 1)
        return escape("".join(self.one(characters) for _ in range(length)))


def escape(text: str) -> str:
    return "".join(f"%{ord(char):02X}" if char in ESCAPED else char for char in text)


def prefix(draw: Draw, rest: int) -> list[str]:
    """A company prefix of 6 to 12 digits, and the reference that fills it up to `rest` digits."""
    length = 6 + draw.below(7)
    return [draw.digits(length), draw.digits(rest - length)]


def asset(draw: Draw, characters: str, total: int) -> list[str]:
    company = draw.digits(6 + draw.below(7))
    return [company, draw.text(total - len(company), characters)]


def small_asset(draw: Draw) -> list[str]:
    """The reference of GIAI-96: a number of 82 - 40 to 82 - 20 bits, section 14.6."""
    length = 6 + draw.below(7)
    bits = {12: 42, 11: 45, 10: 48, 9: 52, 8: 55, 7: 58, 6: 62}[length]
    return [draw.digits(length), draw.integer(1 << bits)]


def small_part(draw: Draw) -> list[str]:
    """The reference of CPI-96: a number of 11 to 31 bits, section 14.6."""
    length = 6 + draw.below(7)
    bits = {12: 11, 11: 14, 10: 17, 9: 21, 8: 24, 7: 27, 6: 31}[length]
    return [draw.digits(length), draw.integer(1 << bits), draw.integer(1 << 31)]


def pieces(draw: Draw) -> list[str]:
    total = 1 + draw.below(99)
    return [f"{1 + draw.below(total):02}", f"{total:02}"]


def cage(draw: Draw) -> str:
    return "".join(draw.one(CAGE) for _ in range(5 + draw.below(2)))


# Binary scheme: largest filter value (None without), and its components in the order of the Tag URI.
TAGS = {
    "sgtin-96": (7, lambda d: [*prefix(d, 13), d.integer(1 << 38)]),
    "sgtin-198": (7, lambda d: [*prefix(d, 13), d.text(20)]),
    "sscc-96": (7, lambda d: prefix(d, 17)),
    "sgln-96": (7, lambda d: [*prefix(d, 12), d.integer(1 << 41)]),
    "sgln-195": (7, lambda d: [*prefix(d, 12), d.text(20)]),
    "grai-96": (7, lambda d: [*prefix(d, 12), d.integer(1 << 38)]),
    "grai-170": (7, lambda d: [*prefix(d, 12), d.text(16)]),
    "giai-96": (7, small_asset),
    "giai-202": (7, lambda d: asset(d, ALPHANUMERIC, 30)),
    "gsrn-96": (7, lambda d: prefix(d, 17)),
    "gsrnp-96": (7, lambda d: prefix(d, 17)),
    "gdti-96": (7, lambda d: [*prefix(d, 12), d.integer(1 << 41)]),
    "gdti-113": (7, lambda d: [*prefix(d, 12), d.number_text(17)]),
    "gdti-174": (7, lambda d: [*prefix(d, 12), d.text(17)]),
    "cpi-96": (7, small_part),
    "cpi-var": (7, lambda d: [*asset(d, COMPONENT_PART, 30), d.integer(10**12)]),
    "sgcn-96": (7, lambda d: [*prefix(d, 12), d.number_text(12)]),
    "itip-110": (7, lambda d: [*prefix(d, 13), *pieces(d), d.integer(1 << 38)]),
    "itip-212": (7, lambda d: [*prefix(d, 13), *pieces(d), d.text(20)]),
    "gid-96": (None, lambda d: [d.integer(1 << 28), d.integer(1 << 24), d.integer(1 << 36)]),
    "usdod-96": (15, lambda d: [cage(d), d.integer(1 << 36)]),
    "adi-var": (63, lambda d: [cage(d), d.text(32, PART_NUMBER, 0), d.one(["", "%23"]) + d.text(29, PART_NUMBER)]),
}

# Schemes that only event data have.
IDENTITIES = {
    "urn:epc:class:lgtin": lambda d: [*prefix(d, 13), d.text(20)],
    "urn:epc:id:upui": lambda d: [*prefix(d, 13), d.text(28)],
    "urn:epc:id:pgln": lambda d: prefix(d, 12),
    "urn:epc:id:ginc": lambda d: asset(d, ALPHANUMERIC, 30),
    "urn:epc:id:gsin": lambda d: prefix(d, 16),
    "urn:epc:id:bic": lambda d: [d.one(["CSQ", "ABC", "AIO"]) + d.one("JUZ") + d.digits(7)],
    "urn:epc:id:imovn": lambda d: [d.digits(7)],
}


def filter_value(draw: Draw, scheme: str) -> str:
    """A filter value, rarely one that is too large; `0` for a scheme without."""
    filter_max, _ = TAGS[scheme]
    return "0" if filter_max is None else str(draw.below(filter_max + 1 + draw.chance(3)))


def tag_uris():
    for scheme, (filter_max, components) in TAGS.items():
        draw = Draw(scheme)
        for _ in range(PER_SCHEME):
            start = [] if filter_max is None else [filter_value(draw, scheme)]
            yield f"urn:epc:tag:{scheme}:" + ".".join(start + components(draw))


def identities():
    for start, components in IDENTITIES.items():
        draw = Draw(start)
        for _ in range(PER_SCHEME):
            yield f"{start}:" + ".".join(components(draw))


def damaged(text: str, draw: Draw) -> str:
    """The text with a character changed, inserted or removed, or with its escapes in lower case."""
    at = len("urn:epc:id:") + draw.below(len(text) - len("urn:epc:id:"))
    character = draw.one("0123456789.%AaZ-:# é")
    return draw.one([
        text[:at] + character + text[at + 1:],
        text[:at] + character + text[at:],
        text[:at] + text[at + 1:],
        "".join(f"%{part[:2].lower()}{part[2:]}" if nth else part for nth, part in enumerate(text.split("%"))),
    ])


def damaged_bits(digits: str, draw: Draw) -> str:
    """The bits with one changed, cut off at the end, or followed by others."""
    bits = f"{int(digits, 16):0{len(digits) * 4}b}"
    at = 8 + draw.below(len(bits) - 8)
    changed = f"{int(bits[:at] + str(1 - int(bits[at])) + bits[at + 1:], 2):0{len(digits)}x}"
    return draw.one([changed, changed, changed, digits[:-4], digits + "0000", digits + "0001", digits.upper()])


def random_bits():
    headers = [f"{header:02x}" for header in range(0x2C, 0x42)]
    draw = Draw("bits")
    for header in headers:
        for _ in range(PER_SCHEME // 3):
            # Short variable fields need zero bits to end at, so some words are zero.
            words = ["0000" if draw.chance(30) else f"{draw.below(1 << 16):04x}" for _ in range(5 + draw.below(25))]
            yield header + f"{draw.below(256):02x}" + "".join(words)
