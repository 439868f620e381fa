//! `uri` and `urn`: the shared vectors through the built program, exit statuses, and the wording
//! for people, which is in `tests/golden`.

use crate::support;

use fingerpost_uri::Typed;
use serde_json::{Value, json};
use support::{Run, Sandbox, expect_golden, run, run_with_input};

/// One command line for each layout of the text. Their values are judged by the vectors.
const URI: [&[&str]; 14] = [
    &["uri", "parse", "https://u:p@[2001:db8::1]:8443/a/b?x=1#top", "//h?#"],
    &["uri", "parse", "http://a/[x]", "\u{1b}[31mred\u{202e}"],
    &["uri", "resolve", "a", "b c"],
    &["uri", "normalise", "HTTP://EXAMPLE.com:80/a/./b/../%7Ejane%2f"],
    &["uri", "normalise", "urn:foo:%41"],
    &["uri", "compare", "http://a", "http://a:80/"],
    &["uri", "compare", "http://a/#x", "http://a/#y"],
    &["uri", "compare", "http://a b", "%"],
    &["uri", "parse", "<URL:http://u:p@h/a\n b>", "http://u:p@h/a b"],
    &["uri", "build", "--scheme", "https", "--host", "h", "--segment", "a/b", "--pair", "c=d&e"],
    &["uri", "www", "parse", "ftp://u:p@h/a/b%20c?d+e#", "http://h/a\\b"],
    &["uri", "www", "resolve", "magic://a/b/c//d/e/f", "///g"],
    &["uri", "www", "compare", "http://h/a%2Db", "http://h/a-b#"],
    &["uri", "www", "partial", "magic://a/b/c//d/e/f", "magic://a/b/c//d/g"],
];

/// As above, for `urn`.
const URN: [&[&str]; 9] = [
    &[
        "urn",
        "parse",
        "urn:isbn:0-451-45052-3",
        "urn:foo:a?s=I2L&s=I2R&c=",
        "urn:example:a/b?+r?=q#f",
    ],
    &["urn", "parse", "foo:", "urn:isbn:0451450520"],
    &["urn", "compare", "urn:isbn:0-451-45052-3", "URN:ISBN:0451450523"],
    &["urn", "compare", "urn:foo:a,b", "urn:foo:a%2Cb"],
    &["urn", "key", "urn:isbn:978-0-451-45052-4"],
    &["urn", "key", "urn:oid:1.2"],
    &["urn", "key", "urn:isbn:0451450520"],
    &["urn", "build", "example", "café 50%"],
    &["urn", "build", "isbn", "1"],
];

#[test]
fn answers_are_worded_as_reviewed() {
    expect_golden("uri", &URI.map(transcript).concat());
    expect_golden("urn", &URN.map(transcript).concat());
}

/// The command line, what it printed, its messages, its exit status.
fn transcript(words: &[&str]) -> String {
    let Run { status, stdout, stderr } = run(words);
    let status = status.expect("the program ends by itself");
    format!("$ {}\n{stdout}{stderr}[{status}]\n\n", words.join(" ").escape_debug())
}

/// `resolve` prints the target and nothing else; `normalise` ends with the result.
#[test]
fn scripts_can_rely_on_lines() {
    let target = run(["uri", "resolve", "http://a/b/c/d;p?q", "../../../g"]).expect_status(0);
    assert_eq!((&*target.stdout, &*target.stderr), ("http://a/g\n", ""));
    let refused = run(["uri", "resolve", "http://a/", "b c"]).expect_status(1);
    assert_eq!(refused.stdout, "", "no target, no text");
    let normal = run(["uri", "normalise", "HTTP://A:80"]).expect_status(0).stdout;
    assert_eq!(normal.lines().last(), Some("http://a/"));
    // A URI that begins with a hyphen is a relative reference.
    run(["uri", "resolve", "http://a/", "--", "-b"]).expect_status(0);
}

