//! Paged lists, each page with a budget: of items, of bytes of the answer, and of rows and bytes
//! that are looked at for it.
//!
//! When a budget is used up, the page ends early, with a cursor that continues after the last row
//! that was looked at. So the cost of a request depends neither on what others have stored nor on
//! how much the filter refuses. A cursor names no item that the caller cannot see: it is an item
//! that was shown or can be, or a time.

use serde::Serialize;

use crate::limits::{MAX_ANSWER_BYTES, MAX_PAGE, MAX_READ_BYTES, MAX_READ_ROWS};
use crate::{Id, Page, RegistryError};

/// What one page may still cost.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    items: usize,
    rows: usize,
    read: usize,
    bytes: usize,
    is_empty: bool,
}

impl Budget {
    /// Creates the budget of a page with at most `limit` items.
    pub(crate) fn new(limit: usize) -> Budget {
        Budget {
            items: limit.clamp(1, MAX_PAGE),
            rows: MAX_READ_ROWS,
            read: MAX_READ_BYTES,
            bytes: MAX_ANSWER_BYTES,
            is_empty: true,
        }
    }

    /// Pays for looking at a row of this size; returns whether the budget allows it.
    pub(crate) fn look(&mut self, bytes: usize) -> bool {
        std::thread::yield_now(); // to the public listener
        if self.rows == 0 || self.read == 0 {
            return false;
        }
        self.rows -= 1;
        self.read = self.read.saturating_sub(bytes);
        true
    }

    /// Pays for showing an item; returns whether the budget allows it. The first item always fits,
    /// however large it is.
    pub(crate) fn show(&mut self, item: &impl Serialize) -> bool {
        if self.items == 0 {
            return false;
        }
        let mut size = Size(0);
        // Counting cannot fail, and items consist of texts and numbers.
        let _ = serde_json::to_writer(&mut size, item);
        self.pay(size.0)
    }

    /// As [`Budget::show`], for an item of a known size.
    pub(crate) fn pay(&mut self, bytes: usize) -> bool {
        if self.items == 0 || (bytes > self.bytes && !self.is_empty) {
            return false;
        }
        self.items -= 1;
        self.bytes = self.bytes.saturating_sub(bytes);
        self.is_empty = false;
        true
    }
}

/// Counts bytes instead of writing them.
struct Size(usize);

impl std::io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns one page of the items from `load` that `keep` accepts. `load` returns documents after an
/// id, each with its size.
pub(crate) fn page<D, T: Serialize>(
    after: Option<&str>,
    limit: usize,
    load: impl Fn(Option<&str>, usize) -> Result<Vec<Loaded<D>>, RegistryError>,
    mut keep: impl FnMut(D) -> Result<Option<T>, RegistryError>,
) -> Result<Page<T>, RegistryError> {
    let mut budget = Budget::new(limit);
    let mut at = after.map(str::to_owned);
    let mut items = Vec::new();
    let mut last = None;
    loop {
        let found = load(at.as_deref(), LOADED_AT_ONCE)?;
        let is_end = found.len() < LOADED_AT_ONCE;
        for Loaded { id, bytes, document } in found {
            if !budget.look(bytes) {
                return Ok(Page { items, next: at.map(|at| cursor(&at, last, after)) });
            }
            if let Some(item) = keep(document)? {
                if !budget.show(&item) {
                    return Ok(Page { items, next: last });
                }
                items.push(item);
                last = Some(id.clone());
            }
            at = Some(id);
        }
        if is_end {
            return Ok(Page { items, next: None });
        }
    }
}

/// A document of a page, with its id and the bytes that were read for it.
pub(crate) struct Loaded<D> {
    pub(crate) id: String,
    pub(crate) bytes: usize,
    pub(crate) document: D,
}

/// Returns the cursor of a page that ends after the document `at`, which the caller may not have
/// seen: the millisecond of its creation, or the last item if that is later.
fn cursor(at: &str, last: Option<String>, after: Option<&str>) -> String {
    let time = Id::parse(at).map(|id| id.first_of_its_time().to_string());
    let later = time.max(last).filter(|later| Some(later.as_str()) > after);
    // A page always continues after the page before it, even if one millisecond had more documents
    // than a page looks at.
    later.unwrap_or_else(|| at.to_owned())
}

const LOADED_AT_ONCE: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn load(
        ids: &[Id],
    ) -> impl Fn(Option<&str>, usize) -> Result<Vec<Loaded<usize>>, RegistryError> {
        move |after: Option<&str>, limit: usize| {
            let found = ids.iter().enumerate().filter(|(_, id)| Some(id.as_str()) > after);
            let found = found.take(limit);
            let found =
                found.map(|(document, id)| Loaded { id: id.to_string(), bytes: 1, document });
            Ok(found.collect())
        }
    }

    /// All pages: their items and their cursors.
    fn pages(ids: &[Id], limit: usize, keep: impl Fn(usize) -> bool) -> (Vec<usize>, Vec<String>) {
        let (mut seen, mut cursors) = (Vec::new(), Vec::new());
        loop {
            let after = cursors.last().map(String::as_str);
            let kept = |n: usize| Ok(keep(n).then_some(n));
            let page = page(after, limit, load(ids), kept).unwrap();
            seen.extend(page.items);
            match page.next {
                Some(next) => cursors.push(next),
                None => return (seen, cursors),
            }
        }
    }

    fn ids(count: usize) -> Vec<Id> {
        let mut ids: Vec<Id> = (0..count).map(|_| Id::random()).collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn pages_hold_what_is_kept_and_end_at_it() {
        let ids = ids(250);
        let (seen, _) = pages(&ids, 60, |n| n.is_multiple_of(2));
        assert_eq!(seen, (0..250).step_by(2).collect::<Vec<_>>());
    }

    #[test]
    fn a_page_looks_at_a_bounded_number_of_rows_and_its_cursor_names_no_unseen_one() {
        // Ids of this test are 1 ms apart, as those of a long time are.
        let ids: Vec<Id> = (0..2 * MAX_READ_ROWS as u64 + 10).map(Id::of_millisecond).collect();
        let last = ids.len() - 1;
        let (seen, cursors) = pages(&ids, 10, |n| n == last);
        assert_eq!(seen, [last]);
        assert_eq!(cursors.len(), 2, "each page looks at {MAX_READ_ROWS} rows");
        assert!(cursors.iter().all(|cursor| ids.iter().all(|id| id.as_str() != cursor)));
    }

    #[test]
    fn bytes_end_a_page_but_never_before_its_first_item() {
        let mut budget = Budget::new(1_000);
        assert!(budget.pay(2 * MAX_ANSWER_BYTES));
        assert!(!budget.pay(1));
        let mut budget = Budget::new(1_000);
        let fits = (0..).take_while(|_| budget.pay(1 << 20)).count();
        assert_eq!(fits, MAX_ANSWER_BYTES >> 20);
        let mut budget = Budget::new(1_000);
        let looks = (0..).take_while(|_| budget.look(1 << 20)).count();
        assert_eq!(looks, MAX_READ_BYTES >> 20);
    }
}
