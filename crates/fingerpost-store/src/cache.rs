//! The hot cache: decoded entries in front of LMDB, never older than the last commit of any process.
//!
//! Every item carries the number of the LMDB transaction at which it was known to be right. It counts only
//! while that is the last transaction of the environment, which is two loads from shared memory; otherwise
//! the reader goes to LMDB, compares revisions, and renews the item without decoding it again when the
//! revision is the same. All items used for one answer carry the same number, so the answer is one snapshot.
//!
//! Two threads may put the same item at once, in any order: an item that is too old only costs a look at LMDB.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::{Levels, Revision};

/// Bytes that an item takes beside its text and entry: slab node, hash table slot, reference counts.
const ITEM_OVERHEAD: usize = 128;

/// Usual weight of an item, from which the number of items is estimated.
const USUAL_ITEM_BYTES: usize = 512;

/// What is known of one level.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The entry, `None` when the level is empty.
    pub(crate) entry: Option<Arc<Entry>>,
    /// Revision of the entry; revisions never return, so an equal one means an equal entry.
    pub(crate) revision: Revision,
    /// For a key level: whether levels below it are registered. Without any, one item answers for every
    /// lot and serial number of the key.
    pub(crate) has_qualified: bool,
    /// LMDB transaction at which all this was so.
    pub(crate) at: usize,
}

/// Items by the canonical text of their level, bounded by bytes.
#[derive(Debug)]
pub(crate) struct HotCache(Cache<Box<str>, Known, Weight>);

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Box<str>, Known> for Weight {
    fn weight(&self, level: &Box<str>, known: &Known) -> u64 {
        let entry = known.entry.as_ref().map_or(0, |entry| entry.size());
        (ITEM_OVERHEAD + level.len() + entry) as u64
    }
}

impl HotCache {
    /// A cache of at most `bytes`; `None` for 0.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        (bytes > 0)
            .then(|| Self(Cache::with_weighter(bytes / USUAL_ITEM_BYTES + 1, bytes as u64, Weight)))
    }

    /// The answer for `key`, if every level it needs was right at transaction `now`.
    #[inline]
    pub(crate) fn levels(&self, key: &EntityKey, now: usize) -> Option<Levels> {
        let right = |level: &str| self.0.get(level).filter(|known| known.at == now);
        let base = right(key.key_level())?;
        if key.is_key_level() || !base.has_qualified {
            return Some(base.entry.into_iter().collect());
        }
        let mut levels = Levels::new();
        for level in key.levels() {
            let entry =
                if *level == *key.key_level() { base.entry.clone() } else { right(&level)?.entry };
            levels.extend(entry);
        }
        Some(levels)
    }

    /// What was known of a level, however long ago.
    pub(crate) fn known(&self, level: &str) -> Option<Known> {
        self.0.get(level)
    }

    pub(crate) fn remember(&self, level: &str, known: Known) {
        self.0.insert(level.into(), known);
    }
}
