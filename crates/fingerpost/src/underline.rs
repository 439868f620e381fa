//! Displays a line of input with marks under a part of it, for any characters.

use std::fmt::Write as _;
use std::ops::Range;

use crate::output::{ERROR, push_printable};

/// Number of columns of input shown around a mark.
const WINDOW: usize = 76;

/// Number of columns kept before a mark when the beginning is cut off.
const BEFORE: usize = 24;

/// Formats `text` on one line, with control characters escaped, and carets below the bytes of
/// `span`. A long text is cut around the mark. The last line has no line end.
pub(crate) fn underline(text: &str, span: Range<usize>) -> String {
    let shown = Shown::new(text, &span);
    let width = shown.line.chars().count();
    let from = if shown.mark.end <= WINDOW { 0 } else { shown.mark.start.saturating_sub(BEFORE) };
    let to = width.min(from + WINDOW);
    let (head, tail) = (if from > 0 { "…" } else { "" }, if to < width { "…" } else { "" });
    let cut: String = shown.line.chars().skip(from).take(to - from).collect();
    let start = shown.mark.start - from;
    let end = shown.mark.end.min(to) - from;
    let indent = 2 + head.chars().count() + start;
    let carets = "^".repeat(end.saturating_sub(start).max(1));
    let mut lines = String::new();
    let _ = write!(lines, "  {head}{cut}{tail}\n{:indent$}{ERROR}{carets}{ERROR:#}", "");
    lines
}

/// A text as printed, and the columns of the span in it.
struct Shown {
    line: String,
    mark: Range<usize>,
}

impl Shown {
    fn new(text: &str, span: &Range<usize>) -> Self {
        let mut line = String::with_capacity(text.len());
        let (mut column, mut start, mut end) = (0, None, None);
        for (at, char) in text.char_indices() {
            if at + char.len_utf8() > span.start {
                start.get_or_insert(column);
            }
            if at >= span.end {
                end.get_or_insert(column);
            }
            let before = line.len();
            push_printable(char, &mut line);
            column += line[before..].chars().count();
        }
        let start = start.unwrap_or(column);
        Self { line, mark: start..end.unwrap_or(column).max(start) }
    }
}

#[cfg(test)]
mod tests {
    use super::underline;

    fn plain(text: &str, span: std::ops::Range<usize>) -> String {
        anstream::adapter::strip_str(&underline(text, span)).to_string()
    }

    #[test]
    fn marks_stand_under_what_they_mean() {
        assert_eq!(plain("abcdef", 2..4), "  abcdef\n    ^^");
        assert_eq!(plain("abc", 3..3), "  abc\n     ^");
        assert_eq!(plain("a\u{1d}b", 2..3), "  a\\u{1d}b\n         ^");
        assert_eq!(plain("a\u{1d}b", 1..2), "  a\\u{1d}b\n   ^^^^^^");
        assert_eq!(plain("äö", 2..4), "  äö\n   ^");
        // A span that ends inside a character marks all of it; one beyond the end marks the end.
        assert_eq!(plain("äö", 1..2), "  äö\n  ^");
        assert_eq!(plain("ab", 7..9), "  ab\n    ^");
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let text = format!("{}!{}", "x".repeat(200), "y".repeat(200));
        let shown = plain(&text, 200..201);
        let mut lines = shown.lines();
        let (line, marks) = (lines.next().unwrap(), lines.next().unwrap());
        assert_eq!(line.chars().nth(marks.len() - 1), Some('!'));
        assert!(line.starts_with("  …") && line.ends_with('…') && line.chars().count() < 82);
    }
}
