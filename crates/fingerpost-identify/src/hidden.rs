//! Characters that must be escaped before they are shown on a screen.

use alloc::string::String;
use core::fmt::Write as _;

/// Returns whether a character is invisible, or changes how others are shown: control characters,
/// direction marks and other characters without a shape (Unicode Standard Annex 9; Unicode
/// Technical Report 36, section 2.7).
///
/// ```
/// use fingerpost_identify::is_hidden;
///
/// assert!(is_hidden('\u{1d}') && is_hidden('\u{202e}') && !is_hidden('é'));
/// ```
#[must_use]
pub fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Formats text from outside on one line: control characters, and the characters that change the
/// direction of writing, become `\u{…}`. That includes the GS character: `\u{1d}`, never `^`.
///
/// ```
/// use fingerpost_identify::printable;
///
/// assert_eq!(printable("a\u{1b}[31mb\u{1d}c\u{202e}d é"), r"a\u{1b}[31mb\u{1d}c\u{202e}d é");
/// ```
#[must_use]
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
        // Writing to a string does not fail.
        let _ = write!(out, "\\u{{{:x}}}", u32::from(char));
    } else {
        out.push(char);
    }
}
