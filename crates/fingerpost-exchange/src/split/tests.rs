//! Tests of where records begin and end, and of how much of a broken file is refused.

use std::io::Read;

use fingerpost_resolver::MAX_RECORD_BYTES;
use proptest::prelude::*;

use super::{Content, Splitter, check_line};

/// Returns the pieces a file is cut into, one line of text per piece, after checking that the size
/// of reads makes no difference.
fn cut(file: &str) -> Vec<String> {
    let whole = cut_with(file.as_bytes(), 1 << 16);
    for capacity in [1, 2, 7] {
        assert_eq!(cut_with(file.as_bytes(), capacity), whole, "{capacity} bytes: {file:?}");
    }
    whole
}

fn cut_with(file: &[u8], capacity: usize) -> Vec<String> {
    let mut splitter = Splitter::new(file, capacity);
    let mut pieces = Vec::new();
    while let Some(piece) = splitter.next().expect("memory can be read") {
        let line = piece.line;
        assert_eq!(piece.record, pieces.len() as u64 + 1);
        pieces.push(match piece.content {
            Content::Line(json) => match check_line(json, line, piece.column) {
                Some(problem) => format!("{line} refused: {problem}"),
                None => format!("{line} {}", String::from_utf8_lossy(json)),
            },
            Content::Record(json) => format!("{line} {}", String::from_utf8_lossy(json)),
            Content::Context(json) => format!("{line} ctx {}", String::from_utf8_lossy(json)),
            Content::Refused(problem) => format!("{line} refused: {problem}"),
        });
    }
    pieces
}

/// Returns a refusal as [`cut`] shows it.
fn refused(line: u64, position: (u64, u64), detail: &str) -> String {
    format!(
        "{line} refused: not valid JSON at line {}, column {}: {detail}",
        position.0, position.1
    )
}

const REST: &str = "; the rest of the file is not read";

#[test]
fn a_line_of_other_white_space_is_refused_once() {
    assert_eq!(
        cut("{\"a\":1}\n\u{c}\n \u{c} \n{\"b\":2}"),
        [
            r#"1 {"a":1}"#.to_owned(),
            refused(2, (2, 1), "expected value"),
            refused(3, (3, 2), "expected value"),
            r#"4 {"b":2}"#.to_owned()
        ]
    );
}

