//! Conversion of levels from user input to the form of the API.

use fingerpost_identify::inspect;
use fingerpost_resolver::{Anchor, ascii_form};

use crate::failure::Failure;
use crate::output::printable;
use crate::underline::underline;

/// Parses a level in any spelling: a path with or without a leading slash, or anything that
/// `fingerpost check` reads.
pub(crate) fn read(text: &str) -> Result<Anchor, Failure> {
    if let Ok(key) = Anchor::parse(text) {
        return Ok(key);
    }
    let converted = ascii_form(text);
    let found = inspect(converted.as_deref().unwrap_or(text));
    if let Some(fault) = found.faults.first() {
        let what = format!(
            "`{}`: {}\n{}",
            printable(found.input),
            printable(&fault.message),
            underline(found.input, fault.span.clone())
        );
        return Err(match fault.help.is_empty() {
            true => Failure::new(what),
            false => Failure::advise(what, &*fault.help),
        });
    }
    let uri = found.item.and_then(|item| item.canonical_uri);
    uri.as_deref().and_then(key_of_canonical).ok_or_else(|| {
        Failure::advise(
            format!("`{}` holds no primary key", printable(found.input)),
            "name a product, location, shipment …: 01/09520123456788",
        )
    })
}

/// Returns the key of an anchor, if it can be determined; the server validates it.
pub(super) fn of_anchor(anchor: &str) -> Option<Anchor> {
    Anchor::parse(anchor).ok().or_else(|| {
        let found = inspect(anchor);
        key_of_canonical(found.item.filter(|_| found.faults.is_empty())?.canonical_uri.as_deref()?)
    })
}

fn key_of_canonical(uri: &str) -> Option<Anchor> {
    let path = uri.strip_prefix(fingerpost_gs1::DigitalLink::REFERENCE_STEM)?;
    Anchor::parse(path.split(['?', '#']).next()?).ok()
}

#[cfg(test)]
mod tests {
    use super::{of_anchor, read};

    #[test]
    fn every_spelling_is_the_same_level() {
        for text in [
            "01/09520123456788/10/LOT7",
            "/01/09520123456788/10/LOT7",
            "/01/09520123456788/10/%4COT7",
            "(01)09520123456788(10)LOT7",
            "https://id.gs1.org/01/09520123456788/10/LOT7?17=271231",
            "https://shop.example/a/b/01/09520123456788/10/LOT7",
        ] {
            assert_eq!(read(text).unwrap().as_str(), "01/09520123456788/10/LOT7", "{text}");
            assert!(of_anchor(text).is_some(), "{text}");
        }
        assert_eq!(read("9520123456788").unwrap().as_str(), "01/09520123456788");
        for text in ["9520123456789", "nonsense", "(10)LOT7", ""] {
            assert!(read(text).is_err() && of_anchor(text).is_none(), "{text}");
        }
    }
}
