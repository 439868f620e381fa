//! `convert`: every vector of `testdata/epc-vectors.json` in each direction it supports, lines that
//! keep their correspondence, and faults that say what to do.

use crate::support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use support::{Run, Sandbox, fingerpost, run, run_with_input};

const VECTORS: &str = include_str!("../../../../testdata/epc-vectors.json");

fn vectors(valid: bool) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    let is_wanted = |vector: &Value| vector["valid"] == valid && !holds_a_wrong_value(vector);
    let chosen: Vec<Value> = all.into_iter().filter(is_wanted).collect();
    assert!(chosen.len() > 200);
    chosen
}

/// Returns whether the bits are an EPC, but `check` refuses what it holds: a value that breaks the
/// rules of its Application Identifier, or two elements that exclude each other.
fn holds_a_wrong_value(vector: &Value) -> bool {
    vector["valid"] == true
        && ["hex", "pure_identity_urn"].iter().filter_map(|name| vector[*name].as_str()).any(
            |text| {
                let one_carrier = fingerpost_gs1::Options::new().requisites(false);
                !fingerpost_identify::inspect_with(text, &one_carrier).is_valid()
            },
        )
}

/// IN-16: what `check` refuses is not written.
#[test]
fn epcs_with_a_wrong_value_are_refused() {
    let all: Vec<Value> = serde_json::from_str(VECTORS).expect("the vectors are JSON");
    let wrong: Vec<&str> = all
        .iter()
        .filter(|vector| holds_a_wrong_value(vector))
        .filter_map(|vector| vector["hex"].as_str())
        .chain(["urn:epc:id:cpi:952193.Z.0"])
        .collect();
    assert!(wrong.len() > 1, "{wrong:?}");
    for to in ["digital-link", "element-string", "hri", "epc-hex", "epc-tag", "epc-urn"] {
        let words = ["convert", "-", "--to", to];
        let found = run_with_input(words, wrong.join("\n").as_bytes()).expect_status(1);
        assert_eq!(found.stdout.trim(), "", "{to}: {}", found.stderr);
        assert_eq!(found.stderr.matches("error[").count(), wrong.len(), "{to}");
    }
    let dots = run(["convert", "(01)09520123456788(10)..(21)X", "--to", "digital-link"]);
    assert!(dots.expect_status(1).stderr.contains("DOT_SEGMENT"));
}

/// An input with what must come out, by the arguments that it needs.
#[derive(Default)]
struct Cases(BTreeMap<Vec<String>, Vec<(String, String)>>);

impl Cases {
    fn add(&mut self, arguments: &[&str], input: &Value, output: &Value) {
        if let (Some(input), Some(output)) = (input.as_str(), output.as_str()) {
            let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            self.0.entry(arguments).or_default().push((input.to_owned(), output.to_owned()));
        }
    }

    /// One run for each set of arguments; returns how many lines there were.
    fn check(&self) -> usize {
        for (arguments, lines) in &self.0 {
            let input: String = lines.iter().map(|(input, _)| format!("{input}\n")).collect();
            let words = ["convert", "-"].into_iter().chain(arguments.iter().map(String::as_str));
            let Run { status, stdout, stderr } = run_with_input(words, input.as_bytes());
            assert_eq!(stdout.lines().count(), lines.len(), "{arguments:?}");
            for ((input, expected), found) in lines.iter().zip(stdout.lines()) {
                assert_eq!(found, expected, "{input} {arguments:?}: {stderr}");
            }
            assert_eq!((status, &*stderr), (Some(0), ""), "{arguments:?}");
        }
        self.0.values().map(Vec::len).sum()
    }
}

/// The URI `base` with the bits as its last segment.
fn segment(base: &str, prefix: &str, bits: &Value) -> Value {
    bits.as_str().map_or(Value::Null, |bits| format!("{base}/{prefix}{bits}").into())
}