#[test]
fn arrays_lines_single_records_and_linksets_are_recognised() {
    assert_eq!(cut(r#"[{"a":1}, {"b":[1,"]\"}"]} ]"#), [r#"1 {"a":1}"#, r#"1 {"b":[1,"]\"}"]}"#]);
    assert_eq!(cut("{\"a\":1}\n\n{\"b\":2}\r\n"), [r#"1 {"a":1}"#, r#"3 {"b":2}"#]);
    assert_eq!(cut("\u{feff}{\n\"a\":\n[\n{}\n]}"), ["1 {\n\"a\":\n[\n{}\n]}"]);
    assert_eq!(
        cut("{\n\"a\":1}\n{\n\"b\":2}\n{\"c\":3}"),
        ["1 {\n\"a\":1}", "3 {\n\"b\":2}", r#"5 {"c":3}"#]
    );
    assert_eq!(
        cut("{\"@context\":[{}],\n\"linkset\":[{\"x\":1},\n{\"linkset\":[]}], \"y\":[1]}\n[3]"),
        [r#"2 ctx {"x":1}"#, r#"3 ctx {"linkset":[]}"#, "4 3"]
    );
    assert_eq!(cut(""), [""; 0]);
    assert_eq!(cut("\u{feff}"), [""; 0]);
    assert_eq!(cut(" \n[ ]\n"), [""; 0]);
    assert_eq!(cut(r#"{"linkset":[]}{"linkset":[]}"#), [""; 0]);
    assert_eq!(
        cut("{\"a\":1}\n{\"linkset\":[{\"x\":1}]}\n{\"b\":2}"),
        [r#"1 {"a":1}"#, r#"2 ctx {"x":1}"#, r#"3 {"b":2}"#]
    );
}

#[test]
fn a_pretty_printed_record_is_one_record_however_it_is_indented() {
    for line_end in ["\n", "\r\n", " \t\r\n", "\n\n"] {
        for indent in ["", "  ", "\t"] {
            let record = ["{", "\"links\": [", "{\"a\": 1},", "{", "}", "]", "}"]
                .join(&format!("{line_end}{indent}"));
            let file = format!("\u{feff}{line_end}{record}{line_end}");
            let first = 1 + line_end.matches('\n').count();
            assert_eq!(cut(&file), [format!("{first} {record}")], "{file:?}");
        }
    }
}

#[test]
fn a_member_named_linkset_counts_only_at_the_top_and_before_an_array() {
    for record in [
        r#"{"a":{"linkset":[1]}}"#,
        r#"{"linkset":{"a":[1]}}"#,
        r#"{"a":"linkset","b":[1]}"#,
        r#"{"a":["linkset",[1]]}"#,
    ] {
        assert_eq!(cut(record), [format!("1 {record}")]);
    }
}

#[test]
fn a_broken_line_costs_that_line_only() {
    assert_eq!(
        cut("{\"a\":[1\n{\"b\":2}\n"),
        [refused(1, (2, 1), "expected `,` or `]`"), r#"2 {"b":2}"#.to_owned()]
    );
    let control = "control character (\\u0000-\\u001F) found while parsing a string";
    assert_eq!(
        cut("{\"a\":\"x\n{\"b\":2}\n"),
        [refused(1, (1, 7), control), r#"2 {"b":2}"#.to_owned()]
    );
    assert_eq!(
        cut("{\"a\":1}\n{\"b\":[\n{\"c\":3}\n"),
        [
            r#"1 {"a":1}"#.to_owned(),
            refused(2, (2, 6), "the line ends inside a record"),
            r#"3 {"c":3}"#.to_owned()
        ]
    );
    assert_eq!(
        cut("{\"a\":1]\n}\n{\"b\":2} x\n7\n"),
        [
            refused(1, (1, 7), "expected `,` or `}`"),
            refused(2, (2, 1), "expected value"),
            refused(3, (3, 9), "trailing characters"),
            "4 7".to_owned()
        ]
    );
    // The first line is broken, and the second one completes it: only later records can be told
    // apart.
    assert_eq!(
        cut("{\"a\":\n{\"b\":2}\n{\"c\":3}\n"),
        [refused(1, (3, 1), "expected `,` or `}`"), r#"3 {"c":3}"#.to_owned()]
    );
}

#[test]
fn a_broken_array_costs_its_rest_and_says_so() {
    let good = r#"1 {"a":1}"#.to_owned();
    assert_eq!(
        cut("[{\"a\":1}\n{\"b\":2},{\"c\":3}]"),
        [good.clone(), refused(2, (2, 1), "expected `,` or `]` after a record") + REST]
    );
    assert_eq!(
        cut("[{\"a\":1},\n{\"b\":2]},{\"c\":3}]"),
        [good.clone(), refused(2, (2, 7), "expected `,` or `}`") + REST]
    );
    assert_eq!(cut("[{\"a\":1},]"), [good.clone(), refused(1, (1, 10), "expected value") + REST]);
    let control = "control character (\\u0000-\\u001F) found while parsing a string";
    assert_eq!(cut("{\n\"a\": \"x\ny\"}"), [refused(1, (2, 7), control) + REST]);
}

#[test]
fn a_truncated_file_keeps_what_is_whole() {
    let (good, array) = (r#"1 {"a":1}"#.to_owned(), "the file ends inside an array or a linkset");
    assert_eq!(cut("[{\"a\":1},"), [good.clone(), refused(1, (1, 10), array)]);
    assert_eq!(cut("[{\"a\":1}"), [good.clone(), refused(1, (1, 9), array)]);
    let record = "the file ends inside a record";
    assert_eq!(cut("[{\"a\":"), [refused(1, (1, 6), record)]);
    assert_eq!(cut("{\n\"a\": [\n"), [refused(1, (2, 7), record)]);
    assert_eq!(
        cut("{\"linkset\":[{\"a\":1},{\"b\""),
        [r#"1 ctx {"a":1}"#.to_owned(), refused(1, (1, 24), record)]
    );
    assert_eq!(
        cut("{\"linkset\":[{\"a\":1}]"),
        [r#"1 ctx {"a":1}"#.to_owned(), refused(1, (1, 21), array)]
    );
    assert_eq!(
        cut("{\"a\":1}\n{\"b\":"),
        [good, refused(2, (2, 5), "the line ends inside a record")]
    );
}

#[test]
fn an_oversized_record_is_refused_alone() {
    let large = format!(r#"{{"a":["{}\"]"]}}"#, "x".repeat(MAX_RECORD_BYTES));
    let refused = format!("the record is larger than the limit of {MAX_RECORD_BYTES} bytes");
    let expected = |lines: [u64; 3]| {
        [
            format!("{} 1", lines[0]),
            format!("{} refused: {refused}", lines[1]),
            format!("{} 2", lines[2]),
        ]
    };
    for capacity in [4096, 1 << 18, 1 << 22] {
        let cut = |file: String| cut_with(file.as_bytes(), capacity);
        assert_eq!(cut(format!("[1,{large},2]")), expected([1, 1, 1]));
        assert_eq!(cut(format!("1\n{large}\n2")), expected([1, 2, 3]));
        let pretty = large.replace('[', "[\n");
        assert_eq!(cut(format!("[1]{pretty}\n[2]")), expected([1, 1, 3]));
    }
}

#[test]
fn a_linkset_far_larger_than_a_record_is_read_element_by_element() {
    let context = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_RECORD_BYTES / 2));
    let file = format!("{{\"linkset\":[{}]}}", [&context[..]; 8].join(",\n"));
    let expected: Vec<_> = (1..=8).map(|line| format!("{line} ctx {context}")).collect();
    assert_eq!(cut_with(file.as_bytes(), 1 << 16), expected);
}

/// Memory is bounded for any input.
#[test]
fn what_never_ends_takes_no_memory() {
    for (begin, filling) in
        [("[\"", b'x'), ("[", b'['), ("{\"a\":", b'7'), ("", b' '), ("[1,", b' ')]
    {
        let input = begin.as_bytes().chain(std::io::repeat(filling).take(1 << 23));
        let mut splitter = Splitter::new(input, 1 << 16);
        while splitter.next().expect("memory can be read").is_some() {
            assert!(splitter.window.memory() <= 4 * MAX_RECORD_BYTES);
        }
        assert!(splitter.window.memory() <= 4 * MAX_RECORD_BYTES);
    }
}

#[test]
fn deep_nesting_neither_recurses_nor_ends_a_file() {
    let deep = format!("{}1{}", "[".repeat(300_000), "]".repeat(300_000));
    let file = format!("{{\"a\":{deep}}}\n{{}}\n{{\"a\":{}\n{{}}", "[".repeat(300_000));
    assert_eq!(
        cut_with(file.as_bytes(), 1 << 16),
        [
            format!("1 {{\"a\":{deep}}}"),
            "2 {}".to_owned(),
            refused(3, (3, 300_005), "the line ends inside a record"),
            "4 {}".to_owned()
        ]
    );
}

#[test]
fn bytes_that_are_not_text_are_left_to_the_reader_of_records() {
    let file = b"[{\"a\":\"\xff\"},2]";
    assert_eq!(cut_with(file, 4), ["1 {\"a\":\"\u{fffd}\"}", "1 2"]);
}

/// Returns white space for between any two tokens.
fn blank() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", " ", "\n", "\r\n", "\t", " \n\n  "])
}

proptest! {
    /// The same records are found for any layout and any size of reads.
    #[test]
    fn layouts_and_sizes_of_reads_do_not_matter(
        titles in prop::collection::vec("[a-z{}\\[\\],: ]{0,12}", 1..6),
        blanks in prop::collection::vec(blank(), 8),
        capacity in 1_usize..64,
    ) {
        let records: Vec<String> = titles
            .iter()
            .map(|title| serde_json::json!({"anchor": "/01/1", "links": [{"title": title}]}).to_string())
            .collect();
        let pretty: Vec<String> = records
            .iter()
            .map(|record| {
                let value: serde_json::Value = serde_json::from_str(record).unwrap();
                serde_json::to_string_pretty(&value).unwrap()
            })
            .collect();
        let b = |at: usize| blanks[at % blanks.len()];
        let array = |records: &[String]| {
            let comma = format!("{},{}", b(0), b(1));
            format!("{}[{}{}{}]{}", b(2), b(3), records.join(&comma), b(4), b(5))
        };
        let files = [
            records.join("\n"),
            records.join("\r\n") + "\r\n",
            pretty.join("\n"),
            array(&records),
            array(&pretty),
            format!("{{{}\"linkset\"{}:{}}}", b(6), b(7), array(&pretty)),
        ];
        for file in files {
            let mut splitter = Splitter::new(file.as_bytes(), capacity);
            let mut found = Vec::new();
            while let Some(piece) = splitter.next().unwrap() {
                let (Content::Line(json) | Content::Record(json) | Content::Context(json)) =
                    piece.content
                else {
                    panic!("{file}: {piece:?}")
                };
                found.push(serde_json::from_slice::<serde_json::Value>(json).unwrap().to_string());
            }
            prop_assert_eq!(&found, &records, "{}", file);
            prop_assert_eq!(splitter.consumed(), file.len() as u64);
        }
    }

    /// Any bytes: the splitter ends, and the size of reads makes no difference.
    #[test]
    fn any_bytes_end(file in "[\\[\\]{}:,\"\\\\a1 \n]{0,60}", capacity in 1_usize..20) {
        let mut splitter = Splitter::new(file.as_bytes(), capacity);
        let mut pieces = 0;
        while splitter.next().unwrap().is_some() {
            pieces += 1;
            prop_assert!(pieces <= file.len() + 1);
        }
        prop_assert_eq!(cut_with(file.as_bytes(), capacity), cut_with(file.as_bytes(), 1 << 10));
    }
}
