//! Rows of a CSV file (RFC 4180): any separator, encoding found out, in memory of a fixed size.
//!
//! The encoding is that of the byte order mark; without one, the first row with other characters
//! than ASCII decides: UTF-8 if it is valid UTF-8, else Windows-1252. A row that contradicts the
//! rows before it is refused, because a wrong guess would store wrong text.

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use encoding_rs::WINDOWS_1252;

use super::cell::{Cell, Line, Row};
use super::guard;
use super::utf16::Utf16Reader;
use crate::limits::{MAX_CELL_BYTES, MAX_COLUMNS, MAX_ROW_BYTES};

/// The encoding of a CSV file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, or nothing but ASCII.
    Utf8,
    /// UTF-16, as its byte order mark says.
    Utf16,
    /// Windows-1252, because a row is not valid UTF-8.
    Windows1252,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16 => "UTF-16",
            Encoding::Windows1252 => "Windows-1252 (not valid UTF-8)",
        })
    }
}

/// The rows of a CSV file.
pub(crate) struct CsvRows<'i> {
    input: Box<dyn Read + Send + 'i>,
    parser: Reader,
    buffer: Box<[u8]>,
    /// The part of the buffer that was read but not parsed.
    unread: Range<usize>,
    state: State,
    /// The current row: its text without quotation, and where its cells end.
    text: Vec<u8>,
    ends: Vec<usize>,
    number: u64,
    /// Whether the last row ended with CR, to which an LF can belong.
    is_after_return: bool,
    encoding: Option<Encoding>,
    consumed: u64,
}

/// How far the input was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Reading,
    /// At its end, after which one line feed is added to see whether a quotation mark is open.
    AtEnd,
    Done,
}

/// Why a row cannot be kept.
#[derive(Clone, Copy)]
enum Excess {
    Bytes,
    Columns,
}

