//! Standard output and standard error: colours on a terminal only and according to `NO_COLOR`, and text from outside escaped so that it
//! cannot control the terminal.

use std::fmt::Write as _;
use std::io::{self, BufWriter, StdoutLock, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use fingerpost_identify::is_hidden;

/// `error:` and the marks under a fault.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// `warning:`.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// `valid`, and counts of what was accepted.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Names, headings and the important parts of a line.
pub(crate) const STRONG: Style = Style::new().bold();
/// `help:` and other side notes.
pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default();

/// Number of bytes collected before they are passed to the operating system.
const BUFFER: usize = 64 * 1024;

/// Returns buffered standard output, which removes colour codes unless it is a terminal.
pub(crate) fn stdout() -> BufWriter<AutoStream<StdoutLock<'static>>> {
    BufWriter::with_capacity(BUFFER, AutoStream::auto(io::stdout().lock()))
}

/// Writes `error: …` and the advice to standard error. A closed standard error is not a reason to fail again.
pub(crate) fn print_failure(what: &str, next: Option<&str>) {
    let mut err = anstream::stderr().lock();
    let _ = writeln!(err, "{ERROR}error{ERROR:#}: {what}");
    if let Some(next) = next {
        let _ = writeln!(err, "  {NOTE}help{NOTE:#}: {next}");
    }
}

/// Returns `1 record`, `2 records`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Formats text from outside on one line: control characters, and the characters that change the direction of writing, become
/// `\u{…}`. That includes the GS character: `\u{1d}`, never `^`.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        push_printable(char, &mut shown);
    }
    shown
}

/// Appends one character in the format of [`printable`].
pub(crate) fn push_printable(char: char, out: &mut String) {
    if is_hidden(char) {
        let _ = write!(out, "\\u{{{:x}}}", u32::from(char));
    } else {
        out.push(char);
    }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn control_and_direction_characters_are_shown_not_sent() {
        assert_eq!(printable("a\u{1b}[31mb\u{1d}c\u{202e}d é"), r"a\u{1b}[31mb\u{1d}c\u{202e}d é");
    }
}
