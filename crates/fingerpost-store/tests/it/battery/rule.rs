//! RES-2.5.9-1: every level has a default at it or above it, on the state after the batch.

use fingerpost_store::{Batch, MissingDefaultCause, Store, StoreError};

use super::{put, read};
use crate::support::{entry, entry_without_default, gtin, key};

/// The levels refused and why.
fn refused(store: &Store, batch: &Batch) -> Vec<(String, MissingDefaultCause)> {
    let before = store.write(&Batch::new()).unwrap();
    match store.write(batch) {
        Err(StoreError::MissingDefault { levels }) => {
            assert_eq!(store.write(&Batch::new()).unwrap(), before);
            let pair = |level: &fingerpost_store::MissingDefault| {
                (level.level().as_str().to_owned(), level.cause().clone())
            };
            levels.iter().map(pair).collect()
        }
        other => panic!("expected MissingDefault, found {other:?}"),
    }
}

// RES-2.5.9-1
pub(crate) fn a_qualified_level_needs_its_key_level(store: &Store) {
    let lot = format!("{}/10/A", gtin(1));
    let mut batch = Batch::new();
    batch.put(entry(&lot, "lot"));
    assert_eq!(refused(store, &batch), [(lot.clone(), MissingDefaultCause::KeyLevelUnregistered)]);
    let text = store.write(&batch).unwrap_err().to_string();
    assert_eq!(
        text,
        format!(
            "`{lot}` needs a default link at `{}`, which is not registered: \
             register it in the same batch",
            gtin(1)
        )
    );
    assert!(read(store, &lot).is_empty());
    put(store, &[(&gtin(1), "key")]);
    store.write(&batch).unwrap();
    assert_eq!(read(store, &lot), ["lot", "key"]);
}

// RES-2.5.9-1
pub(crate) fn a_key_level_needs_a_standing_default(store: &Store) {
    let lot = format!("{}/10/A", gtin(1));
    let mut batch = Batch::new();
    batch.put(entry_without_default(&gtin(1), "key")).put(entry(&lot, "lot"));
    let cause = MissingDefaultCause::KeyLevelWithoutDefault;
    assert_eq!(refused(store, &batch), [(gtin(1), cause.clone()), (lot, cause)]);
}

// RES-2.5.9-1: judged on the state after the whole batch.
pub(crate) fn the_order_within_a_batch_does_not_matter(store: &Store) {
    let lot = format!("{}/10/A", gtin(1));
    let mut batch = Batch::new();
    batch.put(entry_without_default(&lot, "lot")).put(entry(&gtin(1), "key"));
    store.write(&batch).unwrap();
    assert_eq!(read(store, &gtin(1)), ["key"]);
}

// RES-2.5.9-1: a deletion that would take the default away is refused.
pub(crate) fn a_key_level_stays_while_levels_below_it_do(store: &Store) {
    let lots = ["A", "B", "C", "D"].map(|lot| format!("{}/10/{lot}", gtin(1)));
    put(store, &[(&gtin(1), "key")]);
    for lot in &lots {
        put(store, &[(lot, "lot")]);
    }
    let mut batch = Batch::new();
    batch.delete(key(&gtin(1)));
    let first = lots[..3].to_vec();
    assert_eq!(
        refused(store, &batch),
        [(gtin(1), MissingDefaultCause::QualifiedLevelsRemain { first })]
    );
    batch.put(entry(&lots[0], "again")).delete(key(&lots[1])).delete(key(&lots[2]));
    let first = lots[3..].to_vec();
    assert_eq!(
        refused(store, &batch),
        [
            (gtin(1), MissingDefaultCause::QualifiedLevelsRemain { first }),
            (lots[0].clone(), MissingDefaultCause::KeyLevelUnregistered),
        ]
    );
    batch.delete(key(&lots[0])).delete(key(&lots[3]));
    store.write(&batch).unwrap();
    assert!(read(store, &lots[0]).is_empty());
}

// RES-2.5.9-1: a change that would take the default away is refused.
pub(crate) fn a_default_stays_while_levels_below_it_do(store: &Store) {
    let lot = format!("{}/10/A", gtin(1));
    put(store, &[(&gtin(1), "key"), (&lot, "lot")]);
    let mut batch = Batch::new();
    batch.put(entry_without_default(&gtin(1), "key"));
    assert_eq!(refused(store, &batch), [(gtin(1), MissingDefaultCause::KeyLevelWithoutDefault)]);
    assert_eq!(read(store, &lot), ["lot", "key"]);
}

pub(crate) fn a_refused_batch_changes_nothing(store: &Store) {
    put(store, &[(&gtin(1), "one"), (&gtin(2), "two")]);
    let mut batch = Batch::new();
    batch.put(entry(&gtin(1), "changed")).delete(key(&gtin(2))).put(entry(&gtin(3), "three"));
    batch.put(entry(&format!("{}/21/S", gtin(4)), "serial"));
    refused(store, &batch);
    assert_eq!(read(store, &gtin(1)), ["one"]);
    assert_eq!(read(store, &gtin(2)), ["two"]);
    assert!(read(store, &gtin(3)).is_empty());
}

pub(crate) fn what_is_refused_can_be_withdrawn(store: &Store) {
    let mut batch = Batch::new();
    batch.put(entry(&gtin(1), "one")).put(entry(&format!("{}/21/S", gtin(4)), "serial"));
    for (level, _) in refused(store, &batch) {
        assert!(batch.withdraw(&key(&level)).is_some());
    }
    store.write(&batch).unwrap();
    assert_eq!(read(store, &gtin(1)), ["one"]);
}

pub(crate) fn an_unchecked_batch_is_not_judged(store: &Store) {
    let lot = format!("{}/10/A", gtin(1));
    let mut batch = Batch::unchecked();
    assert!(!batch.is_checked());
    batch.put(entry(&lot, "lot")).put(entry_without_default(&gtin(2), "key"));
    store.write(&batch).unwrap();
    assert_eq!(read(store, &lot), ["lot"]);
}

pub(crate) fn old_faults_do_not_block_their_mending(store: &Store) {
    let lot = |n| format!("{}/10/A", gtin(n));
    put(store, &[(&lot(1), "lot"), (&lot(2), "lot")]);
    let mut batch = Batch::new();
    batch.delete(key(&lot(1))).put(entry(&gtin(2), "key")).put(entry(&gtin(3), "other"));
    store.write(&batch).unwrap();
    assert!(read(store, &lot(1)).is_empty());
    assert_eq!(read(store, &lot(2)), ["lot", "key"]);
}
