//! Reads one context object of a GS1 linkset in JSON (RFC 9264 section 4.2, restricted by the GS1
//! linkset schema) as the record of one level.
//!
//! ```text
//! context = { "anchor": path / Digital Link URI, "itemDescription"?: text, link-type: [ link, … ], … }
//! link    = { "href": text, "title": text, "type"?, "hreflang"?, "context"? }
//! ```

use crate::record::{Members, read_document};
use crate::registration::{Accepted, Refused, Rules};

/// Reads one member of the array `linkset` and checks it like a record. Links keep their order;
/// pointers are relative to this object.
///
/// ```
/// use fingerpost_resolver::{Rules, Vocabulary, read_linkset_context};
///
/// let vocabulary = Vocabulary::builtin();
/// let context = br#"{"anchor": "https://id.gs1.org/01/09520123456788", "itemDescription": "Tea",
///     "https://gs1.org/voc/pip": [{"href": "https://example.com/p", "title": "Tea"}]}"#;
/// let entry = read_linkset_context(context, &Rules::new(&vocabulary))?.entry;
/// assert_eq!(entry.anchor().as_str(), "01/09520123456788");
/// assert_eq!(entry.link(0).map(|link| link.link_type()), Some("https://ref.gs1.org/voc/pip"));
/// # Ok::<(), fingerpost_resolver::Refused>(())
/// ```
pub fn read_linkset_context(json: &[u8], rules: &Rules<'_>) -> Result<Accepted, Refused> {
    read_document(json, Members::OfLinkset, rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Vocabulary, read_record};

    #[test]
    fn a_single_link_can_stand_for_an_array_in_a_linkset_only() {
        let vocabulary = Vocabulary::builtin();
        let rules = Rules::new(&vocabulary);
        let link = r#"{"href": "https://example.com/p", "title": "P"}"#;
        let context = format!(
            r#"{{"anchor": "/01/09520123456788", "https://gs1.org/voc/defaultLink": {link}, "gs1:pip": [{link}]}}"#
        );
        let accepted = read_linkset_context(context.as_bytes(), &rules).unwrap();
        assert_eq!(accepted.entry.link_count(), 2);
        let warning = &accepted.warnings[0];
        assert_eq!(
            (warning.pointer(), warning.id()),
            ("/https:~1~1gs1.org~1voc~1defaultLink", "RFC 9264")
        );
        let record = format!(r#"{{"anchor": "/01/09520123456788", "links": {link}}}"#);
        assert_eq!(
            read_record(record.as_bytes(), &rules).unwrap_err().faults[0].pointer(),
            "/links"
        );
    }

    #[test]
    fn the_description_of_levels_without_one_is_left_out() {
        let vocabulary = Vocabulary::builtin();
        let rules = Rules::new(&vocabulary);
        for (description, expected) in [
            ("(01)09520123456788(10)A/B", None),
            ("(01)09520123456788", Some("(01)09520123456788")),
        ] {
            let context = format!(
                r#"{{"anchor": "/01/09520123456788/10/A%2FB", "itemDescription": "{description}",
                "gs1:pip": [{{"href": "https://example.com/p", "title": "P"}}]}}"#
            );
            let entry = read_linkset_context(context.as_bytes(), &rules).unwrap().entry;
            assert_eq!(entry.item_description(), expected);
        }
    }
}
