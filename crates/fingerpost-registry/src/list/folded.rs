//! Texts as a search compares them: without case and accents.

use unicode_normalization::UnicodeNormalization;

/// Returns a text without case and accents: "Käse" and "KASE" become `kase`.
///
/// Letters are decomposed (Unicode Standard Annex 15, NFKD), and their diacritics left out; the few
/// letters of the Latin script without a decomposition are spelt as on a keyboard without them.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for letter in text.nfkd().flat_map(char::to_lowercase) {
        match letter {
            // The diacritics of Latin, Greek and Cyrillic letters, and Arabic vowel signs. Marks of
            // other scripts are letters of their own.
            '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{652}' => {}
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'đ' => folded.push('d'),
            'ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'ς' => folded.push('σ'),
            other => folded.push(other),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::fold;

    /// A search finds a name however it is typed (PE-7).
    #[test]
    fn case_and_accents_do_not_matter() {
        for (one, other) in [
            ("Käse", "KASE"),
            ("crème brûlée", "creme brulee"),
            ("Ka\u{308}se", "Käse"),
            ("Straße", "STRASSE"),
            ("SMØRREBRØD", "smorrebrod"),
            ("Œuf à la coque", "oeuf a la coque"),
            ("Żółć", "zolc"),
            ("İstanbul", "istanbul"),
            ("ΚΑΦΈΣ", "καφες"),
            ("Ёлка", "елка"),
            ("قَهْوَة", "قهوة"),
            ("ＡＢＣ１２３", "abc123"),
        ] {
            assert_eq!(fold(one), fold(other), "{one}, {other}");
        }
        for (one, other) in [("Käse", "Kise"), ("かき", "かぎ"), ("a", "b"), ("", "a")] {
            assert_ne!(fold(one), fold(other), "{one}, {other}");
        }
    }
}
