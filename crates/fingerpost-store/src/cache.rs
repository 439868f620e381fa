//! The hot cache: decoded entries in front of the engine, never older than the last commit of any process.
//!
//! Every item carries the number of the last commit at which it was verified. It is valid only while that is the last commit of
//! the engine. With LMDB, checking this takes two loads from shared memory. Otherwise the reader reads the engine and compares
//! revisions; if the revision is unchanged, it renews the item without decoding it again. All items used for one answer carry
//! the same number, so the answer is one snapshot.
//!
//! Two threads can put the same item at once, in any order: an outdated item only costs a read of the engine.
//!
//! A level enters the cache on its second miss within a while. Otherwise, traffic spread over more keys than fit would pay for
//! an insertion and an eviction on every read, which takes longer than reading LMDB.

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Weighter};
use smallvec::SmallVec;

use crate::activity::{Activity, Spread};
use crate::{Levels, Revision};

/// Bytes that an item takes in addition to its text and entry: slab node, hash table slot, reference counts.
const ITEM_OVERHEAD: usize = 128;

/// Typical weight of an item, for estimating the number of items.
const USUAL_ITEM_BYTES: usize = 512;

/// The canonical text of a level. That of a key without qualifiers lies in the item itself, so that comparing it does not wait for
/// another place in memory.
type LevelText = SmallVec<[u8; 24]>;

/// The cached state of one level.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The entry, `None` when the level is empty.
    pub(crate) entry: Option<Arc<Entry>>,
    /// Revision of the entry. Revisions are never reused, so the same revision means the same entry, in a copy after as many repairs.
    pub(crate) revision: Revision,
    /// How often a copy was repaired; see [`CopyState::repairs`](crate::copy::CopyState::repairs).
    pub(crate) repairs: u16,
    /// For a key level: whether levels below it are registered. If there are none, one item answers for every lot and serial
    /// number of the key.
    pub(crate) has_qualified: bool,
    /// The entries that apply after this one: for a key level, those of its company prefix; for another level, those of the sets
    /// that contain it.
    pub(crate) after: Levels,
    /// The last commit at which this state was verified.
    pub(crate) at: u64,
}

impl Known {
    fn levels(self) -> Levels {
        self.after.with_first(self.entry)
    }
}

/// Items by the canonical text of their level, limited in bytes.
#[derive(Debug)]
pub(crate) struct HotCache {
    items: Cache<LevelText, Known, Weight>,
    missed: Missed,
    /// Reads that hit, and reads that missed.
    reads: Spread,
}

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<LevelText, Known> for Weight {
    fn weight(&self, level: &LevelText, known: &Known) -> u64 {
        let entry = known.entry.as_ref().map_or(0, |entry| entry.size());
        (ITEM_OVERHEAD + level.len() + entry) as u64
    }
}

impl HotCache {
    /// Creates a cache of at most `bytes`; returns `None` for 0.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        (bytes > 0).then(|| {
            let items = bytes / USUAL_ITEM_BYTES + 1;
            Self {
                items: Cache::with_weighter(items, bytes as u64, Weight),
                missed: Missed::new(items),
                reads: Spread::default(),
            }
        })
    }

    /// Returns the answer for `key` if every level it needs is valid at commit `now`; otherwise the cached item of its key
    /// level, even if outdated.
    #[inline]
    pub(crate) fn levels(&self, key: &EntityKey, now: u64) -> Result<Levels, Option<Known>> {
        let base = match self.items.get(key.key_level().as_bytes()) {
            Some(base) if base.at == now => base,
            base => return Err(base),
        };
        if key.is_key_level() || !base.has_qualified {
            return Ok(base.levels());
        }
        let mut levels = Levels::new();
        for level in key.levels() {
            if *level == *key.key_level() {
                levels.append(base.clone().levels());
            } else {
                match self.items.get(level.as_bytes()) {
                    Some(known) if known.at == now => levels.append(known.levels()),
                    _ => return Err(Some(base)),
                }
            }
        }
        Ok(levels)
    }

    /// Counts a read that hit or missed.
    #[inline]
    pub(crate) fn count(&self, is_miss: bool) {
        self.reads.count(is_miss);
    }

    /// Adds what the cache has done and holds.
    pub(crate) fn tell(&self, activity: &mut Activity) {
        [activity.cache_hits, activity.cache_misses] = self.reads.read();
        activity.cache_items = self.items.len() as u64;
        activity.cache_bytes = self.items.weight();
        activity.cache_limit = self.items.capacity();
    }

    /// Returns the cached item of a level, even if outdated.
    pub(crate) fn known(&self, level: &str) -> Option<Known> {
        self.items.get(level.as_bytes())
    }

    /// Replaces an item that is in the cache.
    pub(crate) fn renew(&self, level: &str, known: Known) {
        self.items.insert(level.as_bytes().into(), known);
    }

    /// Inserts an item if its level was missed before.
    pub(crate) fn offer(&self, level: &str, known: Known) {
        if self.missed.again(level) {
            self.items.insert(level.as_bytes().into(), known);
        }
    }
}

/// The recently missed levels: one fingerprint per slot, the last one wins.
#[derive(Debug)]
struct Missed {
    places: Box<[AtomicU16]>,
    hasher: DefaultHashBuilder,
}

impl Missed {
    fn new(places: usize) -> Self {
        let places = (0..places.next_power_of_two()).map(|_| AtomicU16::new(0)).collect();
        Self { places, hasher: DefaultHashBuilder::default() }
    }

    /// Records a miss; returns whether the level was missed before. A mistake only costs or saves one insertion, so threads
    /// need no ordering, and no exchange, which would wait for all memory that the read has asked for.
    fn again(&self, level: &str) -> bool {
        let hash = self.hasher.hash_one(level);
        let [high, low, ..] = hash.to_be_bytes();
        let fingerprint = u16::from_be_bytes([high, low]) | 1; // a used slot never looks empty
        let index = usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0);
        let place = &self.places[index & (self.places.len() - 1)];
        let is_known = place.load(Ordering::Relaxed) == fingerprint;
        place.store(fingerprint, Ordering::Relaxed);
        is_known
    }
}
