//! The position of the GS1 Company Prefix in a key (GS1 General Specifications, section 1.4; marks
//! of the GS1 Barcode Syntax Dictionary).
//!
//! The dictionary marks the component that begins with a company prefix by a content rule:
//! `gcppos1` if the prefix is first, `gcppos2` if one digit precedes it (the indicator digit of a
//! GTIN, the extension digit of an SSCC). Components before it have a fixed length (the leading
//! zero of a GRAI).

use super::EntityKey;
use crate::{Ai, CharacterSet, Linter};

/// The digits after the indicator digit of a GTIN-8 written with 14 digits. A GTIN-8 has no company
/// prefix.
const GTIN_8: &str = "00000";

impl EntityKey {
    /// Returns the characters of the primary key from the start of its GS1 Company Prefix. The key
    /// does not show the length of the prefix. `None` if the key has none: a GTIN-8, also
    /// within an ITIP.
    ///
    /// ```
    /// use fingerpost_gs1::EntityKey;
    ///
    /// for key in ["/01/19506000134359", "/8003/09506000134352A", "/414/9506000134352/254/1"] {
    ///     assert!(EntityKey::parse(key)?.company_prefix_part().is_some_and(|part| part.starts_with("9506000")));
    /// }
    /// assert_eq!(EntityKey::parse("/01/00000095060002")?.company_prefix_part(), None);
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    #[must_use]
    pub fn company_prefix_part(&self) -> Option<&str> {
        // Most keys are GTINs, which need no look at the table.
        let (part, is_gtin) = if let Some(gtin) = self.as_str().strip_prefix("01/") {
            (gtin.get(1..GTIN_DIGITS)?, true)
        } else {
            let (ai, value) = self.pairs().next()?;
            (value.get(offset(ai)?..)?, is_gtin(ai))
        };
        let is_gtin_8 = is_gtin && part.starts_with(GTIN_8);
        (!is_gtin_8).then_some(part)
    }

    /// Returns the primary keys that have a company prefix, each with the number of digits before
    /// it.
    ///
    /// ```
    /// use fingerpost_gs1::{Ai, EntityKey};
    ///
    /// let offsets: Vec<_> = EntityKey::company_prefix_offsets().collect();
    /// assert!(offsets.contains(&(Ai::GTIN, 1)) && offsets.contains(&(Ai::GLN, 0)));
    /// ```
    pub fn company_prefix_offsets() -> impl Iterator<Item = (Ai, usize)> {
        let keys = Ai::all().map(|(ai, _)| ai).filter(|ai| ai.is_primary_key());
        keys.filter_map(|ai| Some((ai, offset(ai)?)))
    }
}

/// Returns the number of characters before the company prefix.
fn offset(ai: Ai) -> Option<usize> {
    let mut before = 0;
    for component in ai.entry()?.components() {
        if component.linters().contains(&Linter::GcpPos1) {
            return Some(before);
        }
        if component.linters().contains(&Linter::GcpPos2) {
            return Some(before + 1);
        }
        before += component.max_length();
    }
    None
}

/// Returns whether it is a GTIN of 14 digits; the other keys with one digit before the prefix are
/// SSCCs.
fn is_gtin(ai: Ai) -> bool {
    let first = ai.entry().and_then(|entry| entry.components().first());
    first.is_some_and(|first| {
        first.character_set() == CharacterSet::Digits
            && first.max_length() == GTIN_DIGITS
            && first.linters().contains(&Linter::GcpPos2)
    })
}

const GTIN_DIGITS: usize = 14;

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn every_key_type_tells_where_its_prefix_begins() {
        for (key, expected) in [
            ("00/395060001343500009", "95060001343500009"),
            ("01/09506000134352", "9506000134352"),
            ("01/99506000134355/21/1", "9506000134355"),
            ("253/9506000134352X", "9506000134352X"),
            ("255/95060001343521", "95060001343521"),
            ("401/9506000A%2F", "9506000A%2F"),
            ("402/95060001343500001", "95060001343500001"),
            ("414/9506000134352", "9506000134352"),
            ("415/9506000134352/8020/1", "9506000134352"),
            ("417/9506000134352", "9506000134352"),
            ("8003/09506000134352", "9506000134352"),
            ("8004/9506000A", "9506000A"),
            ("8006/195060001343590102", "95060001343590102"),
            ("8010/9506000A", "9506000A"),
            ("8013/9506000A", "9506000A"),
            ("8017/950600013435200001", "950600013435200001"),
            ("8018/950600013435200001", "950600013435200001"),
        ] {
            let key = EntityKey(key.into());
            assert_eq!(key.company_prefix_part(), Some(expected), "{key}");
        }
        for key in ["01/00000095060002", "01/10000095060009", "8006/000000950600020102"] {
            assert_eq!(EntityKey(key.into()).company_prefix_part(), None, "{key}");
        }
    }

    #[test]
    fn all_primary_keys_but_none_have_a_prefix() {
        let with: Vec<Ai> = EntityKey::company_prefix_offsets().map(|(ai, _)| ai).collect();
        let all: Vec<Ai> = Ai::all().map(|(ai, _)| ai).filter(|ai| ai.is_primary_key()).collect();
        assert_eq!(with, all);
    }
}
