//! The hot cache: decoded entries in front of the engine, never older than the last commit of any process.
//!
//! Every item carries the number of the commit at which it was known to be right. It counts only while that is the
//! last commit of the engine, which with LMDB is two loads from shared memory; otherwise the reader goes to the
//! engine, compares revisions, and renews the item without decoding it again when the revision is the same. All items used for one answer carry the same number, so the answer is one snapshot.
//!
//! Two threads may put the same item at once, in any order: an item that is too old only costs a look at the engine.
//!
//! A level gets in when it is missed for the second time in a while. Without that, traffic that is spread over more keys
//! than fit pays for an insertion and an eviction on every read, which takes longer than reading LMDB does.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

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
    /// Commit at which all this was so.
    pub(crate) at: u64,
}

/// Items by the canonical text of their level, bounded by bytes.
#[derive(Debug)]
pub(crate) struct HotCache {
    items: Cache<Box<str>, Known, Weight>,
    missed: Missed,
}

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
        (bytes > 0).then(|| {
            let items = bytes / USUAL_ITEM_BYTES + 1;
            Self {
                items: Cache::with_weighter(items, bytes as u64, Weight),
                missed: Missed::new(items),
            }
        })
    }

    /// The answer for `key`, if every level it needs was right at commit `now`; otherwise what was known
    /// of its key level, however long ago.
    #[inline]
    pub(crate) fn levels(&self, key: &EntityKey, now: u64) -> Result<Levels, Option<Known>> {
        let base = match self.items.get(key.key_level()) {
            Some(base) if base.at == now => base,
            base => return Err(base),
        };
        if key.is_key_level() || !base.has_qualified {
            return Ok(base.entry.into_iter().collect());
        }
        let mut levels = Levels::new();
        for level in key.levels() {
            if *level == *key.key_level() {
                levels.extend(base.entry.clone());
            } else {
                match self.items.get(&*level) {
                    Some(known) if known.at == now => levels.extend(known.entry),
                    _ => return Err(Some(base)),
                }
            }
        }
        Ok(levels)
    }

    /// What was known of a level, however long ago.
    pub(crate) fn known(&self, level: &str) -> Option<Known> {
        self.items.get(level)
    }

    /// Renews an item that is in the cache.
    pub(crate) fn renew(&self, level: &str, known: Known) {
        self.items.insert(level.into(), known);
    }

    /// Takes an item in if its level was missed before.
    pub(crate) fn offer(&self, level: &str, known: Known) {
        if self.missed.again(level) {
            self.items.insert(level.into(), known);
        }
    }
}

/// Which levels were missed lately: one fingerprint in each place, the last one wins.
#[derive(Debug)]
struct Missed {
    places: Box<[AtomicU16]>,
    hasher: RandomState,
}

impl Missed {
    fn new(places: usize) -> Self {
        let places = (0..places.next_power_of_two()).map(|_| AtomicU16::new(0)).collect();
        Self { places, hasher: RandomState::new() }
    }

    /// Notes a miss; whether it is not the first. A mistake costs or saves one insertion, nothing else, so no
    /// order between threads is needed.
    fn again(&self, level: &str) -> bool {
        let hash = self.hasher.hash_one(level);
        let [high, low, ..] = hash.to_be_bytes();
        let fingerprint = u16::from_be_bytes([high, low]) | 1; // no place is empty by mistake
        let index = usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0);
        let place = &self.places[index & (self.places.len() - 1)];
        place.swap(fingerprint, Ordering::Relaxed) == fingerprint
    }
}
