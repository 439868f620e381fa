//! Tests of the CSV reader.

use std::io::{Cursor, Read};

use proptest::prelude::*;

use super::*;

fn rows_of(file: impl Read + Send + 'static, separator: u8) -> Vec<Line> {
    let mut rows = CsvRows::new(Box::new(file), separator).unwrap();
    let mut found = Vec::new();
    while let Some(line) = rows.next().unwrap() {
        assert!(
            rows.text.len() == MAX_ROW_BYTES && rows.ends.len() == MAX_COLUMNS,
            "buffers do not grow"
        );
        found.push(line);
    }
    found
}

/// Returns each row as its number and its cells, or its fault.
fn read(file: &[u8]) -> Vec<(u64, Vec<String>)> {
    let text = |cell: &Cell| match cell {
        Cell::Text(text) => text.clone(),
        _ => String::new(),
    };
    let row = |line: &Line| match line {
        Line::Row(row) => (row.number, row.cells.iter().map(text).collect()),
        Line::Broken { number, message } => (*number, vec![format!("fault: {message}")]),
    };
    rows_of(Cursor::new(file.to_vec()), b',').iter().map(row).collect()
}

fn cells(row: &[&str]) -> Vec<String> {
    row.iter().map(|cell| (*cell).to_owned()).collect()
}

#[test]
fn quotation_follows_rfc_4180() {
    let found = read(b"a,\"b,\"\"c\"\"\",\"d\r\ne\"\r\n\"\",,f\r\n");
    assert_eq!(found, [(1, cells(&["a", "b,\"c\"", "d\r\ne"])), (2, cells(&["", "", "f"]))]);
}

#[test]
fn rows_have_the_numbers_that_programs_show() {
    for end in ["\n", "\r\n", "\r"] {
        let file = ["", "a", "\"b1", "b2\"", "", "", "c", "", "d"].join(end);
        let numbers: Vec<u64> = read(file.as_bytes()).iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [2, 3, 6, 8], "{end:?}");
    }
}

#[test]
fn the_encoding_is_found_out() {
    let utf16 = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(order).collect()
    };
    let text = "é,日本,😀\n";
    let expected = [(1, cells(&["é", "日本", "😀"]))];
    assert_eq!(read(text.as_bytes()), expected);
    assert_eq!(read(&[b"\xEF\xBB\xBF", text.as_bytes()].concat()), expected);
    assert_eq!(read(&utf16(text, u16::to_le_bytes)), expected);
    assert_eq!(read(&utf16(text, u16::to_be_bytes)), expected);
    assert_eq!(read(b"caf\xE9,\x80 5\n"), [(1, cells(&["café", "€ 5"]))]);
    let long = "aé日😀".repeat(40_000) + ",x\n";
    assert_eq!(
        read(&utf16(&long, u16::to_le_bytes))[0].1.len(),
        1,
        "larger than a cell may be, across parts"
    );
    let rows = "aé日😀,b\n".repeat(20_000);
    assert_eq!(read(&utf16(&rows, u16::to_be_bytes)), read(rows.as_bytes()));
}

#[test]
fn mixed_encodings_are_refused_with_their_row() {
    let faults = |file: &[u8]| -> Vec<(u64, String)> {
        let rows = read(file).into_iter();
        rows.filter(|(_, cells)| cells[0].starts_with("fault"))
            .map(|(number, mut cells)| (number, cells.remove(0)))
            .collect()
    };
    for file in [
        &b"a\n\xC3\xA9\nb\n\xE9\nc\n"[..],
        b"a\n\xE9\nb\n\xC3\xA9\nc\n",
        b"\xEF\xBB\xBFa\n\nb\n\xE9\n",
    ] {
        let found = faults(file);
        assert_eq!(found.len(), 1, "{file:?}");
        assert!(found[0].0 == 4 && found[0].1.contains("encodings are mixed"), "{found:?}");
    }
    // Half of a surrogate pair.
    let utf16 = b"\xFF\xFEa\0\n\0\x00\xD8b\0\n\0c\0\n\0";
    assert!(faults(utf16)[0].1.contains("not valid UTF-16"));
    // A character may not continue in the next cell.
    assert_eq!(read(b"\xC3,\xA9\n"), [(1, cells(&["Ã", "©"]))]);
}

#[test]
fn a_quotation_mark_that_is_not_closed_is_a_fault() {
    let found = read(b"a,b\nc,\"d\ne,f\n");
    assert_eq!(found[0], (1, cells(&["a", "b"])));
    assert!(found[1].0 == 2 && found[1].1[0].contains("quotation mark"), "{found:?}");
    assert_eq!(found.len(), 2);
    assert_eq!(read(b"a,b\nc,\"d\""), [(1, cells(&["a", "b"])), (2, cells(&["c", "d"]))]);
    assert_eq!(read(b"a,\"b\n").len(), 1);
}

/// A cell of a gigabyte, which never exists in memory, and rows around it.
#[test]
fn a_gigabyte_in_one_cell_is_refused_in_constant_memory() {
    for (quote, bytes) in [("", 1 << 24), ("\"", 1 << 30)] {
        let begin = Cursor::new(format!("a,b\nc,{quote}"));
        let cell = io::repeat(b'x').take(bytes);
        let end = Cursor::new(format!("{quote},d\ne,f\n"));
        let found = rows_of(begin.chain(cell).chain(end), b',');
        let [Line::Row(_), Line::Broken { number: 2, message }, Line::Row(last)] = &found[..]
        else {
            panic!("{found:?}")
        };
        assert!(message.contains("larger than the limit of 1048576 bytes"), "{message}");
        assert_eq!(last.number, 3);
    }
}

#[test]
fn ten_million_columns_are_refused_in_constant_memory() {
    let begin = Cursor::new("a,b\n");
    let columns = io::repeat(b',').take(10_000_000);
    let found = rows_of(begin.chain(columns).chain(Cursor::new("\ne,f\n")), b',');
    let [Line::Row(_), Line::Broken { number: 2, message }, Line::Row(_)] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(message.contains("more than the limit of 16384 columns"), "{message}");
}

#[test]
fn a_large_cell_is_named() {
    let found = read(format!("a,{}\nb,c\n", "x".repeat(MAX_CELL_BYTES + 1)).as_bytes());
    assert!(
        found[0].1[0].contains("cell B1 is larger than the limit of 65536 bytes"),
        "{}",
        found[0].1[0]
    );
    assert_eq!(found[1], (2, cells(&["b", "c"])));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_bytes_end(file in prop::collection::vec(prop_oneof![any::<u8>(), Just(b','), Just(b'"'), Just(b'\n'), Just(b'\r')], 0..200)) {
        let numbers: Vec<u64> = read(&file).iter().map(|(number, _)| *number).collect();
        prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
    }
}