#[test]
fn exit_statuses() {
    run(["uri", "parse", "a", "http://b/"]).expect_status(0);
    run(["uri", "parse", "a", "b c"]).expect_status(1);
    run(["urn", "parse", "urn:foo:a", "urn:foo:"]).expect_status(1);
    run(["uri", "compare", "http://a/", "http://b/"]).expect_status(1);
    // Purpose 5a decides: the answers may differ.
    run(["urn", "compare", "urn:foo:a?s=I2L", "urn:foo:a?s=I2C"]).expect_status(0);
    for words in [
        &["uri"][..],
        &["uri", "parse"],
        &["uri", "resolve", "http://a/"],
        &["uri", "nonsense"],
        &["uri", "extract", "/nonexistent/file"],
        &["urn", "parse", "--mode", "rfc2141", "urn:foo:a"],
        &["urn", "key"],
    ] {
        run(words).expect_status(2);
    }
}

#[test]
fn every_command_has_help_with_examples_and_a_manual_page() {
    let sandbox = Sandbox::new();
    let out = sandbox.path("man");
    run(["man".as_ref(), "--out".as_ref(), out.as_os_str()]).expect_status(0);
    for (group, commands) in [
        ("uri", &["parse", "resolve", "normalise", "compare", "extract", "build"][..]),
        ("uri www", &["parse", "resolve", "compare", "partial"]),
        ("urn", &["parse", "compare", "key", "build"]),
    ] {
        for command in commands {
            let words = group.split(' ').chain([*command, "--help"]);
            let help = run(words).expect_status(0).stdout;
            assert!(help.contains(&format!("  fingerpost {group} {command}")), "{help}");
            let page = out.join(format!("fingerpost-{}-{command}.1", group.replace(' ', "-")));
            assert!(page.is_file(), "{}", page.display());
        }
    }
}

#[test]
fn lines_of_standard_input_are_inputs() {
    let lines = b"http://a/\r\n\nb c\n\xff\nd\n";
    let found = run_with_input(["uri", "parse", "--format", "json", "-"], lines).expect_status(1);
    let valid: Vec<Value> = found.events().iter().map(|line| line["valid"].clone()).collect();
    assert_eq!(valid, [true, false, false, true]);
}

#[test]
fn uris_are_found_in_files_and_standard_input() {
    let text = b"\xffSee <http://e.example/long-\n  path>, (http://e.example/a), www.e.example.";
    let found = run_with_input(["uri", "extract", "--suffix"], text).expect_status(0).stdout;
    let expected = "\
6..35           angle  http://e.example/long-path or http://e.example/longpath
39..57          bare   http://e.example/a
60..73          suffix http://www.e.example
";
    assert_eq!(found, expected, "spans count bytes, also of what is no text");
    let sandbox = Sandbox::new();
    let file = sandbox.write("a.txt", "URL \"ftp://e.example/\"");
    let arguments = ["uri", "extract", "--format", "json"].map(AsRef::as_ref);
    let found = run(arguments.into_iter().chain([file.as_os_str()])).expect_status(0);
    let expected = json!([{"uri": "ftp://e.example/", "ascii": null, "form": "quote", "alternative": null,
        "span": {"start": 5, "end": 21}}]);
    assert_eq!(found.events()[0]["found"], expected);
    assert_eq!(run(["uri", "extract"]).expect_status(0).stdout, "", "nothing found is no fault");
}

