//! Cuts a file into its top-level records, in constant memory, whatever the file's size.
//!
//! ```text
//! file     = *( document )                   ; a byte order mark before it is skipped
//! document = array / linkset / record
//! array    = "[" [ record *( "," record ) ] "]"
//! linkset  = "{" … "linkset" ":" array … "}" ; RFC 9264, section 4.2; other members are passed over
//! lines    = *( record LF )                  ; JSON Lines: as soon as the first record ends on its line
//! ```
//!
//! A broken line of JSON Lines is refused alone. Inside an array the place where the next record begins
//! cannot be known once brackets or quotes do not match, so the rest of that file is refused, and said so.

use std::fmt;
use std::io::{self, BufRead};

use super::scan::{Broken, MAX_DEPTH, Scan, Step};

/// The largest record read, in bytes: far above any real one, and small enough to hold a few at once.
pub(crate) const MAX_RECORD_BYTES: usize = 4 * 1024 * 1024;

/// What stands next in the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// A record, from its first to its last byte.
    Record { line: u64, json: &'a [u8] },
    /// A context object of a linkset.
    Context { line: u64, json: &'a [u8] },
    /// Something that is no record.
    Refused { line: u64, problem: Problem },
}

/// Why a stretch of the file holds no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Larger than [`MAX_RECORD_BYTES`].
    TooLarge,
    /// The value cannot be followed to its end.
    Broken { why: Why, rest: bool },
}

/// The JSON fault behind [`Problem::Broken`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The value breaks off.
    Value(Broken),
    /// The file ends inside a value.
    EndOfFile,
    /// Something else than a comma or the end stands after an element (`None`: end of file).
    Separator(Option<u8>),
    /// No value where one has to begin.
    NoValue(Option<u8>),
    /// Something follows a record on its line.
    Trailing(u8),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Broken { why, rest } = self else {
            return write!(f, "expected a record of at most {MAX_RECORD_BYTES} bytes, found more");
        };
        match *why {
            Why::Value(Broken::StringNotClosed) => {
                f.write_str("expected a closing quotation mark, found the end of the line")
            }
            Why::Value(Broken::Bracket { expected, found }) => {
                write!(f, "expected {}, found {}", Byte(expected), Byte(found))
            }
            Why::Value(Broken::TooDeep) => {
                write!(f, "expected at most {MAX_DEPTH} brackets inside each other, found more")
            }
            Why::Value(Broken::CutOff) => {
                f.write_str("expected the rest of a record, found the beginning of another")
            }
            Why::Value(Broken::LineEnded) => {
                f.write_str("expected the rest of a record, found the end of the line")
            }
            Why::EndOfFile => {
                f.write_str("expected the rest of a record, found the end of the file")
            }
            Why::Separator(found) => {
                write!(f, "expected `,` or `]` after a record, found {}", Found(found))
            }
            Why::NoValue(found) => write!(f, "expected a record, found {}", Found(found)),
            Why::Trailing(found) => {
                write!(f, "expected the end of the line after a record, found {}", Byte(found))
            }
        }?;
        if *rest { f.write_str("; the rest of the file is not read") } else { Ok(()) }
    }
}

/// Shows a byte that may not be text.
struct Byte(u8);

impl fmt::Display for Byte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0.escape_ascii())
    }
}

struct Found(Option<u8>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(byte) => Byte(byte).fmt(f),
            None => f.write_str("the end of the file"),
        }
    }
}

/// Where in the file's shape we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Between documents, nothing known yet about the shape.
    Start,
    /// Between records of which the first took several lines.
    Values,
    /// Between records that have a line each.
    Lines,
    /// Inside an array, before a record; `first` until one was read.
    Array { first: bool, linkset: bool },
    /// After the array of a linkset: its remaining members are passed over.
    LinksetTail,
    /// The file cannot be followed any further; not said yet.
    Broken(Why),
    /// Nothing more to read.
    Done,
}

/// A piece whose bytes are in `element`.
#[derive(Clone, Copy, Debug)]
enum Token {
    Record,
    Context,
    Refused(Problem),
}

/// How reading one value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The whole value is in `element`.
    Complete,
    /// It was read to its end, but not kept.
    Oversize,
    /// No byte of a value was there.
    Nothing,
    LinksetArray,
    Broken(Why),
}

