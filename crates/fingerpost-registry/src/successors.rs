//! Successors that would send scans in a circle, which are refused when the last one of them is written.
//!
//! A chain is followed as far as its records are here: a successor is here if its Digital Link has the same beginning as that of the record
//! that is written. A redirect goes one step at a time, so a longer chain costs a phone one request for each step.

use fingerpost_resolver::{Anchor, Entry, Link};
use fingerpost_store::{StoreError, View};

use crate::fault::Fault;

/// Maximum number of steps that are followed.
const MAX_STEPS: usize = 20;

/// Returns the fault of a record whose successors lead back to it. `written` finds records that the same request writes.
pub(crate) fn circle<'w>(
    view: &View<'_>,
    entry: &Entry,
    written: impl Fn(&Anchor) -> Option<&'w Entry>,
) -> Result<Option<Fault>, StoreError> {
    let Some((link, root, first)) = successor(entry) else { return Ok(None) };
    let mut at = first;
    let mut passed = Vec::new();
    for _ in 0..MAX_STEPS {
        passed.push(format!("/{at}"));
        if at == *entry.anchor() {
            let way = passed.join(", ");
            let detail = format!(
                "expected a successor that does not lead back to /{at}, found a way that goes in a circle: {way}; \
                 end the succession of one of them first"
            );
            let pointer = format!("/links/{}/href", link.index());
            return Ok(Some(Fault::new(pointer, "successor", detail)));
        }
        let stored;
        let next = match written(&at) {
            Some(next) => next,
            None => {
                stored = view.level(&at)?;
                let Some((next, _)) = &stored else { return Ok(None) };
                next
            }
        };
        match successor(next) {
            Some((_, beginning, next)) if beginning == root => at = next,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Returns the link to the successor of a record, the beginning of its address, and the key at its end.
fn successor(entry: &Entry) -> Option<(Link<'_>, &str, Anchor)> {
    let link = entry.links().find(|link| entry.is_succeeded() && link.is_successor())?;
    let href = link.href();
    let value = href.rfind('/')?;
    let key = href[..value].rfind('/')?;
    let anchor = Anchor::parse(&href[key..]).ok()?;
    Some((link, &href[..key], anchor))
}
