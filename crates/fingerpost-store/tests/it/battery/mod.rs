//! The battery: what every `Store` does, over any engine. A store joins with [`battery!`] and
//! brings no such tests of its own.

mod rule;
mod scanning;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

pub(crate) use rule::*;
pub(crate) use scanning::*;

use std::ops::Bound;

use fingerpost_store::{Batch, Store};

use crate::support::{description, entry, gtin, key};

/// Makes a module of tests, one for each of the battery, run by `$with`, a function that calls what
/// it is given with an empty store.
macro_rules! battery {
    ($name:ident, $with:expr) => {
        battery!(@ $name, $with;
            an_empty_store_holds_nothing,
            what_was_put_is_read,
            a_put_replaces_its_level,
            a_deleted_level_is_empty,
            levels_come_most_granular_first,
            only_levels_that_apply_are_read,
            longer_values_are_other_keys,
            revisions_count_batches,
            an_empty_batch_is_no_batch,
            the_last_change_of_a_level_counts,
            a_batch_is_seen_whole_or_not_at_all,
            writers_take_turns,
            a_qualified_level_needs_its_key_level,
            a_key_level_needs_a_standing_default,
            the_order_within_a_batch_does_not_matter,
            a_key_level_stays_while_levels_below_it_do,
            a_default_stays_while_levels_below_it_do,
            a_refused_batch_changes_nothing,
            what_is_refused_can_be_withdrawn,
            an_unchecked_batch_is_not_judged,
            old_faults_do_not_block_their_mending,
            a_scan_goes_in_order_of_text,
            a_scan_takes_a_prefix,
            a_scan_is_paged,
            a_scan_returns_the_revision_of_the_last_change,
        );
    };
    (@ $name:ident, $with:expr; $($test:ident,)*) => {
        mod $name {
            use super::*;
            $(
                #[test]
                fn $test() {
                    $with(&|store| battery::$test(store));
                }
            )*
        }
    };
}
pub(crate) use battery;

/// Descriptions at the levels of a request, most granular first.
pub(crate) fn read(store: &Store, text: &str) -> Vec<String> {
    store.read(&key(text)).unwrap().iter().map(|entry| description(entry).to_owned()).collect()
}

/// Writes entries with these descriptions in one unchecked batch.
pub(crate) fn put(store: &Store, entries: &[(&str, &str)]) {
    let mut batch = Batch::unchecked();
    for (level, description) in entries {
        batch.put(entry(level, description));
    }
    store.write(&batch).unwrap();
}

pub(crate) fn an_empty_store_holds_nothing(store: &Store) {
    assert!(read(store, &gtin(1)).is_empty());
    assert!(read(store, &format!("{}/10/A", gtin(1))).is_empty());
    assert!(store.scan(Bound::Unbounded, "", 10).unwrap().is_empty());
}

pub(crate) fn what_was_put_is_read(store: &Store) {
    let put = entry(&gtin(1), "one");
    let mut batch = Batch::new();
    batch.put(put.clone());
    store.write(&batch).unwrap();
    for _ in 0..4 {
        let levels = store.read(&key(&gtin(1))).unwrap();
        assert_eq!(levels.len(), 1);
        assert_eq!(levels[0].encode(), put.encode());
        assert_eq!(levels[0].anchor(), put.anchor());
    }
}

pub(crate) fn a_put_replaces_its_level(store: &Store) {
    for description in ["first", "second", "third"] {
        put(store, &[(&gtin(1), description)]);
        assert_eq!(read(store, &gtin(1)), [description]);
        assert_eq!(read(store, &gtin(1)), [description]);
    }
}

pub(crate) fn a_deleted_level_is_empty(store: &Store) {
    let lot = format!("{}/10/A", gtin(1));
    put(store, &[(&gtin(1), "key"), (&lot, "lot")]);
    assert_eq!(read(store, &lot), ["lot", "key"]);
    let mut batch = Batch::new();
    batch.delete(key(&lot)).delete(key(&gtin(2)));
    store.write(&batch).unwrap();
    assert_eq!(read(store, &lot), ["key"]);
    batch.clear();
    batch.delete(key(&gtin(1)));
    store.write(&batch).unwrap();
    assert!(read(store, &lot).is_empty());
}

// RES-2.5.10-4: the union of the registrations that occur in the request, in this order.
// RES-2.5.9-2, RES-2.5.10-8
pub(crate) fn levels_come_most_granular_first(store: &Store) {
    let base = gtin(1);
    let all = ["", "/22/V", "/10/L", "/22/V/10/L", "/21/S"].map(|rest| format!("{base}{rest}"));
    let entries: Vec<_> = all.iter().map(|level| (level.as_str(), level.as_str())).collect();
    put(store, &entries);
    let below = |rests: &[&str]| -> Vec<String> {
        rests.iter().map(|rest| format!("{base}{rest}")).collect()
    };
    for _ in 0..4 {
        assert_eq!(
            read(store, &format!("{base}/22/V/10/L/21/S")),
            below(&["/21/S", "/22/V/10/L", "/10/L", "/22/V", ""])
        );
        assert_eq!(read(store, &format!("{base}/10/L")), below(&["/10/L", ""]));
        assert_eq!(read(store, &base), below(&[""]));
    }
}

