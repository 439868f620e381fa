//! Patterns of assets: a document of the first part of a GIAI (8004), GRAI (8003) or SSCC (00),
//! whose targets have `{0}` (the registered part) or `{1}` (the rest of the scanned value).
//!
//! The record of a company prefix with the same digits covers the same values. A target can name
//! the whole value, so `{1}` directly after the registered part, or after `{0}`, has a counterpart;
//! alone it has none. A GRAI has a 0 before the prefix, an SSCC an extension digit of which no
//! record says which one it is.

use fingerpost_gs1::Ai;
use fingerpost_resolver::{Anchor, CompanyPrefix};

use crate::document::{CeDocument, CeQualifier};
use crate::outcome::OutcomeReason;

/// The anchor, and what replaces each text in targets.
type PatternAnchor = (Anchor, Vec<(String, String)>);

/// Returns the anchor of a document that is a pattern, or why it has none.
pub(crate) fn locate(
    document: &CeDocument,
    ai: Ai,
    value: &str,
    qualifiers: &[CeQualifier],
) -> Option<Result<PatternAnchor, OutcomeReason>> {
    let has_parts = |href: &str| href.contains("{0}") || href.contains("{1}");
    let is_pattern = document.links.iter().any(|link| has_parts(&link.href));
    if !matches!(ai.as_str(), "00" | "8003" | "8004") || !is_pattern {
        return None;
    }
    let fault = |message: &str| Some(Err(OutcomeReason::new("asset-pattern", message)));
    if !qualifiers.is_empty() {
        return fault("expected a pattern without qualifiers: no record has both");
    }
    if ai.as_str() == "00" {
        return fault(
            "expected a GIAI or GRAI, found an SSCC: no record covers one extension digit",
        );
    }
    let Some(anchor) = anchor(ai, value) else {
        return fault("expected 4 to 12 digits before the variable part, as a company prefix has");
    };
    let whole = format!("{{{ai}}}");
    let replacements =
        vec![("{0}".to_owned(), value.to_owned()), (format!("{value}{{1}}"), whole.clone())];
    let replaced = |href: &str| replace(href, &replacements);
    let links = || document.links.iter().map(|link| replaced(&link.href));
    if links().any(|href| has_parts(&href)) {
        return fault(
            "expected {1} directly after the registered part: no record has the rest alone",
        );
    }
    if links().any(|href| !href.contains(&whole)) {
        return fault(
            "expected the scanned value in each target: others would be served for all keys of the company",
        );
    }
    Some(Ok((anchor, replacements)))
}

/// Returns the anchor of a pattern with this registered part.
pub(crate) fn anchor(ai: Ai, value: &str) -> Option<Anchor> {
    let digits = match ai.as_str() {
        "8004" => value,
        "8003" => value.strip_prefix('0')?,
        _ => return None,
    };
    CompanyPrefix::parse(digits).ok().map(|prefix| Anchor::company_prefix(&prefix))
}

/// Replaces texts one after the other.
pub(crate) fn replace(text: &str, replacements: &[(String, String)]) -> String {
    replacements.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Returns the anchor and the text for `{1}` with which the record of a company prefix is a pattern
/// again, if its targets name the whole value of one type of asset.
pub(crate) fn of_company_prefix(digits: &str, hrefs: &[&str]) -> Option<(String, String, String)> {
    ["8004", "8003"].into_iter().find_map(|ai| {
        let whole = format!("{{{ai}}}");
        let is_whole = hrefs.iter().all(|href| href.contains(&whole));
        let value = if ai == "8003" { format!("0{digits}") } else { digits.to_owned() };
        let part = format!("{value}{{1}}");
        (is_whole && !hrefs.is_empty()).then(|| (format!("/{ai}/{value}"), whole, part))
    })
}
