"""Compares fingerpost-epc with epcpy, and fails on each difference that `differences.py` does not list: `.ci/epc-peer`.

Usage: compare.py TRANSLATE_LINES, the program of the example.
"""

import re
import subprocess
import sys
import warnings
from collections import Counter

# Texts of epcpy have `\d` in ordinary strings.
warnings.simplefilter("ignore")

import peer
import values
from differences import DIFFERENCES, Case

SHOWN = 20


def main(program: str) -> int:
    known = Known()
    compared, equal, unknown = Counter(), Counter(), []
    for form, requests in stages(program):
        for request, (own, other) in requests.items():
            compared[form] += 1
            if plain(own) == plain(other):
                equal["refused" if own[0] == "error" else "translated"] += 1
            elif not known.explains(request, own, other):
                unknown.append((request, own, other))
    for request, own, other in unknown[:SHOWN]:
        print(f"{' '.join(request)}\n  fingerpost: {' | '.join(own)}\n  epcpy:      {' | '.join(other)}")
    for name in known.unused():
        print(f"differences.py lists {name!r}, which does not occur")
    total = sum(compared.values())
    print(f"{total} requests ({', '.join(f'{count} {form}' for form, count in compared.items())}): "
          f"both translate {equal['translated']} alike and refuse {equal['refused']}; {known.uses.total()} known differences of "
          f"{len(DIFFERENCES)} kinds; {len(unknown)} unknown differences")
    return 1 if unknown or known.unused() else 0


def stages(program: str):
    """Yields the requests of each form with both answers. The later ones are made from the answers to the first."""
    draw = values.Draw("requests")
    uris = list(values.tag_uris())
    tags = compare(program, [("tag", text) for uri in uris for text in (uri, values.damaged(uri, draw))])
    yield "tag", tags

    both = [answer for answers in tags.values() for answer in answers if answer[0] != "error"]
    digits = [answer[3] for answer in both]
    digits += [values.damaged_bits(text, draw) for text in digits] + list(values.random_bits())
    yield "hex", compare(program, [("hex", text) for text in digits])

    names = [answer[1] for answer in both] + list(values.identities())
    # Of every identity also the encoding in a scheme of its key, often in one that is too small.
    schemes = [("identity", answer[1], scheme, values.filter_value(draw, scheme))
               for answer in both for scheme in [draw.one(schemes_of(answer[0]))]]
    damaged = [("identity", values.damaged(name, draw)) for name in names]
    identities = compare(program, [*(("identity", name) for name in names), *damaged, *schemes])
    yield "identity", identities

    found = [(answer[2].replace("\\(", "("), prefix_length(answer[1])) for answers in identities.values() for answer in answers
             if answer[0] != "error" and answer[2]]
    texts = [("elements", text, str(length)) for text, length in found]
    texts += [("elements", text, str(6 + draw.below(7))) for text, _ in found]
    texts += [("elements", values.damaged(text, draw), str(length)) for text, length in found]
    yield "elements", compare(program, texts)


def compare(program: str, requests) -> dict:
    """Returns the answers of both to each request, once."""
    requests = list(dict.fromkeys(requests))
    lines = "".join("\t".join(bracketed(request)) + "\n" for request in requests)
    answers = subprocess.run([program], input=lines, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    own = [tuple(line.split("\t")) for line in answers.removesuffix("\n").split("\n")]
    assert len(own) == len(requests), f"{len(requests)} requests, {len(own)} answers"
    return {request: (own, peer.answer(request)) for request, own in zip(requests, own, strict=True)}


def bracketed(request: tuple[str, ...]) -> tuple[str, ...]:
    """A `(` in a value is escaped in the bracketed form of GS1's syntax engine, which epcpy does not have."""
    if request[0] != "elements":
        return request
    ai = r"\((?:00|01|10|21|235|253|254|255|401|402|414|417|8003|8004|8006|8010|8011|8017|8018)\)"
    parts = re.split(f"({ai})", request[1])
    return (request[0], "".join(part if re.fullmatch(ai, part) else part.replace("(", "\\(") for part in parts), *request[2:])


def plain(answer: tuple[str, ...]) -> tuple[str, ...]:
    """The answer without what may differ: the reason of an error, the escape of `(`, and zero bits up to a full word."""
    if answer[0] == "error":
        return ("error",)
    tag, identity, elements, digits = answer
    return (tag, identity, elements.replace("\\(", "("), digits.lower() + "0" * (-len(digits) % 4))


def schemes_of(tag_uri: str) -> list[str]:
    key = tag_uri.split(":")[3].split("-")[0]
    return [scheme for scheme in values.TAGS if scheme.split("-")[0] == key]


def prefix_length(identity: str) -> int:
    return len(identity.split(":")[4].split(".")[0])


class Known:
    """Counts which known differences occur."""

    def __init__(self) -> None:
        self.uses = Counter()

    def explains(self, request, own, other) -> bool:
        case = Case("\t".join(request), "\t".join(own), "\t".join(other))
        found = next((difference for difference in DIFFERENCES if difference.applies(case)), None)
        if found:
            self.uses[found.name] += 1
        return found is not None

    def unused(self) -> list[str]:
        return [difference.name for difference in DIFFERENCES if not self.uses[difference.name]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
