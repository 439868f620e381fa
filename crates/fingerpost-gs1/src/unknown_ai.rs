//! Application Identifiers outside the dictionary: those of Digital Link URI Syntax 1.4.1 only, and
//! those not allocated yet (GS1 Barcode Syntax Engine, option to permit unknown Application
//! Identifiers).

use crate::ai::shortcuts::Shortcuts;
use crate::ai::{Ai, AiEntry};
use crate::component::{CharacterSet, ValueComponent};
use crate::options::Options;

/// Returns the row of `ai`: that of the dictionary or, if `options` permit, a placeholder row.
#[inline]
pub(crate) fn entry_for(ai: Ai, options: &Options) -> Option<&'static AiEntry> {
    match ai.entry() {
        Some(entry) => Some(entry),
        None => substitute(ai, options),
    }
}

#[cold]
fn substitute(ai: Ai, options: &Options) -> Option<&'static AiEntry> {
    if options.reads_uri_syntax_1_4() && matches!(ai.as_str(), "3944" | "3945") {
        // URI Syntax 1.4.1 continues the percentages of 3940 to 3943.
        return Ai::new("3943").and_then(Ai::entry);
    }
    if !options.allows_unknown_ais() {
        return None;
    }
    let digits = ai.as_str().as_bytes();
    // All Application Identifiers with the same prefix have the same length, so a listed prefix
    // with another length would be the beginning or the continuation of a known Application
    // Identifier.
    if Ai::length_for_prefix([digits[0], digits[1]]).is_some_and(|length| length != digits.len()) {
        return None;
    }
    Some(match (digits[0], digits[1]) {
        (b'4', b'1') => &LOCATION,
        (b'3', b'1'..=b'6') => &MEASURE,
        _ => &ANY,
    })
}

/// The row for most of them: up to 90 characters, followed by FNC1.
pub(crate) static ANY: AiEntry = row(&[component(CharacterSet::Cset82, 1, 90)], false);

/// The row for 41x, whose length is predefined for any x.
static LOCATION: AiEntry = row(&[component(CharacterSet::Cset82, 13, 13)], true);

/// The row for 31xx to 36xx, whose length is predefined.
static MEASURE: AiEntry = row(&[component(CharacterSet::Cset82, 6, 6)], true);

const fn component(charset: CharacterSet, min: u8, max: u8) -> ValueComponent {
    ValueComponent { charset, min, max, optional: false, linters: &[] }
}

const fn row(components: &'static [ValueComponent], predefined_length: bool) -> AiEntry {
    AiEntry {
        first: Ai::GTIN,
        last: Ai::GTIN,
        title: "",
        components,
        number: None,
        min_length: components[0].min,
        max_length: components[0].max,
        predefined_length,
        attribute: false,
        qualifier_sequences: None,
        requires: &[],
        excludes: &[],
        shortcuts: Shortcuts::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_ais_need_a_free_slot() {
        // GS1-ES-18
        let options = Options::new().unknown_ais(true);
        let accepts = |text| Ai::new(text).and_then(|ai| entry_for(ai, &options)).is_some();
        for text in ["89", "891", "8912", "04", "419", "3106", "7012"] {
            assert!(accepts(text), "{text}");
        }
        for text in ["800", "80", "011", "310", "41", "2345"] {
            assert!(!accepts(text), "{text}");
        }
        assert!(entry_for(Ai::new("419").unwrap(), &options).unwrap().is_predefined_length());
        assert!(entry_for(Ai::new("3106").unwrap(), &options).unwrap().is_predefined_length());
    }

    #[test]
    fn uri_syntax_1_4_has_two_more_percentages() {
        // GS1-DIFF-02
        let options = Options::new().uri_syntax_1_4(true);
        for text in ["3944", "3945"] {
            let ai = Ai::new(text).unwrap();
            assert_eq!(entry_for(ai, &options).map(AiEntry::title), Some("PRCNT OFF"));
            assert!(entry_for(ai, &Options::new()).is_none());
        }
        assert!(entry_for(Ai::new("3946").unwrap(), &options).is_none());
    }
}
