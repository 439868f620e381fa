//! Locations of the rows of the last commit in the map, so that most requests need no search in the
//! tree.
//!
//! A search follows four pages in a large store, and the last two are in no cache of the processor.
//! A location leads to the row directly. It is valid only in the commit in which the row was found:
//! the next commit may have moved the row.
//!
//! The table is an array of buckets of one line of the processor's cache: the number of a commit,
//! and seven locations of rows in it. A bucket is cleared for the first location of a later commit.
//! Threads read it without a lock. A writer marks the bucket as locked; if another writer has done
//! so, the location is not stored.
//!
//! | bits of a location | content |
//! |---|---|
//! | 40 to 63 | part of the hash of the key, never 0 |
//! | 38 and 39 | [`Below`]: whether there are levels, and sets |
//! | 0 to 37 | half the distance of the row from a fixed address 256 GiB before the first row |

use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use arc_swap::ArcSwap;
use fingerpost_engine::Below;
use foldhash::quality::RandomState;

use crate::limits::MIN_TABLE_BYTES;

/// Bytes of a bucket: one line of the processor's cache.
const BUCKET_BYTES: usize = 64;
/// Words of a bucket: the commit, and its locations.
const WORDS: usize = BUCKET_BYTES / size_of::<u64>();
/// Bytes of the table for each row. A bucket of seven locations then has five on average, so few
/// rows are not remembered.
const BYTES_FOR_ROW: usize = 12;
/// Marks a bucket as locked by a writer, in the word of its commit.
const LOCKED: u64 = 1 << 63;

const DISTANCE_BITS: u32 = 38;
const HAS_LEVELS: u64 = 1 << 38;
const HAS_SETS: u64 = 1 << 39;
const TAG: u64 = u64::MAX << 40;

/// The location of a row in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RowLocation {
    /// Address of its node, which is even.
    pub(super) address: usize,
    pub(super) below: Below,
}

/// The locations of the rows that were read.
#[derive(Debug)]
pub(super) struct RowLocations {
    table: ArcSwap<Table>,
    /// The largest size of the table, in bytes.
    limit: usize,
    hasher: RandomState,
    /// Returns so many zeros, in memory that takes no space before it is written.
    zeroed: fn(usize) -> Box<[AtomicU64]>,
    /// The commit for whose rows the table has room.
    sized_for: AtomicU64,
}

#[derive(Debug, Default)]
struct Table {
    words: Box<[AtomicU64]>,
    /// The first word that begins a line of the cache.
    first: usize,
    /// Number of buckets.
    buckets: usize,
    /// The address that distances are measured from.
    origin: usize,
}

impl RowLocations {
    /// Creates an empty table that takes at most `limit` bytes; returns `None` for 0. `zeroed`
    /// returns so many zeros.
    pub(super) fn new(limit: usize, zeroed: fn(usize) -> Box<[AtomicU64]>) -> Option<Self> {
        (limit > 0).then(|| Self {
            table: ArcSwap::default(),
            limit,
            hasher: RandomState::default(),
            zeroed,
            sized_for: AtomicU64::new(u64::MAX),
        })
    }

    /// Returns the probable location of the row of `key` in a commit: another key can have the same
    /// hash.
    #[inline]
    pub(super) fn find(&self, key: &[u8], commit: u64) -> Option<RowLocation> {
        let table = self.table.load();
        let hash = self.hasher.hash_one(key);
        let [of_commit, locations @ ..] = table.bucket(hash)?;
        if of_commit.load(Ordering::Acquire) != commit {
            return None;
        }
        let tag = tag_of(hash);
        let mut loaded = locations.iter().map(|location| location.load(Ordering::Relaxed));
        let location = loaded.find(|location| location & TAG == tag)?;
        // If the bucket still belongs to this commit, the location does too.
        fence(Ordering::Acquire);
        (of_commit.load(Ordering::Relaxed) == commit).then(|| table.unpack(location))
    }

