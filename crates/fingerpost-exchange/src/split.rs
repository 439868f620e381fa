//! Cuts a stream of JSON of any size into records, in constant memory. The layout is recognised by
//! content alone.
//!
//! ```text
//! file     = *document                       ; after an optional byte order mark
//! document = array / linkset / record
//! array    = "[" [ record *( "," record ) ] "]"
//! linkset  = "{" … "linkset" ":" array … "}" ; RFC 9264, section 4.2; other members are ignored
//! lines    = *( record LF )                  ; JSON Lines: from the first record that ends on the line on which it begins
//! ```
//!
//! `serde_json` finds the end of each value. A broken line of JSON Lines is refused alone; so is a
//! document, if the fault is at a position where a line begins with another document. After a fault
//! inside an array, the start of the next record cannot be found, so the rest of that file is
//! refused, and the report says so.

mod window;

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

use fingerpost_resolver::MAX_RECORD_BYTES;
use memchr::memmem;
use serde::de::IgnoredAny;

use window::{End, Position, Window, is_white_space};

/// A part of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    /// The line on which it begins, from 1.
    pub(crate) line: u64,
    /// Where it begins on the line, in bytes, from 1.
    pub(crate) column: u64,
    /// Its number in the file, from 1.
    pub(crate) record: u64,
    pub(crate) content: Content<&'a [u8]>,
}

/// What a piece is; `T` is its bytes, or their position.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content<T> {
    /// A line of JSON Lines, which may be anything; see [`check_line`].
    Line(T),
    /// A record, from its first to its last byte.
    Record(T),
    /// A context object of a linkset.
    Context(T),
    /// Something that is not a record.
    Refused(Unreadable),
}

impl<T> Content<T> {
    /// Replaces the bytes.
    pub(crate) fn map<U>(self, bytes: impl FnOnce(T) -> U) -> Content<U> {
        match self {
            Self::Line(line) => Content::Line(bytes(line)),
            Self::Record(record) => Content::Record(bytes(record)),
            Self::Context(context) => Content::Context(bytes(context)),
            Self::Refused(problem) => Content::Refused(problem),
        }
    }
}

/// The reason a part of a file is not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// Larger than this many bytes.
    TooLarge(usize),
    /// Not JSON.
    Broken { line: u64, column: u64, detail: String, is_rest_lost: bool },
    /// An item of another program that is not a record, and why.
    Foreign(String),
}

impl Unreadable {
    /// Returns the notation that it violates, as reports name it.
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::TooLarge(_) | Self::Broken { .. } => "RFC 8259",
            Self::Foreign(_) => "FORMAT",
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(limit) => {
                write!(f, "the record is larger than the limit of {limit} bytes")
            }
            Self::Broken { line, column, detail, is_rest_lost } => {
                write!(f, "not valid JSON at line {line}, column {column}: {detail}")?;
                let rest = if *is_rest_lost { "; the rest of the file is not read" } else { "" };
                f.write_str(rest)
            }
            Self::Foreign(why) => f.write_str(why),
        }
    }
}

/// Yields the records of one file.
#[derive(Debug)]
pub(crate) struct Splitter<R> {
    window: Window<R>,
    state: State,
    /// The number of pieces so far.
    pieces: u64,
}

/// The splitter's position in the layout of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between documents; the layout is not known yet.
    Start,
    /// Between documents, the first of which took several lines.
    Documents,
    /// Between records that have a line each.
    Lines,
    /// Inside an array, before a record.
    Array { is_first: bool, is_linkset: bool },
    /// Inside an array, after a record.
    AfterRecord { is_linkset: bool },
    /// No more to read.
    LinksetTail,
    /// At the end of the file.
    Done,
}

/// The next part found; ranges are those of [`Window::taken`].
type NextContent = Content<Range<usize>>;

impl<R: Read> Splitter<R> {
    /// Creates a splitter of `input`, which is read in parts of at least `capacity` bytes.
    pub(crate) fn new(input: R, capacity: usize) -> Self {
        Self::with_limit(input, capacity, MAX_RECORD_BYTES)
    }

    /// Creates a splitter with another maximum number of bytes of a record.
    pub(crate) fn with_limit(input: R, capacity: usize, limit: usize) -> Self {
        Self { window: Window::new(input, capacity, limit), state: State::Start, pieces: 0 }
    }

