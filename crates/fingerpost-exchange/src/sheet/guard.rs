//! The guard against formulas in CSV files.
//!
//! Spreadsheet programs calculate a cell of a CSV file that begins like a formula, whatever its
//! quotation. Such a cell is written with an apostrophe before it, which they show as text and
//! which reading removes again:
//!
//! ```text
//! guarded = "'" *"'" trigger …         ; written and read with one apostrophe more than the text has
//! trigger = "=" / "+" / "-" / "@" / HTAB / LF / CR, and the first four in full width
//! ```
//!
//! Since text that already has apostrophes before a trigger gets one more, too, writing and reading
//! give every text back. A cell such as `="0123"`, with which programs keep a number from losing
//! its zeros, is read as the text between the quotation marks.

/// Returns whether a text needs an apostrophe.
pub(crate) fn needs_guard(text: &str) -> bool {
    text.trim_start_matches(APOSTROPHE).starts_with(TRIGGERS)
}

/// Returns the text of a cell of a CSV file.
pub(crate) fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix(APOSTROPHE) {
        Some(text) if needs_guard(text) => text,
        _ => quoted_text(cell).unwrap_or(cell),
    }
}

/// Returns the text of a formula that is nothing but a text: `="0123"`.
fn quoted_text(cell: &str) -> Option<&str> {
    let text = cell.strip_prefix("=\"")?.strip_suffix('"')?;
    (!text.contains('"')).then_some(text)
}

const APOSTROPHE: char = '\'';

const TRIGGERS: [char; 11] = ['=', '+', '-', '@', '\t', '\n', '\r', '＝', '＋', '－', '＠'];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn guarded(text: &str) -> String {
        if needs_guard(text) { format!("'{text}") } else { text.to_owned() }
    }

    #[test]
    fn formulas_are_guarded() {
        for text in ["=1+1", "+49", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''+", "＝1"] {
            assert!(guarded(text).starts_with('\''), "{text:?}");
        }
        for text in ["", "'", "'tis", "1=1", "https://example.com/-", " =1"] {
            assert_eq!(guarded(text), text);
        }
        assert_eq!(unguarded("=\"09506000134352\""), "09506000134352");
        assert_eq!(unguarded("=\"a\"&\"b\""), "=\"a\"&\"b\"");
        assert_eq!(unguarded("=SUM(A1:A9)"), "=SUM(A1:A9)");
        assert_eq!(unguarded("+49 30 1234"), "+49 30 1234");
    }

    proptest! {
        #[test]
        fn guarding_is_undone(text in "['=+@\"a\t-]{0,6}|\\PC{0,5}") {
            let cell = guarded(&text);
            prop_assert_eq!(unguarded(&cell), text);
            prop_assert!(!cell.starts_with(TRIGGERS));
        }
    }
}
