//! Tests of problems, and the table of `docs/reference/problems.md`.

use std::fmt::Write as _;

use super::address::readable;
use super::*;
use crate::limits::MAX_SHOWN_ADDRESS;
use crate::texts;

/// Returns the table of `docs/reference/problems.md`: the texts are those of the pages for people.
fn reference() -> String {
    let english = texts::for_reader(b"en");
    let mut table = "| status | code | meaning | what to do |\n|---|---|---|---|\n".to_owned();
    for (_, code, status, name) in ROWS {
        let words = english.problem(name);
        let (status, meaning, advice) = (status.as_u16(), &words.explanation, &words.advice);
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| {status} | `{code}` | {meaning} | {advice} |");
    }
    table
}

#[test]
fn the_reference_of_problems_has_every_kind() {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/problems.md");
    const BEGINS: &str = "<!-- public -->\n\n";
    let current = std::fs::read_to_string(PATH).expect("docs/reference/problems.md");
    let (before, rest) = current.split_once(BEGINS).expect("the start of the table");
    let (_, after) = rest.split_once("\n\n").expect("text after the table");
    let expected = format!("{before}{BEGINS}{}\n{after}", reference());
    if std::env::var_os("GENERATE").is_some() {
        std::fs::write(PATH, &expected).expect("written");
    } else {
        assert!(
            current == expected,
            "docs/reference/problems.md is stale: run this test with GENERATE=1"
        );
    }
}

#[test]
fn every_kind_has_its_row() {
    for (at, (kind, ..)) in ROWS.iter().enumerate() {
        assert_eq!(*kind as usize, at);
        assert_eq!(kind.row().0, *kind);
        assert!(pages::is_known_kind(kind.row().3), "{kind:?} has no words");
    }
}

#[test]
fn people_get_pages_and_programs_documents() {
    for (accept, page) in [
        ("", false),
        ("*/*", false),
        ("text/html", true),
        ("text/html;q=0", false),
        ("TEXT/HTML; q=0.3, */*", true),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
        ("application/json, text/html;q=0.9", false),
        ("application/json;q=0.5, text/html;q=0.9", true),
        ("application/linkset+json", false),
        ("text/html, application/linkset+json", false),
        ("text/html, application/linkset;q=0.9", true),
        ("undefined", false),
        ("text/html;q=0.001, application/json;q=0", true),
        ("text/html;q=2", false),
        ("text/html;q=0.8, application/json ; q=0.9", false),
    ] {
        assert_eq!(wants_page(accept.as_bytes()), page, "{accept}");
    }
}

#[test]
fn request_text_is_cut_and_escaped() {
    // RES-2.4.1-4, RES-2.10-15
    let text = readable(&[b'a'; 100]);
    assert_eq!(text.chars().count(), MAX_SHOWN_ADDRESS + 1);
    assert_eq!(readable(b"<\x00\xff\n"), "<\\x00\\xff\\n");
}

#[test]
fn request_ids_differ() {
    assert_ne!(request_id(), request_id());
}
