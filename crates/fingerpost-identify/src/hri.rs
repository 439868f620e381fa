//! Human-readable interpretation, as printed below a barcode: `(01) 09520123456788 (10) ABC`.
//!
//! ```text
//! hri   = element *( SP element )
//! element = "(" AI ")" SP value         ; no value contains a space, and "(" in it is not escaped
//!         / "(" AI ")" value            ; as in a bracketed element string, also common in print
//! ```

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A bracketed element string, and the position of each of its bytes in the interpretation it was
/// made from.
pub(crate) struct Unspaced {
    pub(crate) bracketed: String,
    positions: Vec<usize>,
}

impl Unspaced {
    /// Returns the element string of an interpretation; `None` if `text` is not one, or has no
    /// spaces.
    pub(crate) fn of(text: &str) -> Option<Self> {
        if !text.starts_with('(') || !text.contains(' ') {
            return None;
        }
        let mut all = Self { bracketed: String::with_capacity(text.len()), positions: Vec::new() };
        let (mut at, mut is_value_next) = (0, false);
        for word in text.split(' ') {
            match word {
                "" => {}
                _ if is_value_next => {
                    all.push(word, at, true);
                    is_value_next = false;
                }
                _ if word.starts_with('(') => {
                    all.push(word, at, false);
                    is_value_next = is_bracketed_ai(word);
                }
                // A space within a value.
                _ => return None,
            }
            at += word.len() + 1;
        }
        Some(all)
    }

    fn push(&mut self, word: &str, at: usize, escapes: bool) {
        for (nth, char) in word.char_indices() {
            if escapes && char == '(' {
                self.bracketed.push('\\');
                self.positions.push(at + nth);
            }
            self.bracketed.push(char);
            self.positions.extend((0..char.len_utf8()).map(|byte| at + nth + byte));
        }
    }

    /// Returns the position in the interpretation, which has `length` bytes, of one in the element
    /// string.
    pub(crate) fn span_in_hri(&self, span: Range<usize>, length: usize) -> Range<usize> {
        let start = self.positions.get(span.start).copied().unwrap_or(length);
        let end = match span.end.checked_sub(1).and_then(|last| self.positions.get(last)) {
            Some(last) if span.end > span.start => last + 1,
            _ => start,
        };
        start..end.max(start)
    }
}

/// Returns whether a word is an Application Identifier in brackets, without a value.
fn is_bracketed_ai(word: &str) -> bool {
    let digits = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::Unspaced;

    #[test]
    fn spaces_are_left_out_and_positions_kept() {
        for (text, bracketed) in [
            ("(01) 09520123456788 (10) ABC", Some("(01)09520123456788(10)ABC")),
            ("(01)09520123456788 (10)ABC", Some("(01)09520123456788(10)ABC")),
            ("(10) A(01)B  (21) C", Some(r"(10)A\(01)B(21)C")),
            ("(10) (A) (21) C", Some(r"(10)\(A)(21)C")),
            ("(10)A B", None),
            ("(10)A", None),
        ] {
            let found = Unspaced::of(text);
            assert_eq!(found.map(|found| found.bracketed).as_deref(), bracketed, "{text}");
        }
        let found = Unspaced::of("(10) A(B (21) C").unwrap();
        assert_eq!(found.span_in_hri(4..8, 15), 5..8);
        assert_eq!(found.span_in_hri(12..13, 15), 14..15);
        assert_eq!(found.span_in_hri(13..13, 15), 15..15);
    }
}
