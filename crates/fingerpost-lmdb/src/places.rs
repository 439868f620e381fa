//! Where the rows of the last commit are in the map, so that most requests need no search in the tree.
//!
//! A search follows four pages in a large store, and the last two are in no cache of the processor. A place leads to the row at once.
//! It is valid for the commit in which it was found, and for no other: the next commit may have moved the row.
//!
//! The table is an array of buckets of one line of the processor's cache: the number of a commit, and seven places found in it. A bucket
//! is cleared when a place of a later commit comes. Threads read it without a lock; a writer holds the bucket, and one that finds it held
//! leaves its place out.
//!
//! | bits of a place | content |
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

/// Bytes of a bucket: one line of the processor's cache.
const BUCKET_BYTES: usize = 64;
/// Words of a bucket: the commit, and its places.
const WORDS: usize = BUCKET_BYTES / size_of::<u64>();
/// Bytes of the table for each row. A bucket of seven places then has five on average, so few rows find no place.
const BYTES_FOR_ROW: usize = 12;
/// The smallest table.
const LEAST_BYTES: usize = 16 << 10;

/// Says in the word of the commit that a writer holds the bucket.
const HELD: u64 = 1 << 63;

const DISTANCE_BITS: u32 = 38;
const HAS_LEVELS: u64 = 1 << 38;
const HAS_SETS: u64 = 1 << 39;
const TAG: u64 = u64::MAX << 40;

/// The place of a row in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Address of its node, which is even.
    pub(super) address: usize,
    pub(super) below: Below,
}

/// The places of rows that were read.
#[derive(Debug)]
pub(super) struct Places {
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

impl Places {
    /// Creates an empty table that takes at most `limit` bytes; returns `None` for 0. `zeroed` returns so many zeros.
    pub(super) fn new(limit: usize, zeroed: fn(usize) -> Box<[AtomicU64]>) -> Option<Self> {
        (limit > 0).then(|| Self {
            table: ArcSwap::default(),
            limit,
            hasher: RandomState::default(),
            zeroed,
            sized_for: AtomicU64::new(u64::MAX),
        })
    }

    /// Returns the place of what is probably the row of `key` in a commit; another key can have the same hash.
    #[inline]
    pub(super) fn find(&self, key: &[u8], commit: u64) -> Option<Place> {
        let table = self.table.load();
        let hash = self.hasher.hash_one(key);
        let [of_commit, places @ ..] = table.bucket(hash)?;
        if of_commit.load(Ordering::Acquire) != commit {
            return None;
        }
        let tag = tag_of(hash);
        let mut loaded = places.iter().map(|place| place.load(Ordering::Relaxed));
        let place = loaded.find(|place| place & TAG == tag)?;
        // If the bucket still belongs to this commit, the place does too.
        fence(Ordering::Acquire);
        (of_commit.load(Ordering::Relaxed) == commit).then(|| table.unpack(place))
    }

    /// Remembers the place of the row of `key` in a commit.
    pub(super) fn remember(&self, key: &[u8], commit: u64, place: Place) {
        let table = self.table.load();
        let hash = self.hasher.hash_one(key);
        let (Some(bucket), Some(place)) = (table.bucket(hash), table.pack(hash, place)) else {
            return;
        };
        let [of_commit, places @ ..] = bucket;
        let found = of_commit.load(Ordering::Relaxed);
        let is_mine = found & HELD == 0
            && found <= commit
            && of_commit
                .compare_exchange(found, found | HELD, Ordering::Acquire, Ordering::Relaxed)
                .is_ok();
        if !is_mine {
            return;
        }
        // Nobody may see a place that is written from here on beside the old number of the commit.
        fence(Ordering::Release);
        if found != commit {
            places.iter().for_each(|place| place.store(0, Ordering::Relaxed));
        }
        let is_free =
            |at: &&AtomicU64| [0, place & TAG].contains(&(at.load(Ordering::Relaxed) & TAG));
        let replaced = usize::try_from(hash >> 8).unwrap_or_default() % places.len();
        let at = places.iter().find(is_free).unwrap_or(&places[replaced]);
        at.store(place, Ordering::Relaxed);
        of_commit.store(commit, Ordering::Release);
    }

    /// Makes room for the rows of a commit, given a row's address, unless that was done; `rows` counts them. Forgets all places if the
    /// table gets another size.
    pub(super) fn fit(&self, commit: u64, address: usize, rows: impl FnOnce() -> Option<u64>) {
        if self.sized_for.load(Ordering::Relaxed) == commit {
            return;
        }
        self.sized_for.store(commit, Ordering::Relaxed);
        let rows = rows().map_or(0, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
        let wanted = rows.saturating_mul(BYTES_FOR_ROW).max(LEAST_BYTES).min(self.limit);
        let buckets = wanted / BUCKET_BYTES;
        let has = self.table.load().buckets;
        // It does not shrink, and grows in steps, so that a growing store does not begin again all the time.
        if has < buckets && has != self.limit / BUCKET_BYTES {
            let buckets = (2 * has).max(buckets).min(self.limit / BUCKET_BYTES);
            self.table.store(Arc::new(Table::new(self.zeroed, buckets, address)));
        }
    }

    /// Forgets all places.
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

    fn pack(&self, hash: u64, Place { address, below }: Place) -> Option<u64> {
        let half = address.checked_sub(self.origin)? as u64 / 2;
        let flags = if below.has_levels { HAS_LEVELS } else { 0 }
            | if below.has_sets { HAS_SETS } else { 0 };
        (half < 1 << DISTANCE_BITS).then_some(tag_of(hash) | flags | half)
    }

    #[inline]
    fn unpack(&self, place: u64) -> Place {
        let half = place & ((1 << DISTANCE_BITS) - 1);
        let below = Below { has_levels: place & HAS_LEVELS != 0, has_sets: place & HAS_SETS != 0 };
        Place { address: self.origin + 2 * half as usize, below }
    }
}

/// Returns the part of a hash that a place has. The bucket depends on the other bits most.
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

