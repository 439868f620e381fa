//! Where records begin and end, and what a broken file costs.

use std::io::BufReader;

use super::{MAX_RECORD_BYTES, Piece, Splitter};

/// What a file is cut into, one line of text per piece; the same for every size of read.
fn cut(file: &str, lines: bool) -> Vec<String> {
    let whole = cut_with(file, lines, 1 << 16);
    for capacity in [1, 2, 7] {
        assert_eq!(cut_with(file, lines, capacity), whole, "reads of {capacity} bytes: {file:?}");
    }
    whole
}

fn cut_with(file: &str, lines: bool, capacity: usize) -> Vec<String> {
    let mut splitter = Splitter::new(BufReader::with_capacity(capacity, file.as_bytes()), lines);
    let mut pieces = Vec::new();
    while let Some(piece) = splitter.next().expect("memory can be read") {
        pieces.push(match piece {
            Piece::Record { line, json } => format!("{line} {}", String::from_utf8_lossy(json)),
            Piece::Context { line, json } => {
                format!("{line} ctx {}", String::from_utf8_lossy(json))
            }
            Piece::Refused { line, problem } => format!("{line} refused: {problem}"),
        });
    }
    pieces
}

#[test]
fn arrays_lines_single_records_and_linksets_are_recognised() {
    assert_eq!(
        cut(r#"[{"a":1}, {"b":[1,"]\"}"]} ]"#, false),
        [r#"1 {"a":1}"#, r#"1 {"b":[1,"]\"}"]}"#]
    );
    assert_eq!(cut("{\"a\":1}\n\n{\"b\":2}\r\n", false), [r#"1 {"a":1}"#, r#"3 {"b":2}"#]);
    assert_eq!(cut("\u{feff}{\n\"a\":\n[\n{}\n]}", false), ["1 {\n\"a\":\n[\n{}\n]}"]);
    assert_eq!(
        cut("{\n\"a\":1}\n{\n\"b\":2}\n{\"c\":3}", false),
        ["1 {\n\"a\":1}", "3 {\n\"b\":2}", r#"5 {"c":3}"#]
    );
    assert_eq!(
        cut(
            "{\"@context\":[{}],\n\"linkset\":[{\"x\":1},\n{\"linkset\":[]}], \"y\":[1]}\n[3]",
            false
        ),
        [r#"2 ctx {"x":1}"#, r#"3 ctx {"linkset":[]}"#, "4 3"]
    );
    assert_eq!(cut("", false), [""; 0]);
    assert_eq!(cut(" \n[ ]\n", false), [""; 0]);
    assert_eq!(cut(r#"{"linkset":[]}{"linkset":[]}"#, false), [""; 0]);
}

#[test]
fn a_key_named_linkset_counts_only_at_the_top_and_before_an_array() {
    for record in
        [r#"{"a":{"linkset":[1]}}"#, r#"{"linkset":{"a":[1]}}"#, r#"{"a":"linkset","b":[1]}"#]
    {
        assert_eq!(cut(record, false), [format!("1 {record}")]);
    }
}

#[test]
fn a_broken_line_costs_that_line_only() {
    let refused = "1 refused: expected the rest of a record, found the beginning of another";
    assert_eq!(cut("{\"a\":[1\n{\"b\":2}\n", false), [refused, r#"2 {"b":2}"#]);
    assert_eq!(
        cut("{\"a\":\"x\n{\"b\":2}\n", false),
        ["1 refused: expected a closing quotation mark, found the end of the line", r#"2 {"b":2}"#]
    );
    assert_eq!(
        cut("{\"a\":1}\n{\"b\":[\n{\"c\":3}\n", false),
        [
            r#"1 {"a":1}"#,
            "2 refused: expected the rest of a record, found the end of the line",
            r#"3 {"c":3}"#
        ]
    );
    assert_eq!(
        cut("{\"a\":1]\n}\n{\"b\":2} x\n7\n", true),
        [
            "1 refused: expected `}`, found `]`",
            "2 refused: expected a record, found `}`",
            "3 refused: expected the end of the line after a record, found `x`",
            "4 7"
        ]
    );
}

#[test]
fn a_broken_array_costs_its_rest_and_says_so() {
    assert_eq!(
        cut("[{\"a\":1}\n{\"b\":2},{\"c\":3}]", false),
        [
            r#"1 {"a":1}"#,
            "2 refused: expected `,` or `]` after a record, found `{`; the rest of the file is not read"
        ]
    );
    assert_eq!(
        cut("[{\"a\":1},\n{\"b\":2]},{\"c\":3}]", false),
        [r#"1 {"a":1}"#, "2 refused: expected `}`, found `]`; the rest of the file is not read"]
    );
    assert_eq!(
        cut("[{\"a\":1},]", false),
        [
            r#"1 {"a":1}"#,
            "1 refused: expected a record, found `]`; the rest of the file is not read"
        ]
    );
    assert_eq!(
        cut("[{\"a\":1},", false),
        [r#"1 {"a":1}"#, "1 refused: expected a record, found the end of the file"]
    );
    assert_eq!(
        cut("[{\"a\":1}", false),
        [
            r#"1 {"a":1}"#,
            "1 refused: expected `,` or `]` after a record, found the end of the file"
        ]
    );
    assert_eq!(
        cut("[{\"a\":", false),
        ["1 refused: expected the rest of a record, found the end of the file"]
    );
    assert_eq!(
        cut("{\n\"a\": \"x\ny\"}", false),
        [
            "1 refused: expected a closing quotation mark, found the end of the line; the rest of the file is not read"
        ]
    );
}

#[test]
fn an_oversized_record_is_refused_alone() {
    let large = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_RECORD_BYTES));
    let refused = format!("expected a record of at most {MAX_RECORD_BYTES} bytes, found more");
    assert_eq!(
        cut_with(&format!("[1,{large},2]"), false, 4096),
        ["1 1".to_owned(), format!("1 refused: {refused}"), "1 2".to_owned()]
    );
    assert_eq!(
        cut_with(&format!("{large}\n2"), true, 4096),
        [format!("1 refused: {refused}"), "2 2".to_owned()]
    );
}

#[test]
fn brackets_nest_only_so_deep() {
    let deep = "[".repeat(100);
    assert_eq!(
        cut(&format!("{{\"a\":{deep}\n{{}}"), true),
        ["1 refused: expected at most 64 brackets inside each other, found more", "2 {}"]
    );
}