#[test]
fn bits_give_every_other_form() {
    let mut cases = Cases::default();
    for vector in vectors(true).iter().filter(|vector| vector["hex"].is_string()) {
        let length = vector["gcp_length"].to_string();
        let gcp: &[&str] = if length == "null" { &[] } else { &["--gcp-length", &length] };
        let with = |to| [&["--to", to], gcp].concat();
        let upper = vector["hex"].as_str().map_or(Value::Null, |hex| hex.to_uppercase().into());
        let branded = vector.get("digital_link_hostname").unwrap_or(&vector["digital_link"]);
        for input in [&vector["hex"], &upper, &vector["base64url"]] {
            cases.add(&["--to", "digital-link"], input, branded);
            let stem = ["--to", "digital-link", "--stem", "https://id.gs1.org"];
            cases.add(&stem, input, &vector["digital_link"]);
            cases.add(&["--to", "element-string"], input, &vector["element_string"]);
            cases.add(
                &["--to", "epc-tag"],
                input,
                &if vector["tag_uri"].is_null() { Value::Null } else { vector["tag_uri"].clone() },
            );
            cases.add(&with("epc-urn"), input, &vector["pure_identity_urn"]);
            if vector["encode_exact"] == true {
                cases.add(&["--to", "epc-hex"], input, &vector["hex"]);
                cases.add(&["--to", "epc-base64"], input, &vector["base64url"]);
            }
        }
        if vector["digital_link"].is_string() {
            let stem = "https://id.gs1.org";
            for (prefix, bits) in [("eh", "hex"), ("ex", "base64url")] {
                let uri = segment(stem, prefix, &vector[bits]);
                cases.add(&["--to", "digital-link"], &uri, &vector["digital_link"]);
                cases.add(&["--to", "element-string"], &uri, &vector["element_string"]);
                if vector["encode_exact"] == true {
                    let link = segment(stem, "ex", &vector["base64url"]);
                    cases.add(&["--to", "epc-link"], &uri, &link);
                }
            }
        }
    }
    assert!(cases.check() > 3000);
}

#[test]
fn urns_and_tag_uris_give_every_other_form() {
    let mut cases = Cases::default();
    for vector in &vectors(true) {
        let tag_uri = &vector["tag_uri"];
        cases.add(&["--to", "epc-hex"], tag_uri, &vector["hex"]);
        cases.add(&["--to", "epc-base64"], tag_uri, &vector["base64url"]);
        cases.add(&["--to", "epc-urn"], tag_uri, &vector["pure_identity_urn"]);
        cases.add(&["--to", "epc-tag"], tag_uri, tag_uri);
        let urn = &vector["pure_identity_urn"];
        cases.add(&["--to", "epc-urn"], urn, urn);
        // + schemes may have further data, which URNs do not carry.
        if tag_uri.is_string() || vector["hex"].is_null() {
            for input in [tag_uri, urn] {
                cases.add(&["--to", "digital-link"], input, &vector["digital_link"]);
                cases.add(&["--to", "element-string"], input, &vector["element_string"]);
            }
        }
        if tag_uri.is_string() {
            let filter = vector["filter"].as_u64().unwrap_or(0).to_string();
            let scheme = vector["scheme"].as_str().unwrap_or_default();
            let options = ["--filter", &filter, "--scheme", scheme];
            cases.add(&[&["--to", "epc-hex"], &options[..]].concat(), urn, &vector["hex"]);
            cases.add(&[&["--to", "epc-tag"], &options[..]].concat(), urn, tag_uri);
        }
    }
    assert!(cases.check() > 700);
}

#[test]
fn element_strings_and_links_give_bits_and_urns() {
    let mut cases = Cases::default();
    for vector in vectors(true).iter().filter(|vector| vector["encode_exact"] == true) {
        let inputs = [&vector["element_string"], &vector["digital_link"]];
        let length = vector["gcp_length"].to_string();
        let (filter, scheme) = (vector["filter"].to_string(), vector["scheme"].as_str());
        // Values that no rule admits cannot be read from element strings.
        if vector["ais"].to_string().contains(r#"["8011","0"#) {
            continue;
        }
        if vector["tag_uri"].is_string() && length != "null" {
            let filter = if filter == "null" { "0" } else { &filter };
            let options =
                ["--gcp-length", &length, "--filter", filter, "--scheme", scheme.unwrap()];
            for input in inputs {
                cases.add(&[&["--to", "epc-hex"], &options[..]].concat(), input, &vector["hex"]);
                cases.add(
                    &["--to", "epc-urn", "--gcp-length", &length],
                    input,
                    &vector["pure_identity_urn"],
                );
            }
        }
    }
    assert!(cases.check() > 250);
}