    /// Remembers the location of the row of `key` in a commit.
    pub(super) fn remember(&self, key: &[u8], commit: u64, location: RowLocation) {
        let table = self.table.load();
        let hash = self.hasher.hash_one(key);
        let (Some(bucket), Some(location)) = (table.bucket(hash), table.pack(hash, location))
        else {
            return;
        };
        let [of_commit, locations @ ..] = bucket;
        let found = of_commit.load(Ordering::Relaxed);
        let is_locked_now = found & LOCKED == 0
            && found <= commit
            && of_commit
                .compare_exchange(found, found | LOCKED, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        if !is_locked_now {
            return;
        }
        // No thread may see a location that is written from here on with the old number of the
        // commit.
        fence(Ordering::Release);
        if found != commit {
            locations.iter().for_each(|location| location.store(0, Ordering::Relaxed));
        }
        let is_free =
            |at: &&AtomicU64| [0, location & TAG].contains(&(at.load(Ordering::Relaxed) & TAG));
        let replaced = usize::try_from(hash >> 8).unwrap_or_default() % locations.len();
        let at = locations.iter().find(is_free).unwrap_or(&locations[replaced]);
        at.store(location, Ordering::Relaxed);
        of_commit.store(commit, Ordering::Release);
    }

    /// Makes room for the rows of a commit, given a row's address, unless that was done; `rows`
    /// counts them. Forgets all locations if the table gets another size.
    pub(super) fn fit(&self, commit: u64, address: usize, rows: impl FnOnce() -> Option<u64>) {
        if self.sized_for.load(Ordering::Relaxed) == commit {
            return;
        }
        self.sized_for.store(commit, Ordering::Relaxed);
        let rows = rows().map_or(0, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let wanted = rows.saturating_mul(BYTES_FOR_ROW).max(MIN_TABLE_BYTES).min(self.limit);
        let buckets = wanted / BUCKET_BYTES;
        let has = self.table.load().buckets;
        // It does not shrink, and grows in steps, so that a growing store seldom starts with an
        // empty table.
        if has < buckets && has != self.limit / BUCKET_BYTES {
            let buckets = (2 * has).max(buckets).min(self.limit / BUCKET_BYTES);
            self.table.store(Arc::new(Table::new(self.zeroed, buckets, address)));
        }
    }

    /// Forgets all locations.
    pub(super) fn forget(&self) {
        self.sized_for.store(u64::MAX, Ordering::Relaxed);
        self.table.store(Arc::default());
    }

    /// Returns the size of the table, and its largest size, in bytes.
    pub(super) fn bytes(&self) -> (u64, u64) {
        ((self.table.load().buckets * BUCKET_BYTES) as u64, self.limit as u64)
    }
}

impl Table {
    fn new(zeroed: fn(usize) -> Box<[AtomicU64]>, buckets: usize, address: usize) -> Self {
        let words = zeroed(buckets * WORDS + WORDS - 1);
        let first = words.as_ptr().align_offset(BUCKET_BYTES).min(WORDS - 1);
        Self { words, first, buckets, origin: address.saturating_sub(1 << DISTANCE_BITS) }
    }

    /// Returns the bucket of a key by its hash, unless the table is empty.
    #[inline]
    fn bucket(&self, hash: u64) -> Option<&[AtomicU64; WORDS]> {
        // The high half of the product is below the number of buckets.
        let number = ((u128::from(hash) * self.buckets as u128) >> u64::BITS) as usize;
        self.words.get(self.first + number * WORDS..)?.first_chunk()
    }

    fn pack(&self, hash: u64, RowLocation { address, below }: RowLocation) -> Option<u64> {
        let half = address.checked_sub(self.origin)? as u64 / 2;
        let flags = if below.has_levels { HAS_LEVELS } else { 0 }
            | if below.has_sets { HAS_SETS } else { 0 };
        (half < 1 << DISTANCE_BITS).then_some(tag_of(hash) | flags | half)
    }

    #[inline]
    fn unpack(&self, location: u64) -> RowLocation {
        let half = location & ((1 << DISTANCE_BITS) - 1);
        let below =
            Below { has_levels: location & HAS_LEVELS != 0, has_sets: location & HAS_SETS != 0 };
        RowLocation { address: self.origin + 2 * half as usize, below }
    }
}

/// Returns the part of a hash that a location has. The bucket depends on the other bits most.
#[inline]
fn tag_of(hash: u64) -> u64 {
    hash << 40 | 1 << 40
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;

    /// The address of the first row. Rows can be before and after it.
    const FIRST: usize = 1 << 40;

    fn zeroed(length: usize) -> Box<[AtomicU64]> {
        (0..length).map(|_| AtomicU64::new(0)).collect()
    }

    fn location(address: usize) -> RowLocation {
        RowLocation { address, below: Below::default() }
    }

    fn locations(limit: usize, rows: u64) -> RowLocations {
        let locations = RowLocations::new(limit, zeroed).unwrap();
        locations.fit(1, FIRST, || Some(rows));
        locations
    }

    #[test]
    fn a_location_is_valid_in_its_commit_only() {
        let locations = locations(1 << 20, 1);
        locations.remember(b"a", 7, location(FIRST));
        assert_eq!(locations.find(b"a", 7), Some(location(FIRST)));
        assert_eq!([6, 8].map(|commit| locations.find(b"a", commit)), [None; 2]);
        assert_eq!(locations.find(b"b", 7), None);
        // That of an earlier commit comes too late; that of a later one replaces it.
        locations.remember(b"a", 6, location(FIRST + 6));
        assert_eq!(locations.find(b"a", 7), Some(location(FIRST)));
        locations.remember(b"a", 8, location(FIRST + 8));
        assert_eq!(
            [7, 8].map(|commit| locations.find(b"a", commit)),
            [None, Some(location(FIRST + 8))]
        );
        locations.forget();
        assert_eq!(locations.find(b"a", 8), None);
        assert_eq!(locations.bytes(), (0, 1 << 20));
    }

    #[test]
    fn a_location_is_returned_as_it_was_stored() {
        let locations = locations(1 << 20, 1000);
        let span = 1 << (DISTANCE_BITS + 1);
        let flags = [(false, false), (true, false), (true, true)];
        for (number, address) in
            [FIRST, FIRST + 2, FIRST - span / 2, FIRST + span / 2 - 2].into_iter().enumerate()
        {
            for (has_levels, has_sets) in flags {
                let location = RowLocation { address, below: Below { has_levels, has_sets } };
                let key = format!("{number}{has_levels}{has_sets}");
                locations.remember(key.as_bytes(), 1, location);
                assert_eq!(locations.find(key.as_bytes(), 1), Some(location));
            }
        }
        for address in [FIRST - span / 2 - 2, FIRST + span / 2] {
            locations.remember(b"far", 1, location(address));
            assert_eq!(locations.find(b"far", 1), None, "it is too far away");
        }
    }

    #[test]
    fn a_table_has_room_for_the_rows_and_no_more_than_its_limit() {
        let at = |row: u32| location(FIRST + 2 * row as usize);
        // Rarely, two keys have the same hash as far as it is compared, and the later one replaces
        // the earlier one.
        let find = |locations: &RowLocations, rows: u32| {
            (0..rows).for_each(|row| locations.remember(&row.to_le_bytes(), 1, at(row)));
            (0..rows).filter(|row| locations.find(&row.to_le_bytes(), 1) == Some(at(*row))).count()
        };
        let all = locations(10 << 20, 100_000);
        assert!(find(&all, 100_000) > 93_000);
        assert!(all.bytes().0 <= 100_000 * BYTES_FOR_ROW as u64);
        let few = locations(10_000, 100_000);
        assert_eq!(few.bytes(), (10_000 / 64 * 64, 10_000));
        let kept = find(&few, 100_000);
        assert!((700..=10_000 / 64 * 7).contains(&kept), "{kept}");
        // A limit below one line of the cache holds nothing.
        assert_eq!(find(&locations(10, 100_000), 100), 0);
        assert!(RowLocations::new(0, zeroed).is_none());
        // It grows with the rows, and keeps its size when they become fewer.
        let growing = locations(1 << 20, 1);
        let size = |commit, rows| {
            growing.fit(commit, FIRST, || Some(rows));
            growing.bytes().0
        };
        assert_eq!(
            [size(2, 1), size(3, 4000), size(4, 1), size(5, 1 << 40)],
            [16 << 10, 48_000, 48_000, 1 << 20]
        );
    }

    #[test]
    fn threads_at_different_commits_find_no_location_of_another() {
        // Each address is computed from its commit.
        let address = |commit: u64| FIRST + 2 * commit as usize;
        let locations = locations(64, 1);
        let (last, is_over) = (AtomicU64::new(1), AtomicBool::new(false));
        let found: u64 = thread::scope(|scope| {
            let threads: Vec<_> = (0..4_u64)
                .map(|thread| {
                    let (locations, last, is_over) = (&locations, &last, &is_over);
                    scope.spawn(move || {
                        let mut count = 0;
                        while !is_over.load(Ordering::Relaxed) {
                            let commit = last.load(Ordering::Relaxed);
                            for key in 0..9_u64 {
                                let key = (key + thread).to_le_bytes();
                                match locations.find(&key, commit) {
                                    Some(found) => {
                                        assert_eq!(found, location(address(commit)));
                                        count += 1;
                                    }
                                    None => {
                                        locations.remember(&key, commit, location(address(commit)));
                                    }
                                }
                            }
                        }
                        count
                    })
                })
                .collect();
            for commit in 2..400 {
                last.store(commit, Ordering::Relaxed);
                thread::yield_now();
            }
            is_over.store(true, Ordering::Relaxed);
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(found > 0);
    }
}
