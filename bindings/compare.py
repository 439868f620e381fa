"""Compares the bindings and the API with the command on every input of testdata, and on what they say they know.

    compare.py FOLDER        FOLDER holds the programs that .ci/bindings built
"""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path
from typing import Any, Callable

from fingerpost import _native

ROOT = Path(__file__).parents[1]
FOLDER = Path(sys.argv[1])
BINARY = os.environ["FINGERPOST_BINARY"]
CONVERSIONS: list[dict[str, Any]] = [
    {"to": form} for form in ("digital-link", "canonical", "element-string", "hri", "epc-link", "compressed", "json")
] + [{"to": form, "gcp_length": 7, "filter": 1} for form in ("epc-urn", "epc-tag", "epc-hex", "epc-base64")]
CONVERSIONS.append({"to": "digital-link", "accept": ["lenient"], "stem": "https://id.example.org"})


def strings(value: Any) -> "list[str]":
    """Returns all strings in JSON."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]


def corpus() -> "list[str]":
    """Returns the inputs of real-inputs.json, and the strings of the vectors: what is no input is refused by all alike."""
    texts = [case["input"] for case in json.loads((ROOT / "testdata/real-inputs.json").read_text())["cases"]]
    for name in ("gs1-vectors", "epc-vectors", "uri-urn-vectors"):
        texts += strings(json.loads((ROOT / f"testdata/{name}.json").read_text()))
    # An argument of the command cannot hold NUL, lines cannot hold line breaks, and `-` is standard input.
    usable = (text for text in texts if text != "-" and not set(text) & set("\0\n\r") and len(text) < 4000)
    return list(dict.fromkeys(usable))


def command(function: str, options: "dict[str, Any]", texts: "list[str]") -> "list[Any]":
    """Returns the answers of the command; for conversions None where it refuses."""
    arguments = {"check": ["check", "--format", "json"], "uri": ["uri", "parse", "--format", "json"]}
    arguments |= {"urn": ["urn", "parse", "--format", "json"], "convert": ["convert"]}
    flags = [f"--{name.replace('_', '-')}={value}" for name, values in options.items()
             for value in (values if isinstance(values, list) else [values])]  # fmt: skip
    found: list[Any] = []
    if function == "convert":
        done = subprocess.run([BINARY, "convert", *flags, "-"], input="\n".join(texts) + "\n", capture_output=True, text=True)
        assert done.returncode < 2, done.stderr
        lines = done.stdout.removesuffix("\n").split("\n")
        assert len(lines) == len(texts), (len(lines), len(texts), done.stderr[-500:])
        return [line and (json.loads(line) if options["to"] == "json" else line) or None for line in lines]
    for at in range(0, len(texts), 500):
        part = texts[at : at + 500]
        done = subprocess.run([BINARY, *arguments[function], *flags, "--", *part], capture_output=True, text=True)
        found += map(json.loads, done.stdout.splitlines())
    assert len(found) == len(texts), (function, len(found), len(texts))
    return found


def answers_of(program: "list[str]") -> "Callable[[str, dict[str, Any], list[str]], list[Any]]":
    """Returns the answers of a program that reads texts that end in NUL and prints a line for each."""

    def answers(function: str, options: "dict[str, Any]", texts: "list[str]") -> "list[Any]":
        call = [part.format(function=function) for part in program] + [json.dumps(options)]
        done = subprocess.run(call, input="".join(text + "\0" for text in texts).encode(), capture_output=True, check=True)
        lines = list(map(json.loads, done.stdout.splitlines()))
        assert len(lines) == len(texts), (program, len(lines), len(texts))
        return lines if function != "convert" else [line.get("result") for line in lines]

    return answers


def python(function: str, options: "dict[str, Any]", texts: "list[str]") -> "list[Any]":
    """Returns the answers of the native module of the Python package."""
    toolkit = _native.Toolkit(json.dumps(options))
    if function == "convert":
        found, _ = toolkit.convert_many(texts, 1)
        lines = [None if isinstance(one, _native.Refused) else one for one in found]
        return [line and json.loads(line) for line in lines] if options["to"] == "json" else lines
    # Tuples become lists.
    return [json.loads(json.dumps(getattr(toolkit, function)(text))) for text in texts]


def api(texts: "list[str]") -> "list[Any]":
    """Returns the answers of `GET /v1/check` of a server."""
    with tempfile.TemporaryDirectory() as folder:
        data, config = ["--data", f"{folder}/data"], Path(folder, "fingerpost.toml")
        # A busy machine is to answer late rather than with 503.
        config.write_text('[admin]\nlisten = "127.0.0.1:0"\n[limits]\nshed_after = "10m"\n')
        serve = [BINARY, "serve", "--config", str(config), *data, "--listen", "127.0.0.1:0"]
        with Path(folder, "log").open("w") as log, subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=log, text=True) as server:
            try:
                said = (re.match(r"admin listening on http://([^/\s]+)", line) for line in server.stdout or ())
                address = next(found[1] for found in said if found)
                key = [BINARY, "admin", "key", *data, "--label", "compare", "--verb", "read", "--format", "json"]
                token = json.loads(subprocess.check_output(key))["token"]
                connection = http.client.HTTPConnection(address)
                answers = []
                for text in texts:
                    path = "/v1/check?" + urllib.parse.urlencode({"text": text})
                    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
                    answers.append(json.loads(connection.getresponse().read()))
                return answers
            finally:
                server.terminate()


def differences_of_api(texts: "list[str]") -> "list[str]":
    """Returns where the API judges a text otherwise than the command, or names a form otherwise than before."""
    wrong: list[str] = []
    kinds: dict[str, str] = {}
    for text, found, right in zip(texts, api(texts), command("check", {}, texts)):
        codes = [[fault["code"] for fault in one.get("faults", ())] for one in (found, right)]
        # Only the command reads what is between < and >; only the API reads paths of levels without a slash, and keys of sets of levels.
        is_other = text.startswith("<") or re.match(r"[0-9]{2,}/", text) or found.get("form") == "anchor"
        if found.get("valid") != right["valid"] or codes[0] != codes[1] and not is_other:
            wrong.append(f"API {text!r}:\n  command {right}\n  API {found}")
        elif not is_other and kinds.setdefault(right["kind"], found["form"]) != found["form"]:
            wrong.append(f"API {text!r}: {right['kind']} is {found['form']!r}, elsewhere {kinds[right['kind']]!r}")
    if len(kinds) < 15 or len(kinds) != len(set(kinds.values())):
        wrong.append(f"the API names forms {kinds}")
    return wrong


def main() -> None:
    texts = corpus()
    assert len(texts) > 1500, len(texts)
    c = str(FOLDER / "shared")
    js = ["node", str(FOLDER / "js/tests/lines.mjs")]
    bindings = {"Python": python, "C": answers_of([c, "call", "{function}"]), "JavaScript": answers_of([*js, "{function}"])}
    go = answers_of([str(FOLDER / "go")])
    known = {"Python": _native.definition()}
    known |= {name: json.loads(subprocess.check_output([*call, "definition"])) for name, call in (("C", [c]), ("JavaScript", js))}
    wrong = differences_of_api(texts)
    for name, one in known.items():
        if json.loads(json.dumps(one)) != json.loads(json.dumps(known["Python"])):
            wrong.append(f"{name} knows {one}")
    help_text = subprocess.check_output([BINARY, "convert", "--help"], text=True)
    for word in (*known["Python"]["forms"], *known["Python"]["accept"]):
        if f"- {word}:" not in help_text:
            wrong.append(f"the command does not know {word}")
    count = 0
    calls = [("check", {}), ("check", {"accept": ["lost-separators", "labels"]}), ("uri", {}), ("urn", {})]
    for function, options in [*calls, *(("convert", options) for options in CONVERSIONS)]:
        expected = command(function, options, texts)
        others = {**bindings, "Go": go} if function == "convert" else bindings
        for name, answers in others.items():
            for text, right, found in zip(texts, expected, answers(function, options, texts)):
                count += 1
                right = in_units(right) if name == "JavaScript" and function != "convert" else right
                if named(right) != named(found):
                    wrong.append(f"{name} {function} {options} {text!r}:\n  command {right}\n  binding {found}")
    if wrong:
        print("\n".join(wrong[:20]))
        sys.exit(f"{len(wrong)} of {count} answers differ from those of the command")
    print(f"{', '.join(bindings)}, Go and the API: {count} answers on {len(texts)} texts, all as those of the command")


def in_units(answer: Any) -> Any:
    """Returns an answer in which spans count units of UTF-16, as those of JavaScript, not bytes of UTF-8."""
    text = answer["input"].encode()

    def unit(at: int) -> int:
        # A fault at the end of a text may have a span after it.
        return len(text[:at].decode(errors="ignore").encode("utf-16-le")) // 2 + max(at - len(text), 0)

    def converted(value: Any) -> Any:
        if isinstance(value, list):
            return [converted(one) for one in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {"start", "end"}:
            # A span that ends within a character includes it.
            end = next(end for end in range(value["end"], value["end"] + 4) if text[end : end + 1] < b"\x80" or text[end : end + 1] > b"\xbf")
            return {"start": unit(value["start"]), "end": unit(end)}
        return {name: converted(one) for name, one in value.items()}

    return converted(answer)


def named(value: Any) -> Any:
    """Returns an answer in which advice names options as bindings do, `accept labels`, not as the command, `--accept labels`."""
    return json.loads(json.dumps(value).replace("--accept", "accept"))


main()