#[test]
fn what_is_invalid_is_an_empty_line() {
    let input = |vector: &Value| vector["input"].as_str().map(str::to_owned);
    let vectors = vectors(false);
    let lines: Vec<String> = vectors.iter().filter_map(input).collect();
    assert!(lines.len() > 200 && lines.iter().all(|line| !line.contains('\n')));
    for to in ["digital-link", "element-string"] {
        let text = lines.join("\n");
        let told = run_with_input(["convert", "-", "--to", to], text.as_bytes()).expect_status(1);
        assert_eq!(told.stdout, "\n".repeat(lines.len()));
        for number in 1..=lines.len() {
            assert!(told.stderr.contains(&format!("]: line {number}: ")), "line {number}");
        }
    }
    // The stated fault, wherever the input says by itself that it is an EPC.
    let text = lines.join("\n");
    let told = run_with_input(["check", "--format", "json", "-"], text.as_bytes());
    let mut as_stated = 0;
    for (vector, found) in
        vectors.iter().filter(|vector| input(vector).is_some()).zip(told.events())
    {
        as_stated += usize::from(found["faults"][0]["code"] == vector["error"]);
    }
    assert!(as_stated * 10 > lines.len() * 9, "{as_stated} of {}", lines.len());
}

#[test]
fn lines_keep_their_correspondence() {
    let long = "3".repeat(70_000);
    let mut input = b"3066c4409047e14000001a85\r\n\nhello\n\xff\xfe\n".to_vec();
    input.extend_from_slice(long.as_bytes());
    input.extend_from_slice(
        b"\nurn:epc:id:sgtin:95060001343.05.6789\n  (01)09506000134352(21)6789 \n",
    );
    input
        .extend_from_slice(b"\0\n]d2010950600013435221\x1d\nhttps://id.gs1.org/exMGbEQJBH4UAAABqF");
    let told = run_with_input(["convert", "-", "--to", "digital-link"], &input).expect_status(1);
    let uri = "https://id.gs1.org/01/09506000134352/21/6789";
    let lines: Vec<&str> = told.stdout.split('\n').collect();
    assert_eq!(lines, [uri, "", "", "", "", uri, uri, "", "", uri, ""]);
    for expected in [
        "error[NOT_RECOGNISED]: line 2:",
        "error[NOT_RECOGNISED]: line 3: expected a GS1 identifier",
        "error[NOT_RECOGNISED]: line 4:",
        "error[TOO_LONG]: line 5: expected a line of less than 65536 bytes",
        "error[NOT_RECOGNISED]: line 8:",
        "]: line 9: ",
    ] {
        assert!(told.stderr.contains(expected), "{expected}: {}", told.stderr);
    }
    assert_eq!(told.stderr.matches("error[").count(), 6);
    let told = run_with_input(["convert", "-", "--to", "json"], &input).expect_status(1);
    let documents = told.stdout.lines().filter(|line| !line.is_empty());
    assert!(documents.clone().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert_eq!((documents.count(), told.stdout.lines().count()), (4, 10));
    // No line, no fault.
    assert_eq!(run_with_input(["convert", "-", "--to", "hri"], b"").expect_status(0).stdout, "");
}

/// Who writes one line and waits gets its answer.
#[test]
fn answers_do_not_wait_for_the_end() {
    let mut child = fingerpost()
        .args(["convert", "-", "--to", "hri"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for number in 1..4 {
        writeln!(stdin, "urn:epc:id:sgtin:95060001343.05.{number}").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, format!("(01) 09506000134352 (21) {number}\n"));
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = fingerpost()
        .args(["convert", "-", "--to", "digital-link"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let line = "3066c4409047e14000001a85\n".repeat(1000);
    while stdin.write_all(line.as_bytes()).is_ok() {}
    drop(stdin);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.len()), (Some(0), 0), "{ended:?}");
}

#[test]
fn company_prefixes_are_never_guessed() {
    let item = "(01)09506000134352(21)6789";
    let told = run(["convert", item, "--to", "epc-hex"]).expect_status(1);
    assert_eq!(told.stdout, "");
    assert!(told.stderr.contains("the length of the company prefix is required"));
    assert!(
        told.stderr.contains("--gcp-length") && told.stderr.contains("--gcp-table"),
        "{told:?}"
    );
    let sandbox = Sandbox::new();
    let list = r#"{"GCPPrefixFormatList": {"date": "2026-01-01", "entry": [
        {"prefix": "950600", "gcpLength": 11}, {"prefix": "952", "gcpLength": 7}]}}"#;
    let table = sandbox.write("prefixes.json", list);
    // IN-18: a byte order mark before the table is dropped.
    let marked = sandbox.write("marked.json", &format!("\u{feff}{list}"));
    let with = |table: &Path, input: &str| {
        let words = ["convert", input, "--to", "epc-tag", "--filter", "3", "--gcp-table"];
        run(words.map(AsRef::as_ref).into_iter().chain([table.as_os_str()]))
    };
    let with_table = |input: &str| with(&table, input);
    let tag = "urn:epc:tag:sgtin-96:3.95060001343.05.6789\n";
    assert_eq!(with_table(item).expect_status(0).stdout, tag);
    assert_eq!(with(&marked, item).expect_status(0).stdout, tag);
    let told = with_table("(00)340123450000000000").expect_status(1);
    assert!(told.stdout.is_empty(), "{told:?}");
    let broken = sandbox.write("broken.json", "[]");
    let words = ["convert", item, "--to", "epc-hex", "--gcp-table"].map(AsRef::as_ref);
    let told = run(words.into_iter().chain([broken.as_os_str()])).expect_status(2);
    assert!(told.stderr.contains("expected a GCPPrefixFormatList"), "{told:?}");
}

