"""What schemathesis cannot know from the description: texts with check digits, and names from registries of others."""

import os
import re

import schemathesis
from hypothesis import strategies as st


def check_digit(digits: str) -> str:
    """The check digit of GS1 General Specifications, section 7.9.1."""
    total = sum(int(d) * (3 if i % 2 == 0 else 1) for i, d in enumerate(reversed(digits)))
    return str(-total % 10)


def with_check_digit(length: int):
    digits = st.text("0123456789", min_size=length - 4, max_size=length - 4)
    return digits.map(lambda rest: "950" + rest).map(lambda text: text + check_digit(text))


keys = st.one_of(
    with_check_digit(13).map(lambda gtin: f"01/0{gtin}"),
    with_check_digit(13).map(lambda gln: f"414/{gln}"),
    with_check_digit(18).map(lambda sscc: f"00/{sscc}"),
)
lots = st.text("ABC123-._", min_size=1, max_size=20).filter(lambda lot: lot.strip("."))
levels = st.one_of(
    keys,
    st.builds(lambda gtin, lot: f"01/0{gtin}/10/{lot}", with_check_digit(13), lots),
)
link_types = st.sampled_from(["gs1:pip", "gs1:hasRetailers", "https://gs1.org/voc/instructions", "alternate"])
targets = st.sampled_from(["https://example.com/p", "https://example.com/{01}", "https://example.org/a?b=c#d"])

schemathesis.openapi.format("gs1-key", levels)
schemathesis.openapi.format("gs1-anchor", levels.map(lambda level: f"/{level}"))
schemathesis.openapi.format("link-type", link_types)
schemathesis.openapi.format("link-target", targets)
schemathesis.openapi.format("media-type", st.sampled_from(["text/html", "application/json"]))
schemathesis.openapi.format("language-tag", st.sampled_from(["de", "pt-BR", "zh-Hant"]))
schemathesis.openapi.format(
    "date-time",
    st.datetimes(
        min_value=__import__("datetime").datetime(1970, 1, 1),
        max_value=__import__("datetime").datetime(9000, 1, 1),
    ).map(lambda at: at.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")),
)


LENGTHS = {"00": 18, "01": 14, "414": 13}


def is_level(text: str) -> bool:
    """Whether a text is a level of the kinds above."""
    found = re.fullmatch(r"/?(00|01|414)/([0-9]+)(/10/[A-C1-3._-]{1,20})?", text)
    if not found or len(found[2]) != LENGTHS[found[1]]:
        return False
    return check_digit(found[2][:-1]) == found[2][-1]


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Has keys made by the format alone: those made from the pattern have wrong check digits."""
    del raw_schema["components"]["schemas"]["LevelKey"]["pattern"]


@schemathesis.hook
def filter_path_parameters(context, path_parameters):
    """Drops keys that have the form of a key and a wrong check digit, and the key of the run, which must not be revoked."""
    if not path_parameters:
        return True
    key = str(path_parameters.get("key", ""))
    has_form = re.fullmatch("/?[0-9]{2,4}/[^/]+(/[0-9]{2,4}/[^/]+)*", key)
    return (not has_form or is_level(key)) and path_parameters.get("id") != os.environ["API_KEY_ID"]


@schemathesis.serializer("application/jsonl")
def json_lines(context, value):
    """Sends a batch as the text that it is."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