    fn place(address: usize) -> Place {
        Place { address, below: Below::default() }
    }

    fn places(limit: usize, rows: u64) -> Places {
        let places = Places::new(limit, zeroed).unwrap();
        places.fit(1, FIRST, || Some(rows));
        places
    }

    #[test]
    fn a_place_is_valid_in_its_commit_only() {
        let places = places(1 << 20, 1);
        places.remember(b"a", 7, place(FIRST));
        assert_eq!(places.find(b"a", 7), Some(place(FIRST)));
        assert_eq!([6, 8].map(|commit| places.find(b"a", commit)), [None; 2]);
        assert_eq!(places.find(b"b", 7), None);
        // That of an earlier commit comes too late; that of a later one replaces it.
        places.remember(b"a", 6, place(FIRST + 6));
        assert_eq!(places.find(b"a", 7), Some(place(FIRST)));
        places.remember(b"a", 8, place(FIRST + 8));
        assert_eq!([7, 8].map(|commit| places.find(b"a", commit)), [None, Some(place(FIRST + 8))]);
        places.forget();
        assert_eq!(places.find(b"a", 8), None);
        assert_eq!(places.bytes(), (0, 1 << 20));
    }

    #[test]
    fn whatever_a_place_says_comes_back() {
        let places = places(1 << 20, 1000);
        let span = 1 << (DISTANCE_BITS + 1);
        let flags = [(false, false), (true, false), (true, true)];
        for (number, address) in
            [FIRST, FIRST + 2, FIRST - span / 2, FIRST + span / 2 - 2].into_iter().enumerate()
        {
            for (has_levels, has_sets) in flags {
                let place = Place { address, below: Below { has_levels, has_sets } };
                let key = format!("{number}{has_levels}{has_sets}");
                places.remember(key.as_bytes(), 1, place);
                assert_eq!(places.find(key.as_bytes(), 1), Some(place));
            }
        }
        for address in [FIRST - span / 2 - 2, FIRST + span / 2] {
            places.remember(b"far", 1, place(address));
            assert_eq!(places.find(b"far", 1), None, "it is too far away");
        }
    }

    #[test]
    fn a_table_has_room_for_the_rows_and_no_more_than_its_limit() {
        let at = |row: u32| place(FIRST + 2 * row as usize);
        // Rarely, two keys have the same hash as far as it is compared, and the later one replaces the earlier one.
        let find = |places: &Places, rows: u32| {
            (0..rows).for_each(|row| places.remember(&row.to_le_bytes(), 1, at(row)));
            (0..rows).filter(|row| places.find(&row.to_le_bytes(), 1) == Some(at(*row))).count()
        };
        let all = places(10 << 20, 100_000);
        assert!(find(&all, 100_000) > 93_000);
        assert!(all.bytes().0 <= 100_000 * BYTES_FOR_ROW as u64);
        let few = places(10_000, 100_000);
        assert_eq!(few.bytes(), (10_000 / 64 * 64, 10_000));
        let kept = find(&few, 100_000);
        assert!((700..=10_000 / 64 * 7).contains(&kept), "{kept}");
        // A limit below one line of the cache holds nothing.
        assert_eq!(find(&places(10, 100_000), 100), 0);
        assert!(Places::new(0, zeroed).is_none());
        // It grows with the rows, and keeps its size when they become fewer.
        let growing = places(1 << 20, 1);
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
    fn threads_at_different_commits_find_no_place_of_another() {
        // Each address says its commit.
        let address = |commit: u64| FIRST + 2 * commit as usize;
        let places = places(64, 1);
        let (last, is_over) = (AtomicU64::new(1), AtomicBool::new(false));
        let found: u64 = thread::scope(|scope| {
            let threads: Vec<_> = (0..4_u64)
                .map(|thread| {
                    let (places, last, is_over) = (&places, &last, &is_over);
                    scope.spawn(move || {
                        let mut count = 0;
                        while !is_over.load(Ordering::Relaxed) {
                            let commit = last.load(Ordering::Relaxed);
                            for key in 0..9_u64 {
                                let key = (key + thread).to_le_bytes();
                                match places.find(&key, commit) {
                                    Some(found) => {
                                        assert_eq!(found, place(address(commit)));
                                        count += 1;
                                    }
                                    None => places.remember(&key, commit, place(address(commit))),
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
