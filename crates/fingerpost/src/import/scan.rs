//! Finds where one JSON value ends, byte by byte, without building anything (RFC 8259 structure only).
//!
//! ```text
//! value  = container / string / scalar
//! container ends with the bracket that closes the first one; string ends with its quote;
//! a scalar ends before white space, a comma or a closing bracket.
//! ```
//!
//! What stands between the brackets is not checked: that is the record reader's work, which says it better.

/// How deep brackets may nest. A record needs 4 levels; the limit keeps the reader's recursion bounded.
pub(super) const MAX_DEPTH: usize = 64;

/// What one byte did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It belongs to the value, which goes on.
    Inside,
    /// It is the value's last byte.
    Last,
    /// The value ended before it.
    Past,
    /// It opens the array of the member `linkset` of the outermost object.
    LinksetArray,
    /// The value cannot go on like this; the byte is not part of it.
    Broken(Broken),
}

/// Why a value has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    /// A line ended inside a string.
    StringNotClosed,
    /// A closing bracket that closes something else.
    Bracket { expected: u8, found: u8 },
    /// More than [`MAX_DEPTH`] brackets open.
    TooDeep,
    /// A new line began with `{` where none may stand: the value before it was cut off.
    CutOff,
    /// The line ended inside a value, and each value has a line of its own.
    LineEnded,
}

/// State of the scan of one value.
#[derive(Debug)]
pub(super) struct Scan {
    /// Closing brackets still to come.
    open: Vec<u8>,
    in_string: bool,
    escaped: bool,
    scalar: bool,
    /// Last byte that is neither white space nor inside a string.
    last: u8,
    /// The byte before was a line feed.
    at_line_start: bool,
    /// Line feeds inside the value so far.
    newlines: u64,
    /// A value may not span lines.
    one_line: bool,
    /// Looks for the member `linkset`, and for values cut off before a new line with `{`.
    top_level: bool,
    key: KeyMatch,
}

/// How much of the key being read equals `linkset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyMatch {
    No,
    Reading(usize),
    Yes,
}

/// The member whose array is read element by element (RFC 9264, section 4.2).
const LINKSET: &[u8] = b"linkset";

impl Scan {
    /// Scans an element of an array.
    pub(super) fn element() -> Self {
        Self::new(false, false)
    }

    /// Scans a value that stands for itself in the file; with `one_line` it must end on its line.
    pub(super) fn top_level(one_line: bool) -> Self {
        Self::new(true, one_line)
    }

    fn new(top_level: bool, one_line: bool) -> Self {
        Self {
            open: Vec::new(),
            in_string: false,
            escaped: false,
            scalar: false,
            last: 0,
            at_line_start: false,
            newlines: 0,
            one_line,
            top_level,
            key: KeyMatch::No,
        }
    }

    /// Line feeds inside the value so far.
    pub(super) fn newlines(&self) -> u64 {
        self.newlines
    }

    /// Takes bytes until the value ends; how many belong to it, and how it ended.
    pub(super) fn run(&mut self, bytes: &[u8]) -> (usize, Step) {
        for (index, &byte) in bytes.iter().enumerate() {
            match self.step(byte) {
                Step::Inside => {}
                Step::Last => return (index + 1, Step::Last),
                other => return (index, other),
            }
        }
        (bytes.len(), Step::Inside)
    }

    /// The input ends: that ends a scalar, and nothing else.
    pub(super) fn end_of_file(&self) -> Step {
        if self.scalar { Step::Past } else { Step::Inside }
    }

    /// Takes the next byte. The first must not be white space.
    fn step(&mut self, byte: u8) -> Step {
        if self.in_string {
            return self.in_string(byte);
        }
        if self.scalar {
            return match byte {
                b' ' | b'\t' | b'\r' | b'\n' | b',' | b']' | b'}' => Step::Past,
                _ => Step::Inside,
            };
        }
        let at_line_start = std::mem::replace(&mut self.at_line_start, byte == b'\n');
        match byte {
            b'\n' if self.one_line => return Step::Broken(Broken::LineEnded),
            b'\n' => self.newlines += 1,
            b' ' | b'\t' | b'\r' => {}
            b'"' => self.begin_string(),
            b'{' if at_line_start && self.top_level && !matches!(self.last, b'[' | b',' | b':') => {
                return Step::Broken(Broken::CutOff);
            }
            b'{' => return self.open(byte, b'}'),
            b'[' if self.key == KeyMatch::Yes && self.last == b':' && self.open.len() == 1 => {
                return Step::LinksetArray;
            }
            b'[' => return self.open(byte, b']'),
            b'}' | b']' => return self.close(byte),
            _ if self.open.is_empty() => self.scalar = true,
            _ => self.last = byte,
        }
        Step::Inside
    }

    fn in_string(&mut self, byte: u8) -> Step {
        if byte == b'\n' {
            return Step::Broken(Broken::StringNotClosed);
        }
        if self.escaped {
            self.escaped = false;
            self.key = KeyMatch::No; // an escaped spelling of `linkset` is not worth reading
        } else if byte == b'\\' {
            self.escaped = true;
        } else if byte == b'"' {
            self.in_string = false;
            self.last = b'"';
            self.key = match self.key {
                KeyMatch::Reading(read) if read == LINKSET.len() => KeyMatch::Yes,
                _ => KeyMatch::No,
            };
            if self.open.is_empty() {
                return Step::Last;
            }
        } else if let KeyMatch::Reading(read) = self.key {
            self.key = match LINKSET.get(read) {
                Some(&expected) if expected == byte => KeyMatch::Reading(read + 1),
                _ => KeyMatch::No,
            };
        }
        Step::Inside
    }

    fn begin_string(&mut self) {
        let key = self.top_level && self.open.len() == 1 && matches!(self.last, b'{' | b',');
        self.key = if key { KeyMatch::Reading(0) } else { KeyMatch::No };
        self.in_string = true;
    }

    fn open(&mut self, byte: u8, closing: u8) -> Step {
        if self.open.len() == MAX_DEPTH {
            return Step::Broken(Broken::TooDeep);
        }
        self.open.push(closing);
        self.last = byte;
        Step::Inside
    }

    fn close(&mut self, byte: u8) -> Step {
        match self.open.pop() {
            Some(expected) if expected == byte => {
                self.last = byte;
                if self.open.is_empty() { Step::Last } else { Step::Inside }
            }
            Some(expected) => Step::Broken(Broken::Bracket { expected, found: byte }),
            // The value would begin with a closing bracket: it has no bytes at all.
            None => Step::Past,
        }
    }
}
