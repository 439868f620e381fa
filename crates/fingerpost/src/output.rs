//! Standard output and standard error: colours on a terminal only, `NO_COLOR` honoured, and text from
//! outside shown so that it cannot steer the terminal.

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
/// Names, headings and what matters in a line.
pub(crate) const STRONG: Style = Style::new().bold();
/// `help:` and other side notes.
pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default();

/// Bytes collected before they are handed to the operating system.
const BUFFER: usize = 64 * 1024;

/// Buffered standard output; colour codes are taken out unless a terminal wants them.
pub(crate) fn stdout() -> BufWriter<AutoStream<StdoutLock<'static>>> {
    BufWriter::with_capacity(BUFFER, AutoStream::auto(io::stdout().lock()))
}

/// Writes `error: …` and the advice to standard error. A closed standard error is no reason to fail again.
pub(crate) fn print_failure(what: &str, next: Option<&str>) {
    let mut err = anstream::stderr().lock();
    let _ = writeln!(err, "{ERROR}error{ERROR:#}: {what}");
    if let Some(next) = next {
        let _ = writeln!(err, "  {NOTE}help{NOTE:#}: {next}");
    }
}

/// `1 record`, `2 records`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Shows text that came from outside on one line: control characters, and the characters that change the
/// direction of writing, appear as `\u{…}`; the GS character as `^`-free `\u{1d}` like the others.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        push_printable(char, &mut shown);
    }
    shown
}

/// Appends one character as [`printable`] shows it.
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