#[test]
fn options_choose_scheme_filter_stem_and_host_name() {
    let bits = "3066c4409047e14000001a85";
    let link = "https://id.gs1.org/01/09506000134352/21/6789?17=261231";
    for (words, expected) in [
        (
            &[bits, "--to", "digital-link", "--stem", "https://a.example/x/"][..],
            "https://a.example/x/01/09506000134352/21/6789",
        ),
        (&[bits, "--to", "epc-tag", "--filter", "1"], "urn:epc:tag:sgtin-96:1.95060001343.05.6789"),
        (
            &[bits, "--to", "epc-tag", "--scheme", "sgtin-198"],
            "urn:epc:tag:sgtin-198:3.95060001343.05.6789",
        ),
        (&[bits, "--to", "compressed"], "https://id.gs1.org/DBFKk4XBoAjUK"),
        (
            &["https://example.com/01/09780345418913/21/12345", "--to", "compressed"],
            "https://example.com/DBHKVAdpQgowOQ",
        ),
        (
            &["https://example.com/DBHKVAdpQgowOQ", "--to", "digital-link"],
            "https://example.com/01/09780345418913/21/12345",
        ),
        (&["9520123456788", "--to", "element-string"], "(01)09520123456788"),
        (
            &["9520123456788", "--to", "epc-urn", "--gcp-length", "7"],
            "urn:epc:idpat:sgtin:9520123.045678.*",
        ),
        (
            &[link, "--to", "epc-urn", "--lossy", "--gcp-length", "11"],
            "urn:epc:id:sgtin:95060001343.05.6789",
        ),
        (
            &["urn:epc:raw:96.x3066C4409047E14000001A85", "--to", "hri"],
            "(01) 09506000134352 (21) 6789",
        ),
    ] {
        let told = run(["convert"].iter().chain(words)).expect_status(0);
        assert_eq!(told.stdout.trim_end(), expected, "{words:?}");
    }
    // A + scheme keeps the date, a ++ scheme the host name; both ways.
    for options in [&["--scheme", "SGTIN+"][..], &["--hostname", "id.gs1.org"]] {
        let there =
            run(["convert", link, "--to", "epc-hex"].iter().chain(options)).expect_status(0);
        let back = ["convert", there.stdout.trim_end(), "--to", "digital-link"];
        assert_eq!(run(back).expect_status(0).stdout.trim_end(), link);
    }
    // Nothing is left out unless it is asked for.
    run(["convert", link, "--to", "epc-urn", "--gcp-length", "11"]).expect_status(1);
    run(["convert", "urn:epc:idpat:sgtin:9521141.712345.*", "--to", "epc-hex"]).expect_status(1);
    run(["convert", "3500e86f8000a9e000000586", "--to", "digital-link"]).expect_status(1);
    for words in [
        &["--to", "epc-hex", "--scheme", "SGTIN-97"][..],
        &["--to", "epc-hex", "--gcp-length", "13"],
        &["--to", "digital-link", "--stem", "example.com"],
        &[],
    ] {
        run(["convert", bits].iter().chain(words)).expect_status(2);
    }
}

