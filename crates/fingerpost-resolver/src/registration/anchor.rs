//! The anchor of a level: the entity it is about (RES-2.4-1, RES-2.5.10-1 to -3).
//!
//! ```text
//! anchor = "/" canonical-or-other-path      ; below the resolver root: "/01/09520123456788/10/A"
//!        / digital-link-uri                 ; uncompressed, without query and fragment
//! ```

use fingerpost_gs1::{Ai, DigitalLink, EntityKey, Options, Plausibility, plausibility};

use super::Rules;
use crate::fault::shown;

/// An anchor that can be registered.
#[derive(Debug)]
pub(crate) struct Anchor {
    pub(crate) key: EntityKey,
    /// Advice for the registrant.
    pub(crate) advice: Option<String>,
}

/// Reads an anchor; returns the requirement and the message if it is refused.
pub(crate) fn read(text: &str, rules: &Rules<'_>) -> Result<Anchor, (&'static str, String)> {
    let key = if text.starts_with('/') {
        from_path(text)?
    } else if text.starts_with("https://") || text.starts_with("http://") {
        from_uri(text, rules)?
    } else {
        let message = format!("expected a path such as /01/09520123456788, found {}", shown(text));
        return Err(("RES-2.4-1", message));
    };
    if let Err(rule) = key.is_registrable() {
        return Err((rule.requirement(), rule.to_string()));
    }
    // The dictionary makes (22) require (01), the URI grammar allows it with (8006).
    let odd_variant = key.primary_key() == Ai::ITIP && key.encoded_value(Ai::CPV).is_some();
    let advice = odd_variant.then(|| {
        "expected (22) with (01) only, found it with (8006): other tools may refuse it".into()
    });
    Ok(Anchor { key, advice })
}

fn from_path(path: &str) -> Result<EntityKey, (&'static str, String)> {
    EntityKey::parse(path).map_err(|error| (requirement(path), error.to_string()))
}

fn from_uri(uri: &str, rules: &Rules<'_>) -> Result<EntityKey, (&'static str, String)> {
    if uri.contains(['?', '#']) {
        let message =
            format!("expected an anchor without query and fragment, found {}", shown(uri));
        return Err(("RES-2.4-1", message));
    }
    let below = rules.root.and_then(|root| uri.strip_prefix(root.as_str()));
    if let Some(path) = below.filter(|path| path.starts_with('/')) {
        return from_path(path);
    }
    match DigitalLink::parse_with(uri, &Options::new().requisites(false)) {
        Ok(link) => Ok(link.entity_key()),
        Err(_) if plausibility(uri) == Plausibility::Compressed => {
            let message = format!("expected an uncompressed Digital Link, found {}", shown(uri));
            Err(("RES-2.3-4", message))
        }
        Err(error) => Err(("RES-2.4-1", error.to_string())),
    }
}

/// Returns the requirement that a path breaks if it is not a level. The company level of (235) is forbidden by its own rule.
fn requirement(path: &str) -> &'static str {
    let mut ais = path.split('/').skip(1).step_by(2);
    let is_trade_item = ais.next() == Some("01");
    let has_company = ais.clone().count() > 1;
    if is_trade_item && has_company && ais.any(|ai| ai == "235") {
        "RES-2.5.10-1"
    } else {
        "RES-2.4-1"
    }
}