#[test]
fn json_repeats_the_arguments_and_says_what_is_wrong() {
    let refused = run(["uri", "resolve", "--format", "json", "http://a/b", "%"]).expect_status(1);
    let found = &refused.events()[0];
    assert_eq!((&found["base"], &found["ref"]), (&"http://a/b".into(), &"%".into()));
    let fault = &found["faults"][0];
    assert_eq!((&fault["of"], &fault["code"]), (&"ref".into(), &"INVALID_TRIPLET".into()));
    assert_eq!(fault["span"], json!({"start": 0, "end": 1}));
    assert_eq!(refused.stderr, "");

    // URI-RES-16: how many `..` led above the root.
    let found = run(["uri", "resolve", "--format", "json", "http://a/b", "../../g"]);
    assert_eq!(found.events()[0]["underflow"], 2);

    let uri = "eXAMPLE://a/./b/../b/%63/%7bfoo%7d";
    let found = run(["uri", "normalise", "--format", "json", uri]).expect_status(0);
    let rungs = found.events()[0]["rungs"].as_array().cloned().unwrap_or_default();
    let names: Vec<_> = rungs.iter().map(|step| step["rung"].clone()).collect();
    assert_eq!(names, ["case", "percent", "path"]);

    let found = run(["uri", "compare", "--format", "json", "http://a/~", "http://a/%7e"]);
    assert_eq!(found.events()[0]["rung"], "percent");

    let found = run(["uri", "parse", "--format", "json", "http://u:p@127.1:"]);
    let lints = found.events()[0]["lints"].as_array().cloned().unwrap_or_default();
    let codes: Vec<_> = lints.iter().map(|lint| lint["code"].clone()).collect();
    assert_eq!(codes, ["PASSWORD", "RARE_IPV4", "ODD_PORT"]);
    let found = run(["uri", "parse", "--format", "json", "http://bank.example@203.0.113.9/"]);
    assert_eq!(found.events()[0]["lints"][0]["code"], "USERINFO_LIKE_HOST");

    // URN-PRE-05: the name of a registered namespace is one of its system.
    let found = run(["urn", "parse", "--format", "json", "urn:isbn:0451450520"]).expect_status(1);
    let found = &found.events()[0];
    assert_eq!((&found["valid"], &found["namespace"]), (&false.into(), &"refuses".into()));
    assert_eq!(found["faults"][0]["span"], json!({"start": 9, "end": 19}));

    let found = run([
        "urn",
        "compare",
        "--format",
        "json",
        "urn:isbn:0-451-45052-3",
        "urn:isbn:0451450523",
    ]);
    assert_eq!(found.expect_status(0).events()[0]["5b"], json!({"none": false, "builtin": true}));

    let found =
        run(["urn", "key", "--format", "json", "urn:epc:class:lgtin:4012345.012345.998877"]);
    let found = &found.expect_status(0).events()[0];
    assert_eq!(found["canonical_uri"], "https://id.gs1.org/01/04012345123456/10/998877");
    assert_eq!(found["element_string"], "(01)04012345123456(10)998877");
}

/// The vectors of one operation, as far as they fit into arguments.
fn vectors(op: &str) -> Vec<Value> {
    let text = include_str!("../../../../testdata/uri-urn-vectors.json");
    let file: Value = serde_json::from_str(text).expect("the vector file is JSON");
    let vectors = file["vectors"].as_array().expect("a list of vectors");
    let fits =
        |vector: &&Value| vector["op"] == op && !vector["input"].to_string().contains("\\u0000");
    let chosen: Vec<Value> = vectors.iter().filter(fits).cloned().collect();
    assert!(!chosen.is_empty(), "no vector of operation {op}");
    chosen
}

fn text<'v>(input: &'v Value, name: &str) -> &'v str {
    input[name].as_str().unwrap_or_else(|| panic!("no text {name} in {input}"))
}

/// Every member that a vector names is in the object, with that value; `ok` is `valid`.
#[track_caller]
fn expect_members(vector: &Value, found: &Value) {
    for (name, value) in vector["expected"].as_object().expect("an object") {
        let name = if name == "ok" { "valid" } else { name };
        assert_eq!(found.get(name), Some(value), "{}: {name} in {found}", vector["id"]);
    }
}

/// All vectors of a command that takes many inputs, judged by one process.
fn judge_all(command: &[&str], vectors: &[Value]) {
    let inputs = vectors.iter().map(|vector| text(&vector["input"], "text"));
    let words = command.iter().copied().chain(["--format", "json", "--"]).chain(inputs);
    let found = run(words).events();
    assert_eq!(found.len(), vectors.len());
    for (vector, found) in vectors.iter().zip(&found) {
        let typed = Typed::new(text(&vector["input"], "text"));
        if typed.left_out().next().is_none() {
            expect_members(vector, found);
        } else {
            // The vectors are about the text with its delimiters, which the command leaves out.
            assert_eq!(found["input"], typed.text(), "{}", vector["id"]);
            assert_ne!(found["notes"], json!([]), "{}", vector["id"]);
        }
    }
}

#[test]
fn parse_vectors() {
    let mut chosen = vectors("parse");
    chosen.retain(|vector| vector["input"]["kind"] == "uri-reference");
    judge_all(&["uri", "parse", "--show-passwords"], &chosen);
    let mut uris = vectors("parse");
    uris.retain(|vector| vector["input"]["kind"] == "uri" && vector["expected"]["ok"] == true);
    judge_all(&["uri", "parse", "--show-passwords"], &uris);
}