impl<'i> CsvRows<'i> {
    /// Begins to read `input`.
    pub(crate) fn new(mut input: Box<dyn Read + Send + 'i>, separator: u8) -> io::Result<Self> {
        let mut mark = Vec::new();
        input.by_ref().take(3).read_to_end(&mut mark)?;
        let (rest, encoding): (Vec<u8>, _) = match mark.as_slice() {
            [0xEF, 0xBB, 0xBF] => (Vec::new(), Some(Encoding::Utf8)),
            [0xFF, 0xFE, rest @ ..] | [0xFE, 0xFF, rest @ ..] => {
                (rest.to_vec(), Some(Encoding::Utf16))
            }
            _ => (mark.clone(), None),
        };
        let input = io::Cursor::new(rest).chain(input);
        let input: Box<dyn Read + Send + 'i> = match (encoding, mark.first()) {
            (Some(Encoding::Utf16), first) => {
                Box::new(Utf16Reader::new(input, first == Some(&0xFE)))
            }
            _ => Box::new(input),
        };
        Ok(CsvRows {
            input,
            parser: ReaderBuilder::new().delimiter(separator).build(),
            buffer: vec![0; READ_BYTES].into(),
            unread: 0..0,
            state: State::Reading,
            text: vec![0; MAX_ROW_BYTES],
            ends: vec![0; MAX_COLUMNS],
            number: 0,
            is_after_return: false,
            encoding,
            consumed: 0,
        })
    }

    /// Returns the encoding, once a row has decided it.
    pub(crate) fn encoding(&self) -> Option<Encoding> {
        self.encoding
    }

    /// Returns the number of bytes read so far, as UTF-8.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Returns the next row that is not empty.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        let (mut text, mut ends) = (0, 0);
        let (mut excess, mut has_begun) = (None, false);
        loop {
            self.fill()?;
            let is_reading = self.state == State::Reading;
            let input = if is_reading { &self.buffer[self.unread.clone()] } else { b"\n" };
            let (result, read, wrote, ended) =
                self.parser.read_record(input, &mut self.text[text..], &mut self.ends[ends..]);
            if is_reading {
                let parsed = self.unread.start..self.unread.start + read;
                self.unread.start = parsed.end;
                has_begun = self.count_empty_rows(parsed, has_begun);
            }
            (text, ends) = (text + wrote, ends + ended);
            match result {
                ReadRecordResult::InputEmpty if is_reading => {}
                ReadRecordResult::InputEmpty | ReadRecordResult::End => {
                    self.state = State::Done;
                    let message =
                        "a quotation mark in this row is not closed before the end of the file";
                    let number = self.number + 1;
                    return Ok(
                        has_begun.then(|| Line::Broken { number, message: message.to_owned() })
                    );
                }
                ReadRecordResult::OutputFull => (excess, text) = (Some(Excess::Bytes), 0),
                ReadRecordResult::OutputEndsFull => (excess, ends) = (Some(Excess::Columns), 0),
                ReadRecordResult::Record => {
                    self.is_after_return =
                        is_reading && self.buffer[self.unread.start - 1] == b'\r';
                    break;
                }
            }
        }
        self.number += 1;
        Ok(Some(match excess {
            Some(excess) => self.too_large(excess),
            None => self.row(text, ends),
        }))
    }

    /// Counts line ends before the next row, which the parser skips: they are empty rows. Returns
    /// whether the row has begun.
    fn count_empty_rows(&mut self, parsed: Range<usize>, has_begun: bool) -> bool {
        if has_begun {
            return true;
        }
        for byte in &self.buffer[parsed] {
            match byte {
                b'\n' if std::mem::take(&mut self.is_after_return) => {}
                b'\n' => self.number += 1,
                b'\r' => {
                    self.number += 1;
                    self.is_after_return = true;
                }
                _ => return true,
            }
        }
        false
    }

    /// Reads on if everything read was parsed.
    fn fill(&mut self) -> io::Result<()> {
        if self.state == State::Reading && self.unread.is_empty() {
            let read = loop {
                match self.input.read(&mut self.buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    result => break result?,
                }
            };
            self.consumed += read as u64;
            self.unread = 0..read;
            if read == 0 {
                self.state = State::AtEnd;
            }
        }
        Ok(())
    }

    fn too_large(&self, excess: Excess) -> Line {
        let message = match excess {
            Excess::Bytes => format!(
                "the row is larger than the limit of {MAX_ROW_BYTES} bytes; if it should not be, a quotation mark is not closed"
            ),
            Excess::Columns => format!("the row has more than the limit of {MAX_COLUMNS} columns"),
        };
        Line::Broken { number: self.number, message }
    }

    /// Decodes the cells of the row just read.
    fn row(&mut self, text: usize, ends: usize) -> Line {
        let number = self.number;
        let broken = |message: String| Line::Broken { number, message };
        let mut begin = 0;
        let cells: Vec<&[u8]> = self.ends[..ends]
            .iter()
            .map(|end| &self.text[std::mem::replace(&mut begin, *end)..*end])
            .collect();
        if let Some(column) = cells.iter().position(|cell| cell.len() > MAX_CELL_BYTES) {
            let position = super::cell::CellReference { row: number, column: column as u32 };
            return broken(format!(
                "cell {position} is larger than the limit of {MAX_CELL_BYTES} bytes"
            ));
        }
        let is_utf8 = cells.iter().all(|cell| std::str::from_utf8(cell).is_ok());
        let is_ascii = self.text[..text].is_ascii();
        let encoding = match (self.encoding, is_utf8) {
            (_, true) if is_ascii => Encoding::Utf8,
            (None | Some(Encoding::Utf8), true) => *self.encoding.insert(Encoding::Utf8),
            (None, false) => *self.encoding.insert(Encoding::Windows1252),
            (Some(Encoding::Utf16), true) => Encoding::Utf16,
            (Some(Encoding::Windows1252), false) => Encoding::Windows1252,
            (Some(Encoding::Windows1252), true) => {
                return broken(
                    "this row is UTF-8, but rows before it are not: the encodings are mixed; save the file as UTF-8".to_owned(),
                );
            }
            (Some(encoding), false) => {
                let encoding = if encoding == Encoding::Utf16 { "UTF-16" } else { "UTF-8" };
                return broken(format!(
                    "this row is not valid {encoding}, but rows before it or the byte order mark are: the encodings are mixed; save the file as UTF-8"
                ));
            }
        };
        let cells = cells.into_iter().map(|cell| {
            let text = match encoding {
                Encoding::Windows1252 => WINDOWS_1252.decode_without_bom_handling(cell).0,
                _ => String::from_utf8_lossy(cell),
            };
            if text.is_empty() {
                Cell::Empty
            } else {
                // Programs that copy the parts of a workbook keep its escaped line breaks.
                Cell::Text(guard::unguarded(&text).replace("_x000D_", "\r"))
            }
        });
        Line::Row(Row { number, cells: cells.collect(), beyond: None })
    }
}

/// Bytes read at once.
const READ_BYTES: usize = 64 * 1024;

#[cfg(test)]
mod tests;
