//! The representation of a linkset: content negotiation (GS1-Conformant Resolver 1.2.0 section
//! 2.10, RES-2.10-1, -2, -6, -7; ER-8, ER-9).

use crate::accept::{Accept, Quality, Specificity};

/// The form in which a linkset is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub enum Format {
    /// A human-readable page that contains the linkset as JSON-LD.
    Html,
    /// RFC 9264 JSON.
    LinksetJson,
    /// RFC 9264 text, in the syntax of the `Link` header field.
    LinksetText,
    /// The same JSON, as `application/json`.
    Json,
    /// The same JSON with its context definitions.
    JsonLd,
}

impl Format {
    /// Returns the media type, for `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::LinksetJson => LINKSET_JSON,
            Self::LinksetText => LINKSET_TEXT,
            Self::Json => JSON,
            Self::JsonLd => JSON_LD,
        }
    }

    /// Returns the best form for an `Accept` header; `None` means a header without effect.
    ///
    /// The order is: highest weight, then the more specific range, then header order, then the
    /// order of the variants. A form that no range covers is not sent, unless no form is
    /// covered at all: then the JSON linkset is sent, never 406.
    pub(crate) fn negotiate(accept: Option<&Accept<'_>>) -> Self {
        let Some(accept) = accept else { return Self::Html };
        let mut best: Option<(Rank, Self)> = None;
        for (media_type, format) in OFFERS {
            let Some((at, range)) = accept.deciding(media_type.as_bytes()) else { continue };
            // `application/*` means JSON, so XHTML counts only if it is named.
            let by_wildcard = range.specificity() != Specificity::Exact;
            if range.quality() == 0 || (media_type == XHTML && by_wildcard) {
                continue;
            }
            let rank = (range.quality(), range.specificity(), std::cmp::Reverse(at));
            if best.is_none_or(|(best, _)| rank > best) {
                best = Some((rank, format));
            }
        }
        best.map_or(Self::LinksetJson, |(_, format)| format)
    }
}

type Rank = (Quality, Specificity, std::cmp::Reverse<usize>);

/// RFC 9264 section 4.2.
pub(crate) const LINKSET_JSON: &str = "application/linkset+json";
/// RFC 9264 section 4.1.
pub(crate) const LINKSET_TEXT: &str = "application/linkset";
pub(crate) const JSON: &str = "application/json";
pub(crate) const JSON_LD: &str = "application/ld+json";
const XHTML: &str = "application/xhtml+xml";

const OFFERS: [(&str, Format); 6] = [
    ("text/html", Format::Html),
    (XHTML, Format::Html),
    (LINKSET_JSON, Format::LinksetJson),
    (JSON, Format::Json),
    (JSON_LD, Format::JsonLd),
    (LINKSET_TEXT, Format::LinksetText),
];

#[cfg(test)]
mod tests {
    use super::*;

    // RES-2.10-1, RES-2.10-2, RES-2.10-6, RES-2.10-7, ER-9
    #[test]
    fn negotiates() {
        for (accept, expected) in [
            ("", Format::Html),
            ("*/*", Format::Html),
            ("undefined", Format::Html),
            ("text/html", Format::Html),
            ("text/*", Format::Html),
            ("application/xhtml+xml", Format::Html),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", Format::Html),
            ("application/linkset+json", Format::LinksetJson),
            ("Application/Linkset+JSON;charset=utf-8", Format::LinksetJson),
            ("application/*", Format::LinksetJson),
            ("application/linkset", Format::LinksetText),
            ("application/linkset;q=0.9, application/*;q=0.8", Format::LinksetText),
            ("text/html;q=0.5, application/linkset;q=0.4", Format::Html),
            ("application/json", Format::Json),
            ("application/ld+json", Format::JsonLd),
            ("application/json, application/ld+json", Format::Json),
            ("application/ld+json, application/json", Format::JsonLd),
            ("application/*, application/ld+json", Format::JsonLd),
            ("application/json;q=0.9,*/*;q=0.1", Format::Json),
            ("image/png", Format::LinksetJson),
            ("image/png, */*;q=0.5", Format::Html),
            ("*/*, text/html;q=0", Format::LinksetJson),
            ("text/html;q=0", Format::LinksetJson),
            ("*/*;q=0", Format::LinksetJson),
            ("application/json;q=0.5, text/html;q=0.6", Format::Html),
        ] {
            let read = Accept::read(accept.as_bytes());
            let accept_or_none = Some(&read).filter(|accept| !accept.is_absent());
            assert_eq!(Format::negotiate(accept_or_none), expected, "{accept}");
        }
    }
}
