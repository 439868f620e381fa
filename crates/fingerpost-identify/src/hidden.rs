//! Characters that must be escaped before they are shown on a screen.

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
