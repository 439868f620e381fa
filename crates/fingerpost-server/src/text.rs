//! Text for messages: numbers with their noun, and text from outside escaped so that it cannot
//! control a terminal.

use std::fmt::Write as _;

use fingerpost_identify::is_hidden;

/// Returns `1 record`, `2 records`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Formats text from outside on one line: control characters, and the characters that change the
/// direction of writing, become `\u{…}`. That includes the GS character: `\u{1d}`, never `^`.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        push_printable(char, &mut shown);
    }
    shown
}

/// Appends one character in the format of [`printable`].
pub fn push_printable(char: char, out: &mut String) {
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