/// Yields the records of one file.
#[derive(Debug)]
pub(crate) struct Splitter<R> {
    input: R,
    state: State,
    /// Line of the next byte, from 1.
    line: u64,
    /// Bytes consumed.
    consumed: u64,
    /// The value read last.
    element: Vec<u8>,
}

impl<R: BufRead> Splitter<R> {
    /// Reads `input` from its beginning; `lines` when it is known to hold one record per line.
    pub(crate) fn new(input: R, lines: bool) -> Self {
        let state = if lines { State::Lines } else { State::Start };
        Self { input, state, line: 1, consumed: 0, element: Vec::new() }
    }

    /// Bytes of the file read so far.
    pub(crate) fn consumed(&self) -> u64 {
        self.consumed
    }

    /// The next piece, or `None` at the end.
    ///
    /// # Errors
    /// What reading the input says.
    pub(crate) fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        if self.consumed == 0 {
            self.skip_byte_order_mark()?;
        }
        Ok(self.token()?.map(|(line, token)| match token {
            Token::Record => Piece::Record { line, json: &self.element },
            Token::Context => Piece::Context { line, json: &self.element },
            Token::Refused(problem) => Piece::Refused { line, problem },
        }))
    }

    fn token(&mut self) -> io::Result<Option<(u64, Token)>> {
        loop {
            if let State::Broken(why) = self.state {
                return Ok(Some(self.refuse_rest(self.line, why)));
            }
            let Some(first) = self.skip_white_space()? else { return Ok(self.at_end()) };
            let line = self.line;
            let token = match self.state {
                State::Start | State::Values if first == b'[' => {
                    self.bump();
                    self.state = State::Array { first: true, linkset: false };
                    None
                }
                State::Start | State::Values | State::Lines => self.document()?,
                State::Array { first: true, .. } if first == b']' => {
                    self.end_array();
                    None
                }
                State::Array { linkset, .. } => Some(self.element(linkset)?),
                State::LinksetTail => {
                    self.state = match self.skip_tail()? {
                        None => State::Start,
                        Some(why) => State::Broken(why),
                    };
                    None
                }
                State::Broken(_) | State::Done => return Ok(None),
            };
            if let Some(token) = token {
                return Ok(Some((line, token)));
            }
        }
    }

    /// The end of the input: fine between documents, a fault inside one.
    fn at_end(&mut self) -> Option<(u64, Token)> {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Array { .. } => Some(self.refuse_rest(self.line, Why::NoValue(None))),
            State::LinksetTail => Some(self.refuse_rest(self.line, Why::EndOfFile)),
            _ => None,
        }
    }

    fn refuse_rest(&mut self, line: u64, why: Why) -> (u64, Token) {
        self.state = State::Done;
        let rest = !matches!(why, Why::EndOfFile | Why::Separator(None) | Why::NoValue(None));
        (line, Token::Refused(Problem::Broken { why, rest }))
    }

    /// One element of an array, with the comma or bracket behind it.
    fn element(&mut self, linkset: bool) -> io::Result<Token> {
        let token = match self.read_value(Scan::element())? {
            End::Complete if linkset => Token::Context,
            End::Complete | End::LinksetArray => Token::Record,
            End::Oversize => Token::Refused(Problem::TooLarge),
            End::Nothing => {
                let found = self.peek()?;
                return Ok(self.refuse_rest(self.line, Why::NoValue(found)).1);
            }
            End::Broken(why) => return Ok(self.refuse_rest(self.line, why).1),
        };
        match self.skip_white_space()? {
            Some(b',') => {
                self.bump();
                self.state = State::Array { first: false, linkset };
            }
            Some(b']') => self.end_array(),
            // The record itself is whole; what follows it is refused at the next call.
            found => self.state = State::Broken(Why::Separator(found)),
        }
        Ok(token)
    }

    fn end_array(&mut self) {
        self.bump();
        self.state = match self.state {
            State::Array { linkset: true, .. } => State::LinksetTail,
            _ => State::Start,
        };
    }

    /// A value that stands for itself: a record, or the beginning of a linkset (then there is no token yet).
    fn document(&mut self) -> io::Result<Option<Token>> {
        let line = self.line;
        let token = match self.read_value(Scan::top_level(self.state == State::Lines))? {
            End::LinksetArray => {
                self.bump();
                self.state = State::Array { first: true, linkset: true };
                return Ok(None);
            }
            End::Complete => Token::Record,
            End::Oversize => Token::Refused(Problem::TooLarge),
            End::Nothing => {
                let found = self.peek()?;
                return self.refuse_document(line, Why::NoValue(found)).map(Some);
            }
            End::Broken(why) => return self.refuse_document(line, why).map(Some),
        };
        if self.line > line {
            self.state = State::Values;
        } else if self.state == State::Start {
            self.state = State::Lines;
        }
        if self.state == State::Lines
            && let Some(found) = self.rest_of_line()?
        {
            return self.refuse_document(line, Why::Trailing(found)).map(Some);
        }
        Ok(Some(token))
    }

    /// Refuses a broken value alone where the next one can be found: on the next line, if each value seems
    /// to have one line, or where a line begins with a new record. Else the rest of the file is refused.
    fn refuse_document(&mut self, line: u64, why: Why) -> io::Result<Token> {
        let cut_off = why == Why::Value(Broken::CutOff);
        let one_line = self.line == line || (cut_off && self.line == line + 1);
        if why == Why::EndOfFile || !(one_line || cut_off) {
            return Ok(self.refuse_rest(line, why).1);
        }
        if one_line && self.state == State::Start {
            self.state = State::Lines;
        }
        if !cut_off {
            self.skip_line()?;
        }
        Ok(Token::Refused(Problem::Broken { why, rest: false }))
    }

    /// Reads one value into `self.element`.
    fn read_value(&mut self, mut scan: Scan) -> io::Result<End> {
        self.element.clear();
        let mut length = 0;
        loop {
            let buffer = self.input.fill_buf()?;
            let (used, step) = match buffer {
                [] => (0, scan.end_of_file()),
                _ => scan.run(buffer),
            };
            length += used;
            if length <= MAX_RECORD_BYTES {
                self.element.extend_from_slice(&buffer[..used]);
            } else {
                self.element = Vec::new();
            }
            let at_end = buffer.is_empty();
            self.input.consume(used);
            self.consumed += used as u64;
            let end = match step {
                Step::Inside if at_end => End::Broken(Why::EndOfFile),
                Step::Inside => continue,
                Step::Last | Step::Past if length == 0 => End::Nothing,
                Step::Last | Step::Past if length > MAX_RECORD_BYTES => End::Oversize,
                Step::Last | Step::Past => End::Complete,
                Step::LinksetArray => End::LinksetArray,
                Step::Broken(why) => End::Broken(Why::Value(why)),
            };
            self.line += scan.newlines();
            return Ok(end);
        }
    }

    /// Passes over what follows the array of a linkset, up to the end of its object.
    fn skip_tail(&mut self) -> io::Result<Option<Why>> {
        loop {
            match self.skip_white_space()? {
                None => return Ok(Some(Why::EndOfFile)),
                Some(b'}') => {
                    self.bump();
                    return Ok(None);
                }
                Some(b',' | b':') => self.bump(),
                Some(found) => match self.read_value(Scan::element())? {
                    End::Broken(why) => return Ok(Some(why)),
                    End::Nothing => return Ok(Some(Why::Separator(Some(found)))),
                    End::Complete | End::Oversize | End::LinksetArray => {}
                },
            }
        }
    }

    fn skip_byte_order_mark(&mut self) -> io::Result<()> {
        for expected in *b"\xef\xbb\xbf" {
            if self.peek()? != Some(expected) {
                break;
            }
            self.bump();
        }
        Ok(())
    }

    fn peek(&mut self) -> io::Result<Option<u8>> {
        Ok(self.input.fill_buf()?.first().copied())
    }

    /// Consumes the byte that was peeked at.
    fn bump(&mut self) {
        self.input.consume(1);
        self.consumed += 1;
    }

    /// Skips white space; the byte after it, not consumed.
    fn skip_white_space(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.peek()? {
                Some(b'\n') => self.line += 1,
                Some(b' ' | b'\t' | b'\r') => {}
                other => return Ok(other),
            }
            self.bump();
        }
    }

    /// Consumes white space up to the end of the line; what else stands there, not consumed.
    fn rest_of_line(&mut self) -> io::Result<Option<u8>> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\t' | b'\r') => self.bump(),
                None | Some(b'\n') => return Ok(None),
                other => return Ok(other),
            }
        }
    }

    /// Consumes everything before the next line feed.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let used = end.unwrap_or(buffer.len());
            let done = end.is_some() || buffer.is_empty();
            self.input.consume(used);
            self.consumed += used as u64;
            if done {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
