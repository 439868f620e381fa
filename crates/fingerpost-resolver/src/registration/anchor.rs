//! The anchor of a record: the entity or entities it is about (RES-2.4-1, RES-2.5.10-1 to -3).
//!
//! ```text
//! anchor = "/" anchor-path                  ; below the resolver root: "/01/09520123456788/10/A", "/gcp/9520123"
//!        / digital-link-uri                 ; uncompressed, without query and fragment
//! ```

use std::borrow::Cow;

use fingerpost_gs1::{Ai, DigitalLink, EntityKey, Options, Plausibility};

use super::Rules;
use crate::fault::shown;
use crate::{Anchor, ascii_form};

/// An anchor that can be registered.
#[derive(Debug)]
pub(crate) struct Registrable {
    pub(crate) anchor: Anchor,
    /// Advice for the registrant.
    pub(crate) advice: Option<String>,
}

/// Reads an anchor; returns the requirement and the message if it is refused.
pub(crate) fn read(text: &str, rules: &Rules<'_>) -> Result<Registrable, (&'static str, String)> {
    let anchor = if text.starts_with('/') {
        from_path(text)?
    } else if text.starts_with("https://") || text.starts_with("http://") {
        from_uri(&ascii_form(text).map_or(Cow::Borrowed(text), Cow::Owned), rules)?
    } else {
        let message = format!("expected a path such as /01/09520123456788, found {}", shown(text));
        return Err(("RES-2.4-1", message));
    };
    if let Some(Err(rule)) = anchor.entity().map(EntityKey::is_registrable) {
        return Err((rule.requirement(), rule.to_string()));
    }
    // The dictionary makes (22) require (01), the URI grammar allows it with (8006).
    let odd_variant = anchor.primary_key() == Some(Ai::ITIP)
        && anchor.as_str().contains(&format!("/{}/", Ai::CPV));
    let advice = odd_variant.then(|| {
        "expected (22) with (01) only, found it with (8006): other tools may refuse it".into()
    });
    Ok(Registrable { anchor, advice })
}

fn from_path(path: &str) -> Result<Anchor, (&'static str, String)> {
    Anchor::parse(path).map_err(|error| (error.requirement(), error.to_string()))
}

fn from_uri(uri: &str, rules: &Rules<'_>) -> Result<Anchor, (&'static str, String)> {
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
        Ok(link) => Ok(link.entity_key().into()),
        Err(_) if Plausibility::of(uri) == Plausibility::Compressed => {
            let message = format!("expected an uncompressed Digital Link, found {}", shown(uri));
            Err(("RES-2.3-4", message))
        }
        Err(error) => Err(("RES-2.4-1", error.to_string())),
    }
}
