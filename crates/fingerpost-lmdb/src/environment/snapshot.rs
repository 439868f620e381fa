//! Snapshots, whose pages are read where LMDB has mapped the file, without LMDB.
//!
//! LMDB keeps a snapshot: while its read transaction is open, its pages are not reused. It does not
//! expose the address of its map, which is calculated from a key and the offset of this key in the
//! file.

use std::ops::Range;
use std::ptr;
use std::slice;
use std::sync::atomic::Ordering;

use fingerpost_engine::EngineError;
use heed::types::Bytes;
use heed::{CommitOrAbort, RoTxn, WithTls};
use rustix::mm::{Advice, madvise};

use super::Environment;
use crate::check::error_of;
use crate::files::DATA_FILE;
use crate::limits::SNAPSHOT_TRIES;
use crate::map_locks::MapGuard;
use crate::pages::{Fault, MAIN, Pages, first_table};

/// One commit, and its pages.
pub(crate) struct Snapshot<'e> {
    environment: &'e Environment,
    pub(crate) txn: RoTxn<'e, WithTls>,
    /// The address of page 0.
    base: usize,
    /// The description of the main tree.
    main: [u64; 6],
    /// Dropped after the transaction.
    _held: MapGuard<'e>,
}

impl Environment {
    /// Takes a snapshot of the last commit, in which the tables must exist.
    #[inline]
    pub(crate) fn snapshot(&self) -> Result<Snapshot<'_>, EngineError> {
        for _ in 0..SNAPSHOT_TRIES {
            if self.base.load(Ordering::Acquire) == 0 {
                self.locate()?;
            }
            let (held, txn) = self.read()?;
            let base = self.base.load(Ordering::Acquire);
            if base == 0 {
                continue; // the map has moved
            }
            let address = base + (txn.id() & 1) * self.page_bytes + MAIN;
            // SAFETY: LMDB has mapped both meta pages, and the map does not move while it is held.
            // Others can write this page, so it is read once.
            let words: [u64; 8] =
                unsafe { ptr::with_exposed_provenance::<[u64; 8]>(address).read_volatile() };
            let [main @ .., _last_page, transaction] = words;
            if transaction == txn.id() as u64 {
                return Ok(Snapshot { environment: self, txn, base, main, _held: held });
            }
        }
        Err(self.damaged(Fault::Damaged("a meta page is damaged".to_owned())))
    }

    pub(crate) fn damaged(&self, fault: Fault) -> EngineError {
        error_of(self.dir(), fault)
    }

    /// Finds out where the file is mapped.
    fn locate(&self) -> Result<(), EngineError> {
        let path = self.dir().join(DATA_FILE);
        for _ in 0..SNAPSHOT_TRIES {
            let (_held, txn) = self.read()?;
            let found = self.env.open_databases_and_commit(txn, |opener, txn| {
                let main = opener.open_database::<Bytes, Bytes>(txn, None)?;
                let first = main.map(|main| main.first(txn)).transpose()?.flatten();
                let found = first.map(|(name, _)| (name.as_ptr().expose_provenance(), name));
                // The commit is kept until this ends.
                let offset = first_table(&path, txn.id() as u64);
                let is_same = |(_, name): &(usize, Vec<u8>)| found.is_some_and(|it| it.1 == name);
                let base = offset.map(|offset| {
                    let (offset, _) = offset.filter(is_same)?;
                    found?.0.checked_sub(offset)
                });
                Ok::<CommitOrAbort<(), _>, heed::Error>(CommitOrAbort::Abort(base))
            });
            let base = match found.map_err(|error| self.fault(error))? {
                CommitOrAbort::Abort(base) => base.map_err(|fault| self.damaged(fault))?,
                CommitOrAbort::Commit(()) => None,
            };
            if let Some(base) = base {
                self.base.store(base, Ordering::Release);
                return Ok(());
            }
        }
        Err(self.damaged(Fault::Damaged("its list of tables is damaged".to_owned())))
    }

    /// Returns whether the file has so many pages, in the map.
    #[inline]
    fn has_pages(&self, pages: u64) -> bool {
        pages <= self.known_pages.load(Ordering::Relaxed) || self.count_pages() >= pages
    }

    #[cold]
    fn count_pages(&self) -> u64 {
        let mapped = self.env.info().map_size as u64;
        let bytes = self.env.real_disk_size().unwrap_or(0).min(mapped);
        if bytes > self.memory && !self.exceeds_memory.swap(true, Ordering::Relaxed) {
            self.advise(0..mapped as usize, Advice::Random);
        }
        let pages = bytes / self.page_bytes as u64;
        self.known_pages.store(pages, Ordering::Relaxed);
        pages
    }

    /// Tells the operating system how a part of the map is read. Without that, reading is slower.
    fn advise(&self, part: Range<usize>, advice: Advice) {
        let begin = part.start & !(self.page_size - 1);
        let address = ptr::with_exposed_provenance_mut(self.base.load(Ordering::Acquire) + begin);
        // SAFETY: the advice changes when pages are read from the disk, and not what they contain.
        let _ = unsafe { madvise(address, part.end - begin, advice) };
    }
}

impl Snapshot<'_> {
    /// Returns the description of the main tree.
    #[inline]
    pub(crate) fn main_tree(&self) -> [[u8; 8]; 6] {
        self.main.map(u64::to_ne_bytes)
    }
}

impl Pages for Snapshot<'_> {
    #[inline]
    fn pages(&self, first: u64, count: u64) -> Option<&[u8]> {
        let end = first.checked_add(count)?;
        self.environment.has_pages(end).then_some(())?;
        let size = self.environment.page_bytes;
        let begin = ptr::with_exposed_provenance(self.base + first as usize * size);
        // SAFETY: the file has these pages, and they are mapped. LMDB changes no page of a
        // snapshot. Damage can lead to a page of another commit, or change a page: what is read is
        // checked, and a row has a checksum.
        Some(unsafe { slice::from_raw_parts(begin, count as usize * size) })
    }

    fn page_bytes(&self) -> usize {
        self.environment.page_bytes
    }

    #[inline]
    fn prefetch(&self, first: u64, count: u64) {
        let exceeds_memory = self.environment.exceeds_memory.load(Ordering::Relaxed);
        if exceeds_memory && self.environment.has_pages(first.saturating_add(count)) {
            let (first, size) = (first as usize, self.environment.page_bytes);
            self.environment
                .advise(first * size..(first + count as usize) * size, Advice::WillNeed);
        }
    }
}