#[test]
fn urn_parse_vectors() {
    for mode in ["draft", "rfc8141"] {
        let mut chosen = vectors("urn_parse");
        chosen.retain(|vector| vector["input"]["mode"] == mode);
        judge_all(&["urn", "parse", "--mode", mode], &chosen);
    }
}

/// RES-2.5.1-5: RFC 3987 section 3.1: international addresses are converted in one way, and the
/// conversion is shown.
#[test]
fn rfc_3987_3_1_commands_convert_and_say_so() {
    let address = "https://bücher.example/é/01/09506000134352";
    let uri = "https://xn--bcher-kva.example/%C3%A9/01/09506000134352";
    let checked = run(["check", "--format", "json", address]).expect_status(0);
    assert_eq!(checked.events()[0]["input"], uri);
    assert!(checked.stdout.contains("an international address, read as"), "{checked:?}");
    let converted = run(["convert", "--to", "element-string", address]).expect_status(0);
    assert!(converted.stdout.contains("(01)09506000134352"), "{converted:?}");
    let parsed = run(["uri", "parse", address]).expect_status(1);
    assert!(parsed.stdout.contains(&format!("its URI is {uri}")), "{parsed:?}");
    let built =
        run(["uri", "build", "--scheme", "https", "--host", "bücher.example", "--segment", "é"]);
    assert_eq!(built.expect_status(0).stdout.trim(), "https://xn--bcher-kva.example/%C3%A9");
    let found = run_with_input(["uri", "extract", "-"], format!("see {address}.").as_bytes());
    assert!(found.expect_status(0).stdout.contains(&format!("{address} = {uri}")));
}

/// URN-FRG-01: a fragment that the namespace does not admit is a fault of the draft; where its
/// rules are not known, a warning.
#[test]
fn urn_draft_2_4_fragments() {
    let parsed = |mode: &str, name: &str| {
        let found = run(["urn", "parse", "--format", "json", "--mode", mode, "--", name]);
        (found.status, found.events()[0].clone())
    };
    for nid in ["isbn:0451450523", "ISSN:0167-6423", "example:a"] {
        let name = format!("urn:{nid}#x");
        let (status, refused) = parsed("draft", &name);
        assert_eq!(
            (status, &refused["faults"][0]["code"]),
            (Some(1), &json!("FRAGMENT")),
            "{name}"
        );
        assert_eq!(parsed("rfc8141", &name).0, Some(0), "{name}");
        assert_eq!(parsed("draft", &name.replace("#x", "")).0, Some(0), "{name}");
    }
    let (status, warned) = parsed("draft", "urn:foo:a#x");
    assert_eq!((status, &warned["lints"][0]["code"]), (Some(0), &json!("FRAGMENT_UNKNOWN")));
}

#[test]
fn resolve_vectors() {
    for vector in vectors("resolve") {
        let input = &vector["input"];
        let option = (input["strict"] == false).then_some("--non-strict");
        let words = ["uri", "resolve", "--format", "json"].into_iter().chain(option);
        let found = run(words.chain(["--", text(input, "base"), text(input, "ref")]));
        expect_members(&vector, &found.events()[0]);
    }
}

#[test]
fn normalise_vectors() {
    for vector in vectors("normalise") {
        if vector["input"]["level"] == "scheme" {
            let input = text(&vector["input"], "text");
            let found = run(["uri", "normalise", "--format", "json", "--", input]);
            expect_members(&vector, &found.events()[0]);
        }
    }
}

#[test]
fn compare_vectors() {
    for vector in vectors("equivalent") {
        let input = &vector["input"];
        if input["level"] != "scheme" {
            continue;
        }
        let option = (input["ignore_fragment"] == true).then_some("--ignore-fragment");
        let words = ["uri", "compare", "--format", "json"].into_iter().chain(option);
        let found = run(words.chain(["--", text(input, "a"), text(input, "b")]));
        expect_members(&vector, &found.events()[0]);
        assert_eq!(found.status, Some(i32::from(vector["expected"]["equal"] == false)));
    }
}