    /// Returns the number of bytes of the file consumed so far.
    pub(crate) fn consumed(&self) -> u64 {
        self.window.consumed()
    }

    /// Returns the next piece, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        if self.window.consumed() == 0 {
            self.window.skip_byte_order_mark()?;
        }
        let (begin, found) = loop {
            let next = self.window.skip_white_space()?;
            let begin = self.window.position();
            if self.state == State::Done {
                return Ok(None);
            }
            let found = match next {
                Some(byte) => self.step(byte)?,
                None => self.end_of_file(),
            };
            if let Some(found) = found {
                break (begin, found);
            }
        };
        self.pieces += 1;
        let content = found.map(|range| self.window.taken(range));
        Ok(Some(Piece { line: begin.line, column: begin.column, record: self.pieces, content }))
    }

    /// Continues with a byte that is not white space.
    fn step(&mut self, byte: u8) -> io::Result<Option<NextContent>> {
        match (self.state, byte) {
            (State::Start | State::Documents, b'[') => {
                self.window.consume(1);
                self.state = State::Array { is_first: true, is_linkset: false };
            }
            (State::Start | State::Documents, _) => return self.document(),
            (State::Lines, _) => return self.line(),
            (
                State::Array { is_first: true, is_linkset } | State::AfterRecord { is_linkset },
                b']',
            ) => {
                self.window.consume(1);
                self.state = if is_linkset { State::LinksetTail } else { State::Start };
            }
            (State::Array { is_linkset, .. }, _) => return self.element(is_linkset).map(Some),
            (State::AfterRecord { is_linkset }, b',') => {
                self.window.consume(1);
                self.state = State::Array { is_first: false, is_linkset };
            }
            (State::AfterRecord { .. }, _) => {
                return Ok(Some(self.refuse_rest("expected `,` or `]` after a record")));
            }
            (State::LinksetTail, b'}') => {
                self.window.consume(1);
                self.state = State::Start;
            }
            (State::LinksetTail, b',' | b':') => self.window.consume(1),
            (State::LinksetTail, _) => match self.window.value()? {
                End::At(length) => self.window.consume(length),
                End::TooFar => self.window.skip_value()?,
                End::Broken(error) => return Ok(Some(self.refuse_rest_after(&error))),
            },
            (State::Done, _) => {}
        }
        Ok(None)
    }

    /// Handles the end of the file: expected between documents, a fault inside one.
    fn end_of_file(&mut self) -> Option<NextContent> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Array { .. } | State::AfterRecord { .. } | State::LinksetTail => {
                let detail = "the file ends inside an array or a linkset".to_owned();
                Some(NextContent::Refused(broken(self.window.position(), detail, false)))
            }
            State::Start | State::Documents | State::Lines | State::Done => None,
        }
    }

    fn too_large(&self) -> NextContent {
        NextContent::Refused(Unreadable::TooLarge(self.window.limit()))
    }

    /// Reads one element of an array.
    fn element(&mut self, is_linkset: bool) -> io::Result<NextContent> {
        let end = self.window.value()?;
        self.state = State::AfterRecord { is_linkset };
        Ok(match end {
            End::At(length) if length > self.window.limit() => {
                self.window.consume(length);
                self.too_large()
            }
            End::At(length) if is_linkset => NextContent::Context(self.window.take(length)),
            End::At(length) => NextContent::Record(self.window.take(length)),
            End::TooFar => {
                self.window.skip_value()?;
                self.too_large()
            }
            End::Broken(error) => self.refuse_rest_after(&error),
        })
    }

    /// Reads a document that is not an array: a linkset or a record.
    fn document(&mut self) -> io::Result<Option<NextContent>> {
        let end = self.window.value()?;
        let length = if let End::At(length) = end { length } else { self.window.rest().len() };
        if self.begins_linkset(length) {
            return Ok(None);
        }
        match end {
            End::At(length) => {
                let has_several_lines = self.window.rest()[..length].contains(&b'\n');
                if self.state == State::Start && !has_several_lines {
                    self.state = State::Lines;
                    return self.line();
                }
                self.state = State::Documents;
                if length > self.window.limit() {
                    self.window.consume(length);
                    return Ok(Some(self.too_large()));
                }
                Ok(Some(NextContent::Record(self.window.take(length))))
            }
            End::TooFar => {
                self.window.skip_value()?;
                Ok(Some(self.too_large()))
            }
            End::Broken(error) => self.refuse_document(&error).map(Some),
        }
    }

    /// Refuses a broken document alone, if the fault is on its first line, or where a line begins
    /// with another document; otherwise refuses it with the rest of the file.
    fn refuse_document(&mut self, error: &serde_json::Error) -> io::Result<NextContent> {
        let (position, detail) = self.fault(error);
        let lines = position.line - self.window.position().line;
        if lines == 0 && !error.is_eof() {
            if self.state == State::Start {
                self.state = State::Lines;
            }
            self.window.skip_line()?;
            return Ok(NextContent::Refused(broken(position, detail, false)));
        }
        let line_ends = self.window.rest().iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let next = usize::try_from(lines)
            .ok()
            .and_then(|lines| line_ends.map(|(at, _)| at + 1).nth(lines.checked_sub(1)?));
        match next {
            Some(next) if self.window.rest().get(next) == Some(&b'{') => {
                self.window.consume(next);
                Ok(NextContent::Refused(broken(position, detail, false)))
            }
            _ => Ok(self.refuse_rest_after(error)),
        }
    }

    /// Reads a record on a line of its own.
    fn line(&mut self) -> io::Result<Option<NextContent>> {
        let Some(length) = self.window.line()? else {
            self.window.skip_line()?;
            return Ok(Some(self.too_large()));
        };
        if self.begins_linkset(length) {
            return Ok(None);
        }
        // The first byte is not white space, so this takes at least that.
        let line = &self.window.rest()[..length];
        let length = line.iter().rposition(|byte| !is_white_space(*byte)).map_or(0, |at| at + 1);
        Ok(Some(NextContent::Line(self.window.take_in_line(length))))
    }

    /// Enters the array of a linkset, if the document is one, judged by the length known so far.
    fn begins_linkset(&mut self, length: usize) -> bool {
        let found = linkset_array(&self.window.rest()[..length]);
        if let Some(length) = found {
            self.window.consume(length);
            self.state = State::Array { is_first: true, is_linkset: true };
        }
        found.is_some()
    }

    fn refuse_rest(&mut self, detail: &str) -> NextContent {
        self.state = State::Done;
        NextContent::Refused(broken(self.window.position(), detail.to_owned(), true))
    }

    fn refuse_rest_after(&mut self, error: &serde_json::Error) -> NextContent {
        self.state = State::Done;
        let (position, detail) = self.fault(error);
        NextContent::Refused(broken(position, detail, !error.is_eof()))
    }

    /// Returns the position of a fault in the file, and its description.
    fn fault(&self, error: &serde_json::Error) -> (Position, String) {
        (self.window.position_of(error), detail(error, "the file ends inside a record"))
    }
}

