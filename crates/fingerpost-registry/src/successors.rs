//! Successors that would send scans in a circle, which are refused when the last one of them is
//! written.
//!
//! All successors of a record are followed, whenever they are valid, as far as their records are
//! here: a successor is here if its Digital Link has the same beginning as that of the record that
//! is written. A redirect goes one step at a time, so a longer chain costs a phone one request for
//! each step.

use fingerpost_resolver::{Anchor, Entry, Link};
use fingerpost_store::{StoreError, View};

use crate::fault::Fault;
use crate::limits::MAX_SUCCESSORS;

/// Returns the fault of a record whose successors lead back to it, or to more records than are
/// followed. `written` finds records that the same request writes.
pub(crate) fn circle<'w>(
    view: &View<'_>,
    entry: &Entry,
    written: impl Fn(&Anchor) -> Option<&'w Entry>,
) -> Result<Option<Fault>, StoreError> {
    for (link, root, first) in successors(entry) {
        let fault = |what: &str, way: &[Anchor]| {
            let way: Vec<_> = way.iter().map(|key| format!("/{key}")).collect();
            let way = way.join(", ");
            let detail = format!("expected {what}: {way}; end the succession of one of them first");
            Some(Fault::new(format!("/links/{}/href", link.index()), "successor", detail))
        };
        let mut followed = 0;
        let mut ways = vec![vec![first]];
        let mut seen: Vec<Anchor> = Vec::new();
        while let Some(way) = ways.pop() {
            let Some(at) = way.last().filter(|at| !seen.contains(at)) else { continue };
            if at == entry.anchor() {
                let what = format!(
                    "a successor that does not lead back to /{at}, found a way that goes in a circle"
                );
                return Ok(fault(&what, &way));
            }
            seen.push(at.clone());
            let stored;
            let next = match written(at) {
                Some(next) => next,
                None => {
                    stored = match view.level(at) {
                        // It leads nowhere until it is replaced, and may belong to others.
                        Err(error) if error.is_damaged_row() => None,
                        level => level?,
                    };
                    let Some((next, _)) = &stored else { continue };
                    next
                }
            };
            for (_, _, next) in successors(next).filter(|(_, beginning, _)| *beginning == root) {
                followed += 1;
                let way = [&way[..], &[next]].concat();
                if followed > MAX_SUCCESSORS {
                    let what = format!(
                        "at most {MAX_SUCCESSORS} successors one after the other, found more"
                    );
                    return Ok(fault(&what, &way));
                }
                ways.push(way);
            }
        }
    }
    Ok(None)
}

/// Returns the links to the successors of a record, the beginnings of their addresses, and the keys
/// at their ends.
fn successors(entry: &Entry) -> impl Iterator<Item = (Link<'_>, &str, Anchor)> {
    let links = entry.links().filter(|link| entry.is_succeeded() && link.is_successor());
    links.filter_map(|link| {
        let href = link.href();
        let path = &href[..href.find(['?', '#']).unwrap_or(href.len())];
        let value = path.rfind('/')?;
        let key = path[..value].rfind('/')?;
        let anchor = Anchor::parse(&path[key..]).ok()?;
        Some((link, &path[..key], anchor))
    })
}
