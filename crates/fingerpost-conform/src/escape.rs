//! Text from servers, escaped for terminals, shells and markup.

use std::fmt::Write as _;

/// Returns text on one line: control characters and characters that change the direction of
/// writing become `\u{…}`.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        let is_direction = matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if char.is_control() || is_direction {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(char));
        } else {
            shown.push(char);
        }
    }
    shown
}

/// Returns the beginning of a text, escaped, with an ellipsis if it is cut.
pub(crate) fn excerpt(text: &str, characters: usize) -> String {
    let cut: String = text.chars().take(characters).collect();
    let ellipsis = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{ellipsis}", printable(&cut))
}

/// Returns text for HTML and XML, in elements and in quoted attributes.
pub(crate) fn markup(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in printable(text).chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // Allowed by neither HTML nor XML.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Returns one argument for a POSIX shell.
pub(crate) fn shell(text: &str) -> String {
    format!("'{}'", printable(text).replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{excerpt, markup, printable, shell};

    #[test]
    fn text_of_servers_controls_neither_terminals_nor_markup_nor_shells() {
        assert_eq!(printable("a\u{1b}[31m\u{202e}é"), r"a\u{1b}[31m\u{202e}é");
        assert_eq!(
            markup("<a href=\"'&\u{0}\u{ffff}"),
            "&lt;a href=&quot;&#39;&amp;\\u{0}\u{fffd}"
        );
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(excerpt("abc", 2), "ab…");
        assert_eq!(excerpt("ab", 2), "ab");
    }
}