/// Returns the fault of a line that is not one JSON value; `line` and `column` are where it begins
/// in its file.
pub(crate) fn check_line(bytes: &[u8], line: u64, column: u64) -> Option<Unreadable> {
    let error = serde_json::from_slice::<IgnoredAny>(bytes).err()?;
    let column = column + (error.column() as u64).max(1) - 1;
    let detail = detail(&error, "the line ends inside a record");
    Some(broken(Position { line, column }, detail, false))
}

/// Returns the description of a fault without its position.
fn detail(error: &serde_json::Error, at_end: &str) -> String {
    if error.is_eof() {
        return at_end.to_owned();
    }
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(detail, _)| detail.to_owned())
}

fn broken(position: Position, detail: String, is_rest_lost: bool) -> Unreadable {
    Unreadable::Broken { line: position.line, column: position.column, detail, is_rest_lost }
}

/// Returns the length of an object up to and including the bracket that opens the array of its
/// member `linkset`, if it has one.
fn linkset_array(object: &[u8]) -> Option<usize> {
    memmem::find(object, b"\"linkset\"")?;
    let text = object.utf8_chunks().next()?.valid();
    let mut rest = text.strip_prefix('{')?;
    loop {
        let mut names = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        let name = names.next()?.ok()?;
        rest = rest[names.byte_offset()..].trim_start().strip_prefix(':')?.trim_start();
        if let Some(array) = rest.strip_prefix('[').filter(|_| name == "linkset") {
            return Some(text.len() - array.len());
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        values.next()?.ok()?;
        rest = rest[values.byte_offset()..].trim_start().strip_prefix(',')?;
    }
}

#[cfg(test)]
mod tests;
