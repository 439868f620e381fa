//! Recalls end only where somebody ends them, with [`Registry::end_recall`](crate::Registry).
//!
//! Any other change after which a recalled level would not be recalled is refused: a deletion, also
//! together with the levels above it, an import, the return to an earlier state. Otherwise scans of
//! a dangerous lot would open the product page because somebody tidied up, or because a nightly
//! import does not know of the recall.

use fingerpost_resolver::Entry;

use crate::change::RecordChange;
use crate::fault::Fault;

/// Returns the fault of a change that would end the recall of a level without saying so.
pub(crate) fn silent_end(change: &RecordChange, current: &Entry) -> Option<Fault> {
    let stays = change.entry().is_some_and(|entry| entry.is_recalled());
    if !current.is_recalled() || stays || change.ends_recall() {
        return None;
    }
    let level = change.level();
    let (pointer, way) = match change.entry() {
        None => ("", "the deletion"),
        Some(_) => ("/defaultLinkType", "the new record"),
    };
    let detail = format!(
        "/{level} is recalled, and {way} would end the recall: end it first, with \"End the recall\" in \
         the console, `fingerpost recall --end {level}` or POST /v1/recalls/end"
    );
    Some(Fault::new(pointer, "recall", detail))
}
