//! The division of each Application Identifier's value into fields, and the codes for combinations
//! of Application Identifiers. The tables are older than the current dictionary rows and must not
//! change, because they define the bits.

use crate::Ai;

mod table;

/// A code of two hexadecimal digits for several Application Identifiers. At least one of the digits
/// is a letter, so it cannot be the start of an Application Identifier.
pub(super) struct Code {
    pub(super) code: u8,
    /// In the order in which their values are written.
    pub(super) ais: &'static [Ai],
    /// In the order of the published table; it differs for two codes, which the toolkit sorts.
    pub(super) published: &'static [Ai],
}

/// The fields of the values of a range of Application Identifiers.
pub(super) struct Format {
    pub(super) first: Ai,
    pub(super) last: Ai,
    pub(super) parts: &'static [Part],
}

/// One field. Only the last one of a value varies in length.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// This many digits.
    Digits(u8),
    /// Up to this many digits, preceded by their count.
    UpToDigits(u8),
    /// This many characters.
    Text(u8),
    /// Up to this many characters, preceded by their count.
    UpToText(u8),
}

/// Selects one of the orders of [`Code`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Sorted,
    Published,
}

/// Returns the fields of the value of `ai`, if this format can encode it.
pub(super) fn parts_of(ai: Ai) -> Option<&'static [Part]> {
    let after = table::FORMATS.partition_point(|format| format.first <= ai);
    let format = table::FORMATS.get(after.checked_sub(1)?)?;
    let covers = ai <= format.last && ai.digit_count() == format.first.digit_count();
    covers.then_some(format.parts)
}

/// Returns all codes, in the order of the table.
pub(super) fn codes() -> &'static [Code] {
    &table::CODES
}

/// Returns the code with this number.
pub(super) fn code(number: u8) -> Option<&'static Code> {
    table::CODES.iter().find(|code| code.code == number)
}

/// Returns the length of an Application Identifier that begins with `tens` and `units`.
pub(super) fn ai_length(tens: u8, units: u8) -> Option<usize> {
    let length = *table::PREFIX_LENGTHS.get(usize::from(tens) * 10 + usize::from(units))?;
    (length > 0).then_some(usize::from(length))
}

/// Returns the number of bits of a number with this many digits: the table's count, which is one
/// above the minimum for 59 digits.
pub(super) fn value_bits(digits: usize) -> usize {
    table::VALUE_BITS.get(digits).copied().map_or(0, usize::from)
}

/// Returns the number of bits for the length of a field of at most `max` characters.
pub(super) const fn length_bits(max: u8) -> u32 {
    u8::BITS - max.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    // GS1-LC-02, GS1-LC-03
    #[test]
    fn sizes_are_those_of_the_formula() {
        for (max, bits) in [
            (2, 2),
            (3, 2),
            (4, 3),
            (6, 3),
            (7, 3),
            (8, 4),
            (9, 4),
            (15, 4),
            (16, 5),
            (31, 5),
            (35, 6),
            (50, 6),
            (70, 7),
            (90, 7),
        ] {
            assert_eq!(length_bits(max), bits, "{max}");
        }
        assert_eq!(value_bits(0), 0);
        for digits in 1..=127_u32 {
            // ceil(n × log2(10) + 0.01)
            let formula = (f64::from(digits) * core::f64::consts::LOG2_10 + 0.01) as usize + 1;
            assert_eq!(value_bits(digits as usize), formula, "{digits}");
        }
        assert_eq!(value_bits(59), 197);
    }

    // GS1-LC-04
    #[test]
    fn codes_are_no_start_of_an_ai_and_hold_known_formats() {
        assert_eq!(table::CODES.len(), 52);
        for Code { code, ais, published } in &table::CODES {
            assert!(code >> 4 > 9 || code & 15 > 9, "{code:02X}");
            assert!(code >> 4 != 15, "{code:02X}");
            assert!(ais.is_sorted() && ais.iter().all(|&ai| parts_of(ai).is_some()));
            assert!(published.len() == ais.len() && published.iter().all(|ai| ais.contains(ai)));
        }
        let differing: Vec<u8> =
            table::CODES.iter().filter(|c| c.ais != c.published).map(|c| c.code).collect();
        assert_eq!(differing, [0x1A, 0x9D]);
    }

    // GS1-LC-17
    #[test]
    fn all_ais_but_29_have_a_format() {
        let without: Vec<&str> = [
            "03", "4309", "4330", "4331", "4332", "4333", "7011", "7041", "715", "716", "717",
            "7241", "7242", "7250", "7251", "7252", "7253", "7254", "7255", "7256", "7257", "7258",
            "7259", "8014", "8030", "8040", "8041", "8042", "8043",
        ]
        .into();
        for (ai, entry) in Ai::all() {
            assert_eq!(parts_of(ai).is_none(), without.contains(&ai.as_str()), "{ai}");
            let digits = ai.as_str().as_bytes();
            if parts_of(ai).is_some() {
                assert_eq!(ai_length(digits[0] - b'0', digits[1] - b'0'), Some(digits.len()));
            }
            assert!(parts_of(ai).is_some() || entry.qualifier_sequences().is_none(), "{ai}");
        }
        for unknown in ["2401", "24", "3106", "04", "99999"] {
            assert!(Ai::new(unknown).is_none_or(|ai| parts_of(ai).is_none()), "{unknown}");
        }
    }
}