#[test]
fn json_has_all_forms_that_exist() {
    let told = run(["convert", "3066c4409047e14000001a85", "--to", "json"]).expect_status(0);
    let expected = serde_json::json!({
        "input": "3066c4409047e14000001a85", "kind": "epc-hex", "scheme": "SGTIN-96", "filter": 3,
        "gcp_length": 11, "elements": [["01", "09506000134352"], ["21", "6789"]],
        "element_string": "(01)09506000134352(21)6789", "hri": "(01) 09506000134352 (21) 6789",
        "digital_link": "https://id.gs1.org/01/09506000134352/21/6789",
        "canonical": "https://id.gs1.org/01/09506000134352/21/6789",
        "compressed": "https://id.gs1.org/DBFKk4XBoAjUK",
        "epc_urn": "urn:epc:id:sgtin:95060001343.05.6789",
        "epc_tag": "urn:epc:tag:sgtin-96:3.95060001343.05.6789", "epc_bits": 96,
        "epc_hex": "3066c4409047e14000001a85", "epc_base64": "MGbEQJBH4UAAABqF",
        "epc_link": "https://id.gs1.org/exMGbEQJBH4UAAABqF",
    });
    assert_eq!(told.events(), [expected]);
    let told = run(["convert", "urn:epc:id:bic:ABCJ1234560", "--to", "json"]).expect_status(0);
    let expected = serde_json::json!({
        "input": "urn:epc:id:bic:ABCJ1234560", "kind": "epc-urn", "epc_urn": "urn:epc:id:bic:ABCJ1234560",
    });
    assert_eq!(told.events(), [expected]);
}

const HIDDEN: &str = "010952012345678810COV010917270901";
const HIDDEN_MEANT: &str = "(01)09520123456788(10)COV0109(17)270901";

/// IN-2: a valid reading that hides a better one is converted with a warning, as text and as JSON.
#[test]
fn a_hidden_separator_is_noted() {
    let words = ["convert", "-", "--to", "canonical"];
    let input = format!("{HIDDEN}\n(01)09520123456788(10)A\n");
    let found = run_with_input(words, input.as_bytes()).expect_status(0);
    let first = "https://id.gs1.org/01/09520123456788/10/COV010917270901";
    assert_eq!(found.stdout.lines().next(), Some(first));
    assert!(found.stderr.contains("warning[LOST_SEPARATOR]: line 1: "), "{}", found.stderr);
    assert!(found.stderr.contains(&format!("perhaps meant: {HIDDEN_MEANT}")), "{}", found.stderr);
    assert!(!found.stderr.contains("line 2"), "{}", found.stderr);

    let found = run(["convert", HIDDEN, "--to", "json"]).expect_status(0);
    let found: Value = serde_json::from_str(&found.stdout).expect("JSON");
    assert_eq!(found["element_string"], "(01)09520123456788(10)COV010917270901");
    assert_eq!(found["warnings"][0]["code"], "LOST_SEPARATOR");
    assert_eq!(found["perhaps_meant"]["element_string"], HIDDEN_MEANT);
    assert_eq!(found["why"]["assumed"][0]["span"]["start"], 25);
}

