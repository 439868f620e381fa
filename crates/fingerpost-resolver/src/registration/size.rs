//! Bounds on everything registered at one anchor. Together with the bounds on requests they limit
//! the work of a request and the size of its answer (docs/operations/limits.md). Records that were
//! stored before a bound existed are read as they are.

use crate::anchor::{Anchor, AnchorForm};
use crate::entry::Contents;
use crate::fault::Findings;

/// The maximum number of links of one level. GS1 has 60 link types; the limit leaves room for each
/// in several languages, and keeps a linkset small enough for a phone to show.
pub(crate) const MAX_LINKS: usize = LEVEL.links;

/// What all links of a record come to together, at most.
struct Bounds {
    links: usize,
    languages: usize,
    contexts: usize,
    /// As published.
    bytes: usize,
    whose: &'static str,
}

/// A level. Four languages for each of the most links, or every language of a large catalogue for a
/// few; all countries of ISO 3166-1 for eight links; 260 bytes for each of the most links. A
/// request meets at most five levels.
const LEVEL: Bounds =
    Bounds { links: 500, languages: 2_000, contexts: 2_000, bytes: 128 << 10, whose: "" };

/// A record that covers many levels: an eighth, because a request meets up to nine of them beside
/// its levels.
const MANY: Bounds = Bounds {
    links: 64,
    languages: 256,
    contexts: 256,
    bytes: 16 << 10,
    whose: " of a record that covers many levels",
};

/// Checks the sums over all links of a record.
pub(crate) fn check(anchor: Option<&Anchor>, contents: &Contents, findings: &mut Findings) {
    let bounds = match anchor.map(Anchor::form) {
        None | Some(AnchorForm::Key(_)) => LEVEL,
        Some(_) => MANY,
    };
    let (mut links, mut languages, mut contexts, mut bytes) = (0, 0, 0, 0);
    for link in contents.links() {
        links += 1;
        languages += link.languages().count();
        contexts += link.contexts().count();
        bytes += link.published_bytes();
    }
    for (found, most, unit) in [
        (links, bounds.links, "links"),
        (languages, bounds.languages, "language tags in all links together"),
        (contexts, bounds.contexts, "context values in all links together"),
        (bytes, bounds.bytes, "bytes in all links as published"),
    ] {
        if found > most {
            let message = format!("expected at most {most} {unit}{}, found {found}", bounds.whose);
            findings.fault("/links".to_owned(), "RES-2.5.7-1", message);
        }
    }
}
