"""The package as programs use it; `command` is the answer of the command line to the same text."""

import json
import os
import pickle
import re
import subprocess
import threading
import unittest
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fingerpost
from fingerpost import DigitalLink, ElementString, Epc, FingerpostError, Uri, Urn

ROOT = Path(__file__).parents[3]
BINARY = os.environ["FINGERPOST_BINARY"]
TAG = "3066c4409047e14000001a85"


def command(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, check=False)


# The same cases in every run, so that a failure is caused by the change.
settings.register_profile("same", derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("same")

# Texts that are nearly identifiers: pieces of them, in any order, with other characters between.
PIECES = st.sampled_from(
    ["(01)", "09520123456788", "(10)", "ABC", "(17)", "261231", "https://id.example.org/", "01/", "/10/", "?3103=001250",
     "]d2", "01", "\x1d", "urn:epc:id:sgtin:", "9520123.045678.", "6789", "3066c4409047e14000001a85", " ", '"', "é", "%"]
)  # fmt: skip
CHARACTERS = st.characters(exclude_categories=("Cs",), exclude_characters="\x00\n\r")
TEXTS = st.lists(st.one_of(PIECES, st.text(CHARACTERS, max_size=3)), min_size=1, max_size=6).map("".join)


class Results(unittest.TestCase):
    def test_values_are_equal_hashable_and_pickled(self) -> None:
        for value in (
            DigitalLink("(01)09520123456788(10)ABC"),
            ElementString("]d201095201234567881726123110ABC"),
            Epc(TAG),
            Uri("https://a.example/b?c#d"),
            Urn("urn:isbn:0-451-45052-3"),
            fingerpost.check("(01)09520123456788(3103)001250"),
            fingerpost.check("1021072911172405310109520123456788"),
            fingerpost.check(TAG),
            fingerpost.label("9520123456788", symbol="ean-13"),
        ):
            again = pickle.loads(pickle.dumps(value))
            self.assertEqual(again, value)
            self.assertEqual(hash(again), hash(value))
            self.assertEqual(repr(again), repr(value))
        self.assertEqual(eval(repr(DigitalLink("9520123456788"))), DigitalLink("(01)09520123456788"))
        self.assertNotEqual(DigitalLink("9520123456788"), ElementString("9520123456788"))
        with self.assertRaises(AttributeError):
            Epc(TAG).anything = 1

    def test_refusals_say_what_where_and_what_next(self) -> None:
        with self.assertRaises(FingerpostError) as caught:
            fingerpost.convert(' "(01)09520123456788(21)6789" ', to="epc-urn")
        error = caught.exception
        self.assertEqual((error.code, error.span), ("GCP_LENGTH_REQUIRED", (0, 26)))
        self.assertEqual(error.input, "(01)09520123456788(21)6789")
        self.assertTrue(error.help and str(error) == error.message)
        self.assertEqual(pickle.loads(pickle.dumps(error)), error)
        for wrong, member in (({"to": "hrii"}, "to"), ({"scheme": "SGTIN"}, "scheme"), ({"gcp_length": 3}, "gcp_length")):
            with self.assertRaisesRegex(ValueError, member):
                arguments: Any = {"to": "hri", **wrong}
                fingerpost.convert("9520123456788", **arguments)
        with self.assertRaisesRegex(ValueError, "unknown field `too`"):
            nothing: Any = {"too": 1}
            fingerpost.check("9520123456788", **nothing)

    def test_labels_are_pictures(self) -> None:
        for form, begin in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            options: Any = {"format": form}
            label = fingerpost.label("(01)09520123456788(10)ABC", symbol="gs1-datamatrix", **options)
            self.assertTrue(label.data.startswith(begin))
            self.assertEqual(label.scan_data, "]d2010952012345678810ABC")
            self.assertGreater(label.width_mm, 5)
        with self.assertRaises(FingerpostError):
            fingerpost.label("(10)ABC", symbol="ean-13")

    def test_types_name_what_the_toolkit_knows(self) -> None:
        known = fingerpost.definition()
        self.assertEqual((*get_args(fingerpost.Form), "json"), known["forms"])
        self.assertEqual(get_args(fingerpost.Accept), known["accept"])
        self.assertEqual(get_args(fingerpost.Symbol), known["symbols"])
        self.assertEqual(get_args(fingerpost.Address), known["addresses"])


class Columns(unittest.TestCase):
    TEXTS = (TAG, None, "9520123456788", "nothing")
    LINKS = ("https://id.gs1.org/01/09506000134352/21/6789", None, "https://id.gs1.org/01/09520123456788", None)

    def test_lists_series_and_arrow_are_columns(self) -> None:
        for column in (list(self.TEXTS), iter(self.TEXTS), pd.Series(self.TEXTS), pa.array(self.TEXTS)):
            found = fingerpost.convert_many(column, to="digital-link", errors="none", threads=2)
            self.assertEqual(tuple(found), self.LINKS)
        checked = fingerpost.check_many(pd.Series(self.TEXTS), threads=2)
        self.assertEqual([one if one is None else one.valid for one in checked], [True, None, True, False])
        self.assertEqual(checked[0], fingerpost.check(TAG))
        with self.assertRaises(FingerpostError):
            fingerpost.convert_many(self.TEXTS, to="digital-link")
        errors = fingerpost.convert_many(self.TEXTS, to="digital-link", errors="return")
        self.assertIsInstance(errors[3], FingerpostError)

    def test_columns_of_arrow_are_read_in_place(self) -> None:
        long = "(01)09520123456788(10)" + "A" * 20
        texts = [TAG, None, "9520123456788", "", "é", long, "(01)09520123456788(21)7"] * 40
        wanted = fingerpost.convert_many(texts, to="digital-link", errors="none")
        forms = (pa.string(), pa.large_string(), pa.string_view())
        columns: list[Any] = [pa.array(texts, form) for form in forms]
        # Parts of a column, columns in chunks, and what pandas keeps in Arrow.
        columns += [pa.concat_arrays([pa.array(["x", None], form), pa.array(texts, form)])[2:] for form in forms[:2]]
        columns += [pa.chunked_array([pa.array(texts[:9], form), pa.array([], form), pa.array(texts[9:], form)]) for form in forms]
        columns += [pd.Series(texts, dtype=pd.ArrowDtype(pa.string())), pd.Series(texts, dtype="str")]
        for column in columns:
            arrow = column.array.__arrow_array__() if isinstance(column, pd.Series) else column
            self.assertIsInstance(fingerpost._native.ArrowColumn.of(arrow), fingerpost._native.ArrowColumn)
            for threads in (1, 3):
                self.assertEqual(fingerpost.convert_many(column, to="digital-link", errors="none", threads=threads), wanted)
        self.assertEqual(fingerpost.convert_many(pa.array([], pa.string()), to="hri"), [])
        self.assertEqual(fingerpost.convert_many(pa.array([None], pa.null()), to="hri"), [None])
        self.assertEqual(fingerpost.convert_many(pa.array(texts).dictionary_encode(), to="digital-link", errors="none"), wanted)
        self.assertEqual(fingerpost.convert_many(pd.Series(texts, dtype="object"), to="digital-link", errors="none"), wanted)
        with self.assertRaises(TypeError):
            fingerpost.convert_many(pa.array([1]), to="hri")

    def test_streams_of_arrow_are_read_once(self) -> None:
        class Stream:
            def __init__(self, source: Any) -> None:
                self.capsule = source.__arrow_c_stream__()

            def __arrow_c_stream__(self, requested: object = None) -> object:
                return self.capsule

        stream = Stream(pa.chunked_array([[TAG], [None, "x"]]))
        self.assertEqual(fingerpost.convert_many(stream, to="digital-link", errors="none"), [self.LINKS[0], None, None])
        with self.assertRaisesRegex(ValueError, "read before"):
            fingerpost.convert_many(stream, to="digital-link")
        self.assertIsNone(fingerpost._native.ArrowColumn.of(pa.table({"tag": [TAG]})))

    def test_threads_keep_the_order(self) -> None:
        texts = [f"(01)09520123456788(21){serial}" for serial in range(10_001)]
        links = [f"https://id.gs1.org/01/09520123456788/21/{serial}" for serial in range(10_001)]
        for threads in (0, 1, 3, 64):
            self.assertEqual(fingerpost.convert_many(texts, to="digital-link", threads=threads), links)

    def test_other_threads_run_meanwhile(self) -> None:
        texts = [f"(01)09520123456788(21){serial}" for serial in range(200_000)]
        turns, done = 0, threading.Event()

        def convert() -> None:
            fingerpost.convert_many(texts, to="canonical", threads=1)
            done.set()

        worker = threading.Thread(target=convert)
        worker.start()
        while not done.wait(0.001):
            turns += 1
        worker.join()
        # With the lock held, there would be one turn before and one after.
        self.assertGreater(turns, 10)


class BesideTheCommand(unittest.TestCase):
    def assert_same(self, text: str) -> None:
        found = command("check", "--format", "json", "--", text)
        expected: Any = json.loads(found.stdout) if found.stdout else None
        if text == "-" or expected is None:
            return
        self.assertEqual(plain(fingerpost.check(text)), normal(expected))
        for to in ("digital-link", "epc-hex", "hri"):
            found = command("convert", "--to", to, "--gcp-length", "7", "--", text)
            options: Any = {"to": to, "gcp_length": 7}
            try:
                self.assertEqual(fingerpost.convert(text, **options) + "\n", found.stdout)
            except FingerpostError as error:
                self.assertEqual(found.stdout, "", text)
                # The command shows the message on one line.
                said = re.search(r"error\[(\w+)\]", found.stderr)
                self.assertEqual(said and said[1], error.code, found.stderr)

    @settings(max_examples=int(os.environ.get("EXAMPLES", "60")))
    @given(TEXTS)
    def test_any_text_has_the_answer_of_the_command(self, text: str) -> None:
        self.assert_same(text)

    @settings(max_examples=400)
    @given(st.text(max_size=60))
    def test_any_text_has_an_answer(self, text: str) -> None:
        try:
            encoded = text.encode()
        except UnicodeEncodeError:
            self.assertRaises(UnicodeEncodeError, fingerpost.check, text)
            return
        for fault in fingerpost.check(text).faults:
            self.assertTrue(0 <= fault.span[0] <= fault.span[1] <= len(encoded) * 3, text)

    @given(st.text("0123456789ABCdef-", min_size=1, max_size=20))
    def test_what_is_written_is_read_back(self, serial: str) -> None:
        item = ElementString(f"(01)09520123456788(21){serial}")
        self.assertEqual(ElementString(str(DigitalLink(str(item)))), item)
        self.assertEqual(item["21"], serial)
        self.assertEqual(ElementString(str(Epc(str(item), gcp_length=7))), item)


def plain(check: Any) -> Any:
    """Returns a result as the JSON that it was made from."""
    if hasattr(check, "__dataclass_fields__"):
        return {name: plain(getattr(check, name)) for name in check.__dataclass_fields__}
    if isinstance(check, dict):
        return {name: plain(value) for name, value in check.items()}
    return [plain(one) for one in check] if isinstance(check, tuple) else check


def normal(value: Any, name: str = "") -> Any:
    """Returns JSON of the command as the results have it: all members, spans as pairs."""
    if name == "span":
        return [value["start"], value["end"]]
    if isinstance(value, list):
        return [normal(one) for one in value]
    if not isinstance(value, dict) or name == "meaning":
        return value
    members = {member: normal(one, member) for member, one in value.items()}
    kinds = {"kind": ("item", "perhaps_meant", "why", "epc", "symbology"), "ai": ("meaning",), "hri": ("medicine", "weight_code")}
    if name == "epc":
        kinds = {"": ()}
        members = {**dict.fromkeys(fingerpost.EpcFacts.__dataclass_fields__), **members}
    for marker, optional in kinds.items():
        if marker in members:
            members = {**dict.fromkeys(optional), **members}
    return members


if __name__ == "__main__":
    unittest.main()
