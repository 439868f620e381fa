//! The anchor of the record that a document becomes, and what its variables are called there.
//!
//! ```text
//! no qualifiers                       the key
//! concrete qualifiers                 the level
//! … and a variable at the end         any value of that qualifier
//! … and several variables             any value of the first, or the level above if it is not the last
//! 21 beside other qualifiers          21 alone (RES-2.5.10-2)
//! {0}, {1} in a target                the company prefix (`pattern`)
//! ```

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_resolver::Anchor;

use crate::document::{CeDocument, CeLink, CeQualifier, distinct};
use crate::limits::MAX_SHOWN_TEXT;
use crate::outcome::{OutcomeReason, Repair};
use crate::{pattern, v2};

/// The anchor of the record of a document.
#[derive(Debug)]
pub(crate) struct RecordAnchor {
    pub(crate) anchor: Anchor,
    /// What replaces each text in targets, in this order.
    pub(crate) replacements: Vec<(String, String)>,
    pub(crate) repairs: Vec<Repair>,
}

impl RecordAnchor {
    /// Returns the document with the placeholders of the record in its targets.
    pub(crate) fn filled(&self, document: &CeDocument) -> CeDocument {
        let links = distinct(document.links.iter().cloned().map(|link| self.filled_link(link)));
        CeDocument { links, ..document.clone() }
    }

    /// Returns a link with the placeholders of the record in its target.
    pub(crate) fn filled_link(&self, link: CeLink) -> CeLink {
        CeLink { href: pattern::replace(&link.href, &self.replacements), ..link }
    }
}

/// Returns the anchors at which a key, and a pattern with its value, are registered.
pub(crate) fn keys(anchor: &str) -> Vec<Anchor> {
    let Some((ai, value)) = anchor.trim_start_matches('/').split_once('/') else {
        return Vec::new();
    };
    let Some(ai) = Ai::new(ai) else { return Vec::new() };
    let key = EntityKey::new((ai, value), &[]).ok().map(Anchor::from);
    key.into_iter().chain(pattern::anchor(ai, value)).collect()
}

/// Returns the anchor of the record of a document.
pub(crate) fn locate(document: &CeDocument) -> Result<RecordAnchor, OutcomeReason> {
    let mut repairs = Vec::new();
    let (ai, value, more) = key_of(&document.anchor, &mut repairs)?;
    let mut qualifiers = document.qualifier_set();
    if !more.is_empty() {
        if !qualifiers.is_empty() {
            return Err(fault(
                "anchor",
                "expected an anchor without qualifiers beside `qualifiers`",
            ));
        }
        repairs.push(Repair::AnchorQualifiers);
        qualifiers = more;
    }
    let ai = ai_of(&ai)?;
    if let Some(pattern) = pattern::locate(document, ai, &value, &qualifiers) {
        let (anchor, replacements) = pattern?;
        repairs.push(Repair::AssetPattern);
        return Ok(RecordAnchor { anchor, replacements, repairs });
    }
    let mut pairs = Vec::new();
    for qualifier in qualifiers {
        pairs.push((ai_of(&qualifier.ai)?, qualifier));
    }
    pairs.sort_by_key(|(ai, _)| ORDER.iter().position(|known| *known == ai.as_str()));
    let replacements = pairs.iter().filter_map(|(ai, qualifier)| {
        Some((qualifier.variable()?.to_owned(), format!("{{{ai}}}")))
    });
    let replacements = replacements.collect();
    if matches!(ai.as_str(), "01" | "8006") {
        keep_serial(&mut pairs, &mut repairs);
    }
    let anchor = anchor((ai, &value), &pairs, &mut repairs)?;
    Ok(RecordAnchor { anchor, replacements, repairs })
}

/// Leaves the serial number alone, if it says more than the other qualifiers.
fn keep_serial(pairs: &mut Vec<(Ai, CeQualifier)>, repairs: &mut Vec<Repair>) {
    let Some(serial) = pairs.iter().position(|(ai, _)| *ai == Ai::SERIAL) else { return };
    let is_variable = |(_, qualifier): &(Ai, CeQualifier)| qualifier.variable().is_some();
    let others_vary = pairs.iter().filter(|(ai, _)| *ai != Ai::SERIAL).all(is_variable);
    if pairs.len() > 1 && (!is_variable(&pairs[serial]) || others_vary) {
        pairs.retain(|(ai, _)| *ai == Ai::SERIAL);
        repairs.push(Repair::SerialAlone);
    }
}

fn anchor(
    (ai, value): (Ai, &str),
    pairs: &[(Ai, CeQualifier)],
    repairs: &mut Vec<Repair>,
) -> Result<Anchor, OutcomeReason> {
    let is_variable = |(_, qualifier): &&(Ai, CeQualifier)| qualifier.variable().is_some();
    let concrete: Vec<_> = pairs.iter().take_while(|pair| !is_variable(pair)).collect();
    let variables = &pairs[concrete.len()..];
    if let Some((ai, _)) = variables.iter().find(|pair| !is_variable(pair)) {
        let message = format!("expected no value of ({ai}) after a variable, found one");
        return Err(fault("variable", message));
    }
    let values: Vec<_> = concrete.iter().map(|(ai, q)| (*ai, q.value.as_str())).collect();
    let key = EntityKey::new((ai, value), &values)
        .map_err(|error| fault(error.kind().code(), error.to_string()))?;
    let Some((variable, _)) = variables.first() else { return Ok(key.into()) };
    let (key_level, rest) = key.as_str().split_at(key.key_level().len());
    let any = Anchor::parse(&format!("/{key_level}/-any{rest}/{variable}"));
    // A serial number of one lot is no level; the lot is.
    if *variable == Ai::SERIAL && !concrete.is_empty() {
        repairs.push(Repair::VariableAbove);
        return Ok(key.into());
    }
    let any = any.map_err(|error| fault(error.requirement(), error.to_string()))?;
    if variables.len() > 1 {
        repairs.push(Repair::Variables);
    }
    Ok(any)
}

