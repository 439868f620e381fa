//! Convenience alphas: names that stood for AIs in GS1 Digital Link 1.0 to 1.2. Deprecated in 1.2,
//! gone since 1.3 (GS1 Digital Link URI Syntax 1.4.1, section 4.1). Read only on request, never
//! written; lower case only.

use crate::Ai;

/// Returns the AI that `text` stood for.
#[cold]
pub(super) fn ai_for(text: &str) -> Option<Ai> {
    ALPHAS.iter().find(|(alpha, _)| *alpha == text).and_then(|(_, ai)| Ai::new(ai))
}

/// All but `exp`, `expdt` and `payto` are those of GS1's own software; the three come from the
/// widely copied toolkit of Digital Link 1.1.
const ALPHAS: [(&str, &str); 25] = [
    ("cpid", "8010"),
    ("cpsn", "8011"),
    ("cpv", "22"),
    ("exp", "17"),
    ("expdt", "7003"),
    ("gcn", "255"),
    ("gdti", "253"),
    ("giai", "8004"),
    ("ginc", "401"),
    ("gln", "414"),
    ("glnx", "254"),
    ("gmn", "8013"),
    ("grai", "8003"),
    ("gsin", "402"),
    ("gsrn", "8018"),
    ("gsrnp", "8017"),
    ("gtin", "01"),
    ("itip", "8006"),
    ("lot", "10"),
    ("party", "417"),
    ("payto", "415"),
    ("refno", "8020"),
    ("ser", "21"),
    ("srin", "8019"),
    ("sscc", "00"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alpha_names_an_allocated_ai() {
        for (alpha, _) in ALPHAS {
            assert!(ai_for(alpha).and_then(Ai::entry).is_some(), "{alpha}");
        }
        assert_eq!(ai_for("GTIN"), None);
        assert_eq!(ai_for(""), None);
    }
}
