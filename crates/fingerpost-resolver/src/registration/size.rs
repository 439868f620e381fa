//! Bounds on everything registered at one level. Together with the bounds on requests they limit the work of a request and the size of its
//! answer (docs/operations/limits.md). Levels that were stored before a bound existed are read as they are.

use crate::entry::Contents;
use crate::fault::Findings;

/// The maximum number of links of one level. GS1 has 60 link types; the limit leaves room for each in several languages, and
/// keeps a linkset small enough for a phone to show.
pub(crate) const MAX_LINKS: usize = 500;

/// The maximum number of language tags of all links of a level together: four for each of the most links, or every language of a
/// large catalogue for a few.
pub(crate) const MAX_LANGUAGES: usize = 2_000;

/// The maximum number of context values of all links of a level together: all countries of ISO 3166-1 for eight links.
pub(crate) const MAX_CONTEXTS: usize = 2_000;

/// The maximum size of all links of a level as published, in bytes: 260 for each of the most links. A linkset has at most five levels.
pub(crate) const MAX_PUBLISHED_BYTES: usize = 128 << 10;

/// Checks the sums over all links of a level.
pub(crate) fn check(contents: &Contents, findings: &mut Findings) {
    let (mut languages, mut contexts, mut bytes) = (0, 0, 0);
    for link in contents.links() {
        languages += link.languages().count();
        contexts += link.contexts().count();
        bytes += link.published_bytes();
    }
    for (found, most, unit) in [
        (languages, MAX_LANGUAGES, "language tags in all links together"),
        (contexts, MAX_CONTEXTS, "context values in all links together"),
        (bytes, MAX_PUBLISHED_BYTES, "bytes in all links as published"),
    ] {
        if found > most {
            let message = format!("expected at most {most} {unit}, found {found}");
            findings.fault("/links".to_owned(), "RES-2.5.7-1", message);
        }
    }
}
