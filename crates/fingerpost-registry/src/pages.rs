//! Paged lists. Items that the caller cannot see are left out without a trace: the cursor of the next page is always an item
//! that was shown.

use crate::{Page, RegistryError};

/// Returns one page of the items from `load` that `keep` accepts. `load` returns documents after an id.
pub(crate) fn page<D, T>(
    after: Option<&str>,
    limit: usize,
    load: impl Fn(Option<&str>, usize) -> Result<Vec<(String, D)>, RegistryError>,
    mut keep: impl FnMut(D) -> Result<Option<T>, RegistryError>,
) -> Result<Page<T>, RegistryError> {
    let limit = limit.clamp(1, MAX_PAGE);
    let mut at = after.map(str::to_owned);
    let mut items = Vec::new();
    let mut last = None;
    loop {
        let found = load(at.as_deref(), LOADED_AT_ONCE)?;
        let is_end = found.len() < LOADED_AT_ONCE;
        for (id, document) in found {
            at = Some(id.clone());
            let Some(item) = keep(document)? else { continue };
            if items.len() == limit {
                return Ok(Page { items, next: last });
            }
            items.push(item);
            last = Some(id);
        }
        if is_end {
            return Ok(Page { items, next: None });
        }
    }
}

/// Maximum number of items of a page.
pub const MAX_PAGE: usize = 1_000;

const LOADED_AT_ONCE: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_what_is_kept_and_end_at_it() {
        let load = |after: Option<&str>, limit: usize| {
            let from = after.map_or(0, |after| after.parse::<usize>().unwrap() + 1);
            Ok((from..250).take(limit).map(|n| (format!("{n:03}"), n)).collect())
        };
        let even = |n: usize| Ok(n.is_multiple_of(2).then_some(n));
        let mut after = None;
        let mut seen = Vec::new();
        loop {
            let page = page(after.as_deref(), 60, load, even).unwrap();
            seen.extend(page.items);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, (0..250).step_by(2).collect::<Vec<_>>());
    }
}
