//! The records that most requests are for, decoded.
//!
//! Many phones scan the same few products. A record that is requested again in the same commit is
//! returned from here with its levels, without a snapshot, a look at its rows or an allocation. All
//! other keys pay for one look at a slot.
//!
//! Each key has one slot, by its hash, and shares it with others. A key takes the slot when it is
//! requested twice without another of them in between: requests that are spread over many keys do
//! not replace records that are requested often.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwapOption;
use fingerpost_engine::HitCounter;
use foldhash::quality::RandomState;

use crate::Levels;
use crate::limits::MAX_HOT_BYTES;

/// The records of a store that most requests are for.
#[derive(Debug)]
pub(crate) struct HotRecords {
    slots: Box<[Slot]>,
    hasher: RandomState,
    hits: HitCounter,
}

#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Hash of the key whose record is kept, so that other keys need not look at it.
    kept_hash: AtomicU64,
    /// Hash of the last key that was requested and not in the slot.
    asked_hash: AtomicU64,
    kept: ArcSwapOption<Kept>,
}

/// The levels of a key in a commit.
#[derive(Debug)]
struct Kept {
    commit: u64,
    key: Box<str>,
    levels: Levels,
}

/// Where the record of a key belongs.
#[derive(Clone, Copy)]
pub(crate) struct Miss<'h> {
    slot: &'h Slot,
    hash: u64,
}

impl HotRecords {
    /// Creates slots for records of at most `limit` bytes together; returns `None` if that is none.
    pub(crate) fn new(limit: usize) -> Option<Self> {
        let slots: Box<[Slot]> = (0..limit / MAX_HOT_BYTES).map(|_| Slot::default()).collect();
        (!slots.is_empty()).then(|| Self {
            slots,
            hasher: RandomState::default(),
            hits: HitCounter::default(),
        })
    }

    /// Returns the levels of a key, if they are kept as of this commit; else where they belong.
    #[inline]
    pub(crate) fn find(&self, key: &str, commit: u64) -> Result<Levels, Miss<'_>> {
        let hash = self.hasher.hash_one(key);
        // The high half of the product is below the number of slots.
        let number = ((u128::from(hash) * self.slots.len() as u128) >> u64::BITS) as usize;
        let slot = &self.slots[number];
        if slot.kept_hash.load(Ordering::Relaxed) == hash
            && let Some(kept) = &*slot.kept.load()
            && kept.commit == commit
            && *kept.key == *key
        {
            self.hits.count(false);
            return Ok(kept.levels.clone());
        }
        Err(Miss { slot, hash })
    }

    /// Returns how many records were found.
    pub(crate) fn hits(&self) -> u64 {
        self.hits.read()[0]
    }

    /// Returns the bytes that the records take, and those that they may take.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        let kept =
            |slot: &Slot| slot.kept.load().as_ref().map_or(0, |kept| size(&kept.key, &kept.levels));
        let used: usize = self.slots.iter().map(kept).sum();
        (used as u64, (self.slots.len() * MAX_HOT_BYTES) as u64)
    }
}

impl Miss<'_> {
    /// Keeps the levels of the requested key, as of a commit, if it is requested often and they are
    /// small.
    pub(crate) fn keep(self, key: &str, commit: u64, levels: &Levels) {
        let Self { slot, hash } = self;
        let is_often = slot.kept_hash.load(Ordering::Relaxed) == hash
            || slot.asked_hash.swap(hash, Ordering::Relaxed) == hash;
        if is_often && size(key, levels) <= MAX_HOT_BYTES {
            let levels = levels.clone();
            slot.kept.store(Some(Arc::new(Kept { commit, key: key.into(), levels })));
            slot.kept_hash.store(hash, Ordering::Relaxed);
        }
    }
}

/// Returns the bytes that the levels of a key take.
fn size(key: &str, levels: &Levels) -> usize {
    let entries: usize = levels.iter().map(|entry| entry.size()).sum();
    size_of::<Slot>() + size_of::<Kept>() + key.len() + entries
}

#[cfg(test)]
mod tests {
    use fingerpost_gs1::EntityKey;
    use fingerpost_resolver::{Rules, Vocabulary, read_record};
    use serde_json::json;

    use super::*;

    const KEY: &str = "01/09506000134352";

    /// Returns the levels of a record with so many links, each of some hundred bytes.
    fn levels(links: usize) -> Levels {
        let link = |number: usize| {
            let kind = if number == 0 { "defaultLink" } else { "pip" };
            let href = format!("https://example.com/{}/{}", number.max(1), "p".repeat(90));
            json!({"linkType": format!("gs1:{kind}"), "href": href, "title": "Tea"})
        };
        let links: Vec<_> = (0..links).map(link).collect();
        let record = json!({"anchor": format!("/{KEY}"), "links": links}).to_string();
        let vocabulary = Vocabulary::builtin();
        let read = read_record(record.as_bytes(), &Rules::new(&vocabulary)).unwrap();
        [Arc::new(read.entry)].into_iter().collect()
    }

    /// Requests a key and keeps the levels that were not cached; returns whether they were.
    fn ask(hot: &HotRecords, key: &str, commit: u64, levels: &Levels) -> bool {
        hot.find(key, commit).map_err(|miss| miss.keep(key, commit, levels)).is_ok()
    }

    #[test]
    fn a_record_is_kept_when_it_is_requested_again_in_the_same_commit() {
        let (hot, levels) = (HotRecords::new(MAX_HOT_BYTES).unwrap(), levels(2));
        assert_eq!(
            [7; 4].map(|commit| ask(&hot, KEY, commit, &levels)),
            [false, false, true, true]
        );
        let found = hot.find(KEY, 7).ok().unwrap();
        assert_eq!(*found, *levels);
        // Another commit can have changed it. The one that is kept then is the later one.
        assert_eq!([6, 8, 8].map(|commit| ask(&hot, KEY, commit, &levels)), [false, false, true]);
        assert!(!ask(&hot, KEY, 7, &levels));
        assert_eq!(hot.hits(), 4);
        let (used, limit) = hot.bytes();
        assert!(used > 0 && used <= limit && limit == MAX_HOT_BYTES as u64, "{used} {limit}");
    }

    #[test]
    fn keys_that_are_requested_once_do_not_replace_it() {
        let (hot, levels) = (HotRecords::new(MAX_HOT_BYTES).unwrap(), levels(2));
        (0..2).for_each(|_| assert!(!ask(&hot, KEY, 1, &levels)));
        for number in 0..1000 {
            assert!(!ask(&hot, &format!("01/{number:014}"), 1, &levels));
        }
        assert!(ask(&hot, KEY, 1, &levels));
        // A key that is requested again replaces it.
        let other = EntityKey::parse("/01/09506000134369").unwrap();
        assert_eq!([1; 3].map(|_| ask(&hot, other.as_str(), 1, &levels)), [false, false, true]);
        assert!(!ask(&hot, KEY, 1, &levels));
    }

    #[test]
    fn large_records_and_stores_without_memory_keep_none() {
        let hot = HotRecords::new(MAX_HOT_BYTES).unwrap();
        let large = levels(MAX_HOT_BYTES / 100);
        assert_eq!([1; 3].map(|_| ask(&hot, KEY, 1, &large)), [false; 3]);
        assert_eq!(hot.bytes().0, 0);
        assert!(HotRecords::new(MAX_HOT_BYTES - 1).is_none());
    }
}