/// Splits an anchor into the key and qualifiers after it.
fn key_of(
    anchor: &str,
    repairs: &mut Vec<Repair>,
) -> Result<(String, String, Vec<CeQualifier>), OutcomeReason> {
    let mut path = anchor;
    if let Some((_, after)) = anchor.split_once("://") {
        repairs.push(Repair::AnchorAddress);
        path = after.split_once('/').map_or("", |(_, path)| path);
        path = path.split(['?', '#']).next().unwrap_or_default();
    }
    let mut parts = v2::qualifiers(path).into_iter();
    let Some(CeQualifier { ai, value }) = parts.next().filter(|key| !key.value.is_empty()) else {
        return Err(fault("anchor", "expected an anchor such as /01/09506000134352"));
    };
    let is_short = matches!(value.len(), 8 | 12 | 13) && value.bytes().all(|b| b.is_ascii_digit());
    let value = match ai.as_str() {
        "01" if is_short => {
            repairs.push(Repair::ShortGtin);
            format!("{value:0>14}")
        }
        _ => value,
    };
    Ok((ai, value, parts.collect()))
}

fn ai_of(text: &str) -> Result<Ai, OutcomeReason> {
    let ai = Ai::new(text).filter(|ai| ai.entry().is_some());
    ai.ok_or_else(|| {
        let shown = fingerpost_resolver::excerpt(text, MAX_SHOWN_TEXT);
        fault(
            "application-identifier",
            format!("expected an Application Identifier, found {shown:?}"),
        )
    })
}

fn fault(id: &str, message: impl Into<String>) -> OutcomeReason {
    OutcomeReason::new(id, message)
}

/// Key qualifiers, each before those that follow it in a path.
const ORDER: &[&str] = &["22", "10", "21", "235", "254", "7040", "8011", "8019", "8020"];

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the anchor and the repairs, or the fault.
    fn found(anchor: &str, qualifiers: &str) -> Result<(String, Vec<&'static str>), String> {
        let text = format!(
            r#"{{"anchor":"{anchor}","itemDescription":"","defaultLinktype":"gs1:pip",
            "links":[],"qualifiers":[{qualifiers}]}}"#
        );
        let located = locate(&serde_json::from_str(&text).unwrap()).map_err(|fault| fault.id)?;
        let repairs = located.repairs.into_iter().map(|repair| repair.rule().0).collect();
        Ok((located.anchor.to_string(), repairs))
    }

    #[test]
    fn qualifier_sets_have_a_level() {
        const GTIN: &str = "/01/09506000134352";
        for (qualifiers, anchor, repairs) in [
            ("", "", &[][..]),
            (r#"{"10":"L1"}"#, "/10/L1", &[]),
            (r#"{"10":"A/B"},{"22":"V"}"#, "/22/V/10/A%2FB", &[]),
            (r#"{"21":"{serial}"}"#, "/-any/21", &[]),
            (r#"{"10":"{lot}"},{"22":"V"}"#, "/-any/22/V/10", &[]),
            (r#"{"10":"{lot}"},{"22":"{v}"}"#, "/-any/22", &["variables"]),
            (r#"{"10":"L1"},{"21":"S1"}"#, "/21/S1", &["serial-alone"]),
            (r#"{"10":"{lot}"},{"21":"{serial}"}"#, "/-any/21", &["serial-alone"]),
            (r#"{"10":"L1"},{"21":"{serial}"}"#, "/10/L1", &["variable-above"]),
        ] {
            let expected = ([&GTIN[1..], anchor].concat(), repairs.to_vec());
            assert_eq!(found(GTIN, qualifiers), Ok(expected), "{qualifiers}");
        }
    }

    #[test]
    fn anchors_are_read_generously() {
        let gtin = "01/09506000134352".to_owned();
        for (anchor, repair) in [
            ("https://id.example.org/01/09506000134352?a", "anchor-address"),
            ("/01/9506000134352", "short-gtin"),
        ] {
            assert_eq!(found(anchor, ""), Ok((gtin.clone(), vec![repair])), "{anchor}");
        }
        let qualified = Ok((format!("{gtin}/10/L1"), vec!["anchor-qualifiers"]));
        assert_eq!(found("/01/09506000134352/10/L1", ""), qualified);
    }

    #[test]
    fn what_no_record_can_cover_is_a_fault() {
        for (anchor, qualifiers, id) in [
            ("/01/09506000134353", "", "L_INCORRECT_CHECK_DIGIT"),
            ("/01", "", "anchor"),
            ("/zz/1", "", "application-identifier"),
            ("/01/09506000134352", r#"{"10":"L"},{"22":"{v}"}"#, "variable"),
            ("/01/09506000134352/10/L", r#"{"10":"L"}"#, "anchor"),
            ("/01/09506000134352", r#"{"254":"X"}"#, "QUALIFIER_SEQUENCE"),
        ] {
            assert_eq!(found(anchor, qualifiers), Err(id.to_owned()), "{anchor} {qualifiers}");
        }
    }
}