/// IN-1, IN-2, IN-3, IN-4, IN-5: strict commands propose, and each option of `--accept` lets them
/// read the proposal, with a warning.
#[test]
fn each_leniency_is_named() {
    let item = "(01)09520123456788(10)A1(17)270531";
    for (name, code, input, meant) in [
        ("separators", "SEPARATOR_AS_TEXT", "010952012345678810A1<GS>17270531", item),
        ("separators", "SEPARATOR_AS_TEXT", "010952012345678810A1{FNC1}17270531", item),
        ("lost-separators", "LOST_SEPARATOR", HIDDEN, HIDDEN_MEANT),
        (
            "lost-separators",
            "LOST_SEPARATOR",
            "1021072911172405310109520123456788",
            "(10)21072911(17)240531(01)09520123456788",
        ),
        ("labels", "LABEL_LEFT_OUT", "GTIN: 09520123456788", "(01)09520123456788"),
        ("labels", "LABEL_LEFT_OUT", "9520123456788.0", "(01)09520123456788"),
        (
            "control-word",
            "CONTROL_WORD_LEFT_OUT",
            "30003066c4409047e14000001a85",
            "(01)09506000134352(21)6789",
        ),
    ] {
        let convert = |accept: &[&str]| {
            run(["convert", input, "--to", "json"].into_iter().chain(accept.iter().copied()))
        };
        let elements = |found: &Run| {
            let found: Value = serde_json::from_str(&found.stdout).ok()?;
            let pairs = found["elements"].as_array()?.iter();
            let text = |pair: &Value| {
                let ai = pair[0].as_str()?.trim_matches(['(', ')']);
                Some(format!("({ai}){}", pair[1].as_str()?))
            };
            pairs.map(text).collect::<Option<String>>()
        };
        let others = ["separators", "lost-separators", "labels", "control-word"];
        for other in others.into_iter().filter(|other| *other != name).chain(["lenient"]) {
            let found = convert(&["--accept", other]);
            assert_ne!(elements(&found).as_deref(), Some(meant), "{input}: {other}");
            assert!(found.stderr.contains("perhaps meant: "), "{input}: {}", found.stderr);
        }
        let found = convert(&["--accept", name]).expect_status(0);
        assert_eq!(elements(&found).as_deref(), Some(meant), "{input}");
        assert!(found.stderr.contains(&format!("warning[{code}]")), "{}", found.stderr);
        assert!(found.stderr.contains("read as "), "{}", found.stderr);

        let checked = run(["check", "--format", "json", "--accept", name, input]);
        let checked = &checked.expect_status(0).events()[0];
        assert_eq!(checked["input"], input);
        assert_eq!(checked["item"]["element_string"], meant);
        assert_eq!(checked["perhaps_meant"], Value::Null);
        assert_eq!(checked["warnings"][0]["code"], code, "{checked}");

        let label = ["label", input, "--symbol", "gs1-datamatrix", "--output", "-", "--format"];
        let label = label.into_iter().chain(["svg", "--report", "json", "--accept", name]);
        let label = run(label).expect_status(0);
        assert!(label.stderr.contains(code), "{}", label.stderr);
    }
    let both = "EAN 010952012345678810A1<GS>17270531";
    let accept = ["--accept", "labels", "--accept", "separators"];
    run(["convert", both, "--to", "hri"]).expect_status(1);
    run(["convert", both, "--to", "hri"].into_iter().chain(accept)).expect_status(0);
}

/// IN-22: what a tag holds is read, but no form of an EPC is written for a restricted GTIN.
#[test]
fn restricted_gtins_have_no_epc_in_any_form() {
    let urn = "urn:epc:id:sgtin:2001234.056789.5";
    for input in ["(01)02001234567893(21)5", "(01)02001234567893", urn] {
        for to in ["epc-urn", "epc-hex", "epc-tag"].into_iter().filter(|to| {
            // The URN of an input is the input, and a class has no bits.
            !(input == urn && *to == "epc-urn") && (input.contains('5') || *to == "epc-urn")
        }) {
            let found = run(["convert", input, "--to", to, "--gcp-length", "7"]).expect_status(1);
            assert!(found.stderr.contains("RESTRICTED_PREFIX"), "{input} {to}: {}", found.stderr);
        }
    }
    let read = run(["convert", urn, "--to", "element-string"]).expect_status(0);
    assert_eq!(read.stdout, "(01)02001234567893(21)5\n");
}
