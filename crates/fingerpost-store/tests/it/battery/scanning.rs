//! Scans: order, prefix, bounds, pages, revisions.

use std::ops::Bound;

use fingerpost_store::{Batch, Store};

use super::put;
use crate::support::{entry, gtin};

fn scan(store: &Store, from: Bound<&str>, prefix: &str, limit: usize) -> Vec<String> {
    let page = store.scan(from, prefix, limit).unwrap();
    page.iter().map(|(entry, _)| entry.anchor().as_str().to_owned()).collect()
}

/// Levels in the order of their texts: `-` and `.` come before `/`, which comes before digits and
/// letters.
fn sample(store: &Store) -> Vec<String> {
    let levels = vec![
        gtin(1),
        format!("{}/10/A", gtin(1)),
        format!("{}/10/A-1", gtin(1)),
        format!("{}/21/S", gtin(1)),
        gtin(2),
        "8004/9506000A".to_owned(),
        "8004/9506000A-1".to_owned(),
        "8004/9506000A/7040/1ABC".to_owned(),
        "8004/9506000AB".to_owned(),
    ];
    let entries: Vec<_> = levels.iter().rev().map(|level| (level.as_str(), "x")).collect();
    put(store, &entries);
    levels
}

pub(crate) fn a_scan_goes_in_order_of_text(store: &Store) {
    let levels = sample(store);
    assert!(levels.is_sorted());
    assert_eq!(scan(store, Bound::Unbounded, "", 100), levels);
    assert_eq!(scan(store, Bound::Included(&levels[4]), "", 100), levels[4..]);
    assert_eq!(scan(store, Bound::Excluded(&levels[4]), "", 100), levels[5..]);
    assert_eq!(scan(store, Bound::Included(""), "", 100), levels);
    assert!(scan(store, Bound::Excluded("9"), "", 100).is_empty());
}

pub(crate) fn a_scan_takes_a_prefix(store: &Store) {
    let levels = sample(store);
    assert_eq!(scan(store, Bound::Unbounded, &levels[0], 100), levels[..4]);
    assert_eq!(scan(store, Bound::Unbounded, &format!("{}/", levels[0]), 100), levels[1..4]);
    assert_eq!(scan(store, Bound::Unbounded, "8004/", 100), levels[5..]);
    assert_eq!(scan(store, Bound::Included(&levels[0]), "8004/", 100), levels[5..]);
    assert_eq!(scan(store, Bound::Excluded(&levels[5]), &levels[5], 100), levels[6..]);
    assert!(scan(store, Bound::Included(&levels[5]), "01/", 100).is_empty());
    assert!(scan(store, Bound::Unbounded, "02/", 100).is_empty());
}

pub(crate) fn a_scan_is_paged(store: &Store) {
    let levels = sample(store);
    assert!(scan(store, Bound::Unbounded, "", 0).is_empty());
    for limit in 1..=levels.len() + 1 {
        let mut walked = scan(store, Bound::Unbounded, "", limit);
        while let Some(last) = walked.last().cloned() {
            let page = scan(store, Bound::Excluded(&last), "", limit);
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            walked.extend(page);
        }
        assert_eq!(walked, levels);
    }
}

pub(crate) fn a_scan_returns_the_revision_of_the_last_change(store: &Store) {
    put(store, &[(&gtin(1), "x"), (&gtin(2), "x")]);
    let mut batch = Batch::new();
    batch.put(entry(&gtin(2), "y")).put(entry(&gtin(3), "y"));
    store.write(&batch).unwrap();
    let page = store.scan(Bound::Unbounded, "", 10).unwrap();
    let revisions: Vec<_> = page.iter().map(|(_, revision)| revision.number()).collect();
    assert_eq!(revisions, [1, 2, 2]);
}
