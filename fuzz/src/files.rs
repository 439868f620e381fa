//! Files to import: CSV, XLSX and JSON.

use std::io::{self, Read};
use std::panic;
use std::sync::{LazyLock, Once};

use fingerpost_exchange::{ImportSource, SheetOptions, check};
use fingerpost_resolver::{Rules, Vocabulary};

use super::workbook;

/// What a file is read as: the place of each record with its anchor, or the places and messages of
/// its faults.
type Verdicts = Vec<(u64, u64, Result<String, Vec<(String, String)>>)>;

/// Reads a source to its end, or to the fault that ends it.
fn verdicts(source: ImportSource<'_>) -> (Verdicts, Option<String>) {
    static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::builtin);
    let mut found = Vec::new();
    let read = check(source, &Rules::new(&VOCABULARY), &mut |position, result| {
        let result = result.map(|accepted| accepted.entry.anchor().to_string());
        let faults = |refused: fingerpost_resolver::Refused| {
            let faults = refused.faults.iter();
            faults.map(|f| (f.pointer().to_owned(), f.message().to_owned())).collect()
        };
        found.push((position.line, position.record, result.map_err(faults)));
    });
    (found, read.err().map(|error| error.to_string()))
}

/// Reads a table; every fault names a row and a cell that exist.
fn table(data: &[u8], rows: u64, columns: u64) {
    let Ok(source) = ImportSource::recognise("input", data, &SheetOptions::default()) else {
        return;
    };
    if source.sheet().is_none() {
        return; // records, which `split` reads
    }
    for (line, _, result) in verdicts(source).0 {
        assert!((1..=rows).contains(&line), "row {line} of {rows}");
        for (pointer, _) in result.err().into_iter().flatten() {
            let position = pointer.rsplit(", ").next().unwrap_or_default();
            let (column, row) = match position.split_once(' ') {
                Some(("cell", cell)) => {
                    let digits = cell.find(|c: char| c.is_ascii_digit()).expect("a row");
                    let letters = cell[..digits].bytes();
                    let column = letters.fold(0, |n, letter| n * 26 + u64::from(letter - b'A') + 1);
                    (column, &cell[digits..])
                }
                Some(("row", row)) => (1, row),
                _ => panic!("no place: {pointer:?}"),
            };
            let row: u64 = row.parse().expect("a number");
            assert!((1..=rows).contains(&row), "{pointer}: {rows} rows");
            assert!((1..=columns).contains(&column), "{pointer}: {columns} columns");
        }
    }
}

/// Reads CSV in any encoding, with any separator.
pub fn sheet_csv(data: &[u8]) {
    if data.starts_with(b"PK") {
        return;
    }
    let count = |bytes: &[u8]| data.iter().filter(|byte| bytes.contains(byte)).count() as u64;
    table(data, count(b"\r\n") + 1, count(b",;\t|") + 1);
}

/// Reads a workbook: the input itself, or one made of its parts, which are separated by NUL.
///
/// The library that reads workbooks may panic; the product makes an error of it. So its panics are
/// allowed, and only these.
pub fn sheet_xlsx(data: &[u8]) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let ours = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let file = info.location().map_or("", panic::Location::file);
            if !READERS.iter().any(|reader| file.contains(reader)) {
                ours(info);
            }
        }));
    });
    // As many as calamine can count.
    let (rows, columns) = (1 << 32, 16_384);
    if data.starts_with(b"PK") {
        table(data, rows, columns);
    } else {
        table(&workbook::of_parts(data), rows, columns);
    }
}

/// The crates whose panics become errors.
const READERS: [&str; 3] = ["/calamine-", "/quick-xml-", "/zip-"];

/// Reads JSON at once and in small parts, which gives the same.
pub fn split(data: &[u8]) {
    let at_once = verdicts(ImportSource::new("input", data));
    let lines = data.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
    for (number, (line, record, _)) in (1..).zip(&at_once.0) {
        assert_eq!(*record, number);
        assert!((1..=lines).contains(line), "line {line} of {lines}");
    }
    for step in [1, 7] {
        let parts = verdicts(ImportSource::new("input", Parts { data, step }));
        assert_eq!(parts, at_once, "in parts of {step} bytes");
    }
}

/// A reader that returns a few bytes at a time.
struct Parts<'d> {
    data: &'d [u8],
    step: usize,
}

impl Read for Parts<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.step.min(buffer.len());
        (&self.data[..length.min(self.data.len())]).read(buffer).inspect(|read| {
            self.data = &self.data[*read..];
        })
    }
}