#[test]
fn urn_compare_vectors() {
    for vector in vectors("urn_equiv") {
        let input = &vector["input"];
        let words = ["urn", "compare", "--format", "json", "--mode", text(input, "mode"), "--"];
        let found = run(words.into_iter().chain([text(input, "a"), text(input, "b")]));
        let purpose = input["purpose"].as_str().unwrap_or("5a");
        let found = &found.events()[0][purpose][text(input, "registry")];
        assert_eq!(found, &vector["expected"]["equal"], "{}", vector["id"]);
    }
}

#[test]
fn extract_vectors() {
    for vector in vectors("extract") {
        let input = &vector["input"];
        let option = (input["suffix"] == true).then_some("--suffix");
        let words = ["uri", "extract", "--format", "json"].into_iter().chain(option);
        let found = &run_with_input(words, text(input, "text").as_bytes()).events()[0]["found"];
        let expected = vector["expected"]["found"].as_array().expect("a list");
        assert_eq!(found.as_array().map(Vec::len), Some(expected.len()), "{}", vector["id"]);
        for (at, expected) in expected.iter().enumerate() {
            for (name, value) in expected.as_object().expect("an object") {
                assert_eq!(&found[at][name], value, "{}", vector["id"]);
            }
        }
    }
}

/// URN-MAP-01 to URN-MAP-14.
#[test]
fn key_vectors() {
    for vector in vectors("thttp") {
        let Some(urn) =
            vector["input"]["urn"].as_str().filter(|_| vector["input"]["phase"] == "map")
        else {
            continue;
        };
        let found = &run(["urn", "key", "--format", "json", urn]).events()[0];
        assert_eq!(found["valid"], vector["expected"]["ok"], "{}", vector["id"]);
        let pair = |element: &Value| json!([element["ai"], element["value"]]);
        let elements = found["elements"].as_array().map(|all| all.iter().map(pair).collect());
        assert_eq!(elements.as_ref(), vector["expected"].get("ais"), "{}", vector["id"]);
    }
}

/// IN-8: ISBN-10 and ISBN-13 of a book are different names by their registration, and the answer
/// says that they identify the same book.
#[test]
fn different_names_of_one_book_are_noted() {
    let names = ["urn:isbn:0-14-103614-1", "urn:isbn:978-0-14-103614-4"];
    let found = run(["urn", "compare"].into_iter().chain(names)).expect_status(1).stdout;
    assert!(found.contains("different names"), "{found}");
    assert!(found.contains("01/09780141036144  (they identify the same book)"), "{found}");
    let json = ["urn", "compare", "--format", "json"];
    let found = run(json.into_iter().chain(names)).expect_status(1);
    let found = &found.events()[0];
    assert_eq!((&found["equal"], &found["same_key"]), (&false.into(), &"01/09780141036144".into()));
    for (a, b, status) in [
        ("urn:isbn:0-14-103614-1", "urn:isbn:0141036141", 0),
        ("urn:isbn:0-14-103614-1", "urn:isbn:0-451-45052-3", 1),
        ("urn:nbn:de:bvb:19-1", "urn:nbn:DE:BVB:19-1", 0),
        ("urn:nbn:de:bvb:19-a", "urn:nbn:de:bvb:19-A", 1),
    ] {
        let found = run(json.into_iter().chain([a, b])).expect_status(status);
        assert!(found.events()[0]["same_key"].is_null(), "{a} {b}");
    }
}

/// IN-22: a zone is no part of a URI, which a name that looks like one would hide.
#[test]
fn a_zone_is_refused() {
    for host in ["fe80::1%eth0", "[fe80::1%25eth0]"] {
        let found = run(["uri", "build", "--scheme", "http", "--host", host]).expect_status(1);
        assert!(found.stderr.contains("error[ZONE]"), "{}", found.stderr);
        assert!(found.stderr.contains("leave out the zone: fe80::1"), "{}", found.stderr);
    }
    for (host, uri) in [("fe80::1", "http://[fe80::1]\n"), ("a%b", "http://a%25b\n")] {
        let found = run(["uri", "build", "--scheme", "http", "--host", host]).expect_status(0);
        assert_eq!(found.stdout, uri);
    }
}