// RES-2.5.10-5: matching is literal.
pub(crate) fn only_levels_that_apply_are_read(store: &Store) {
    let base = gtin(1);
    put(store, &[(&base, "key"), (&format!("{base}/22/V/10/L"), "both")]);
    for _ in 0..4 {
        assert_eq!(read(store, &format!("{base}/10/L")), ["key"]);
        assert_eq!(read(store, &format!("{base}/22/V")), ["key"]);
        assert_eq!(read(store, &format!("{base}/22/V/10/LL")), ["key"]);
        assert_eq!(read(store, &format!("{base}/22/V/10/L")), ["both", "key"]);
    }
}

pub(crate) fn longer_values_are_other_keys(store: &Store) {
    let (short, dash, letter) = ("8004/9506000A", "8004/9506000A-1", "8004/9506000AB");
    put(store, &[(short, "short"), (dash, "dash"), (letter, "letter")]);
    for _ in 0..4 {
        assert_eq!(read(store, short), ["short"]);
        assert_eq!(read(store, &format!("{short}/7040/1ABC")), ["short"]);
    }
    put(store, &[(&format!("{short}/7040/1ABC"), "below")]);
    for _ in 0..4 {
        assert_eq!(read(store, &format!("{short}/7040/1ABC")), ["below", "short"]);
        assert_eq!(read(store, &format!("{dash}/7040/1ABC")), ["dash"]);
    }
}

pub(crate) fn revisions_count_batches(store: &Store) {
    for expected in 1..4 {
        let mut batch = Batch::new();
        batch.put(entry(&gtin(1), "x")).put(entry(&gtin(2), "x"));
        assert_eq!(store.write(&batch).unwrap().number(), expected);
    }
}

pub(crate) fn an_empty_batch_is_no_batch(store: &Store) {
    assert_eq!(store.write(&Batch::new()).unwrap().number(), 0);
    put(store, &[(&gtin(1), "x")]);
    assert_eq!(store.write(&Batch::new()).unwrap().number(), 1);
}

pub(crate) fn the_last_change_of_a_level_counts(store: &Store) {
    let mut batch = Batch::new();
    batch.put(entry(&gtin(1), "first")).put(entry(&gtin(1), "last"));
    batch.put(entry(&gtin(2), "gone")).delete(key(&gtin(2)));
    assert_eq!(batch.len(), 2);
    store.write(&batch).unwrap();
    assert_eq!(read(store, &gtin(1)), ["last"]);
    assert!(read(store, &gtin(2)).is_empty());
}

/// A writer renames 40 levels together again and again; a reader sees one name only, and never an
/// older one than before.
pub(crate) fn a_batch_is_seen_whole_or_not_at_all(store: &Store) {
    const LEVELS: u32 = 20;
    let done = AtomicBool::new(false);
    // Made before, so that while readers run the writer does nothing but write.
    let renames = (100..160).map(|name: u32| {
        let mut batch = Batch::new();
        for n in 0..LEVELS {
            for level in [gtin(n), format!("{}/10/L", gtin(n))] {
                batch.put(entry(&level, &name.to_string()));
            }
        }
        batch
    });
    let renames: Vec<Batch> = renames.collect();
    store.write(&renames[0]).unwrap();
    thread::scope(|scope| {
        for reader in 0..3 {
            let done = &done;
            scope.spawn(move || {
                let mut last = 100;
                while !done.load(Ordering::Acquire) {
                    let names = if reader == 0 {
                        let page = store.scan(Bound::Unbounded, "", 100).unwrap();
                        assert_eq!(page.len(), 2 * LEVELS as usize);
                        page.iter().map(|(entry, _)| description(entry).to_owned()).collect()
                    } else {
                        read(store, &format!("{}/10/L", gtin(reader)))
                    };
                    assert!(names.iter().all(|name| *name == names[0]), "torn: {names:?}");
                    let name: u32 = names[0].parse().unwrap();
                    assert!(name >= last, "{name} after {last}");
                    last = name;
                }
            });
        }
        for rename in &renames[1..] {
            store.write(rename).unwrap();
        }
        done.store(true, Ordering::Release);
    });
}

pub(crate) fn writers_take_turns(store: &Store) {
    thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                for n in 0..10 {
                    put(store, &[(&gtin(writer * 100 + n), "x")]);
                }
            });
        }
    });
    assert_eq!(store.write(&Batch::new()).unwrap().number(), 40);
    assert_eq!(store.scan(Bound::Unbounded, "", 100).unwrap().len(), 40);
}
