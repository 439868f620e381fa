//! Opens LMDB, reads rows at remembered locations, and maps LMDB's errors. The front page of the
//! crate argues each `unsafe` block.
//!
//! A data directory holds `data.mdb` (the tree) and `lock.mdb` (writer lock and one slot per
//! reading thread). LMDB's own defaults apply: every commit is synchronised to disk before it
//! returns, the map is read-only, and no flag that trades durability for speed is set, unless
//! commits are deferred: see `sync_before`.
#![allow(
    unsafe_code,
    reason = "mapping a file into memory is unsafe by nature; the front page of the crate argues each block"
)]

mod snapshot;

use std::fs;
use std::io;
use std::path::Path;
use std::ptr;
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use fingerpost_engine::{Below, EngineError, Unavailable};
use heed::{Env, EnvFlags, EnvOpenOptions, MdbError, RoTxn, RwTxn, WithTls};

use super::check::check_before_opening;
use super::errors::{io_fault, open_fault};
use super::files::{
    DATA_FILE, can_defer, clear_finished, note_start, prepare_lock_file, probe_space,
    refuse_unfinished, sync_directory, was_restarted,
};
use super::map_locks::{MapGuard, MapLocks};
use super::memory;
use super::pages::{NODE, NodeHead};
use super::row_locations::{RowLocation, RowLocations};

use crate::LmdbOptions;
use crate::limits::{COMMIT_PATIENCE, MAX_DATABASES, MAX_READERS, RESIZE_PATIENCE, USUAL_MAP};

pub(super) use snapshot::Snapshot;

/// A multiple of every page size in use (4, 16 and 64 KiB).
const MAP_STEP: usize = 64 * 1024;

/// An open LMDB environment that reports errors as [`EngineError`].
#[derive(Debug)]
pub(super) struct Environment {
    env: Env<WithTls>,
    /// Locks of the map; everything that reads it holds one.
    map_locks: MapLocks,
    /// Whether the map was lost, because the operating system granted no larger one.
    is_lost: AtomicBool,
    /// A commit that readers do not see yet, and when it was first noticed.
    unpublished: Mutex<Option<(usize, Instant)>>,
    /// The last commit that is known to be on disk, if commits are deferred.
    synced: Option<AtomicUsize>,
    /// Whether the machine was restarted, so that the environment was opened at the commit before
    /// the last one.
    was_restarted: bool,
    /// Locations of rows, if they are remembered.
    row_locations: Option<RowLocations>,
    /// Bytes of a page of the operating system.
    page_size: usize,
    /// Bytes of a page of the file.
    page_bytes: usize,
    /// The address at which the file is mapped; 0 if it is not known.
    base: AtomicUsize,
    /// Number of pages that the file had when they were counted last.
    known_pages: AtomicU64,
    /// How many bytes of files memory can have, if rows are read at random.
    pub(super) memory: u64,
    /// Whether the file is larger, so that a missing page is read without its neighbours.
    exceeds_memory: AtomicBool,
}

impl Environment {
    /// Opens the directory; creates it and its files if missing.
    pub(super) fn create(dir: &Path, options: LmdbOptions) -> Result<Self, EngineError> {
        let is_new = !dir.join(DATA_FILE).exists();
        fs::create_dir_all(dir).map_err(|error| io_fault(dir, error))?;
        if is_new {
            refuse_unfinished(dir)?;
        } else {
            clear_finished(dir);
        }
        let environment = Self::open(dir, options)?;
        if is_new {
            sync_directory(dir).map_err(|error| io_fault(dir, error))?;
        }
        Ok(environment)
    }

    /// Opens the directory of an existing environment; creates only the lock file if missing.
    pub(super) fn open_existing(dir: &Path, options: LmdbOptions) -> Result<Self, EngineError> {
        match fs::metadata(dir.join(DATA_FILE)) {
            Ok(_) => Self::open(dir, options),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                refuse_unfinished(dir)?;
                Err(EngineError::Missing { path: dir.to_owned() })
            }
            Err(error) => Err(io_fault(dir, error)),
        }
    }

    fn open(dir: &Path, options: LmdbOptions) -> Result<Self, EngineError> {
        let was_restarted = was_restarted(dir);
        check_before_opening(dir, !was_restarted)?;
        prepare_lock_file(dir).map_err(|error| io_fault(dir, error))?;
        let is_deferred = options.is_deferred && can_defer();
        let mut flags = EnvFlags::empty();
        flags.set(EnvFlags::NO_SYNC, is_deferred);
        flags.set(EnvFlags::PREV_SNAPSHOT, was_restarted);
        let env = match options.map_size {
            Some(limit) => {
                let limit = limit.max(MAP_STEP).next_multiple_of(MAP_STEP);
                map(dir, limit, flags).map_err(|error| open_fault(dir, limit, error))?
            }
            None => map_generously(dir, flags)?,
        };
        if is_deferred && !was_restarted {
            note_start(dir).map_err(|error| io_fault(dir, error))?;
        }
        let environment = Self {
            synced: is_deferred.then(AtomicUsize::default),
            was_restarted,
            page_bytes: env.unnamed_database_stat().page_size as usize,
            base: AtomicUsize::new(0),
            known_pages: AtomicU64::new(0),
            memory: options.is_random.then(memory::for_files).flatten().unwrap_or(u64::MAX),
            exceeds_memory: AtomicBool::new(false),
            env,
            map_locks: MapLocks::new(),
            is_lost: AtomicBool::new(false),
            unpublished: Mutex::new(None),
            row_locations: RowLocations::new(options.location_bytes, zeroed),
            page_size: rustix::param::page_size(),
        };
        environment.clear_stale_readers()?;
        let (_, txn) = environment.read()?;
        let visible = txn.id();
        drop(txn);
        if visible != environment.last_transaction() {
            drop(environment.write()?); // see `publish_commit_of_dead_writer`
        }
        Ok(environment)
    }

    /// Returns the LMDB handle for opening databases.
    pub(super) fn env(&self) -> &Env<WithTls> {
        &self.env
    }

    pub(super) fn dir(&self) -> &Path {
        self.env.path()
    }

    /// Returns the number of the last transaction committed by any process: two loads from the
    /// shared map, no system call. While a commit finishes, it can be ahead of what a new reader
    /// sees, but never behind.
    #[inline]
    pub(super) fn last_transaction(&self) -> usize {
        let _held = self.map_locks.hold();
        if self.is_lost() {
            return usize::MAX; // so nothing that is cached is valid
        }
        self.env.info().last_txn_id
    }

    /// Begins a read transaction. Only one may be open per thread. The use of the map that comes
    /// with it must outlive it; as a local variable it does, because it comes first.
    pub(super) fn read(&self) -> Result<(MapGuard<'_>, RoTxn<'_, WithTls>), EngineError> {
        self.begin(|env| match env.read_txn() {
            Err(heed::Error::Mdb(MdbError::ReadersFull)) => {
                env.clear_stale_readers()?;
                env.read_txn()
            }
            result => result,
        })
    }

    /// Begins a transaction. If another process has written beyond our map, grows the map first.
    #[inline]
    fn begin<'e, T>(
        &'e self,
        begin: impl Fn(&'e Env<WithTls>) -> heed::Result<T>,
    ) -> Result<(MapGuard<'e>, T), EngineError> {
        loop {
            let held = self.map_locks.hold();
            if self.is_lost() {
                return Err(Unavailable::AddressSpace { map_size: self.wanted_map() }.into());
            }
            match begin(&self.env) {
                Ok(txn) => return Ok((held, txn)),
                Err(heed::Error::Mdb(MdbError::MapResized)) => {
                    let outgrown = self.env.info().map_size;
                    drop(held);
                    self.grow(outgrown)?;
                }
                Err(error) => return Err(self.fault(error)),
            }
        }
    }

    /// Returns the locations of rows, if they are remembered.
    pub(super) fn row_locations(&self) -> Option<&RowLocations> {
        self.row_locations.as_ref()
    }

    /// Returns the value of a key in the entries and what is below it, if it was remembered in the
    /// commit of this snapshot.
    #[inline]
    pub(super) fn remembered_row<'t>(
        &self,
        snapshot: &'t RoTxn<'_, WithTls>,
        key: &[u8],
    ) -> Option<(&'t [u8], Below)> {
        let RowLocation { address, below } =
            self.row_locations.as_ref()?.find(key, snapshot.id() as u64)?;
        let begin = ptr::with_exposed_provenance::<u8>(address);
        // SAFETY: `remember_row` has found a node at this address, in a snapshot of the same commit
        // as this one. So its page is part of this snapshot too, and does not change while the
        // snapshot is open. The map has not moved since, because moving it forgets all locations.
        let head = NodeHead::parse(unsafe { &*begin.cast() });
        // Only damage to a file in use can make it longer than its page.
        self.is_in_page(address, head.length()).then_some(())?;
        // SAFETY: the whole node is in the page.
        let node = unsafe { slice::from_raw_parts(begin, head.length()) };
        // Another key can have the same location; it can also begin like this one.
        let value = node[NODE..].strip_prefix(key)?;
        (head == NodeHead::of(key, value)).then_some((value, below))
    }

    /// Remembers where LMDB has found a row of the entries in a snapshot; `rows` counts the
    /// entries. A value on pages of its own is not remembered.
    pub(super) fn remember_row<'t>(
        &self,
        snapshot: &'t RoTxn<'_, WithTls>,
        (key, value): (&'t [u8], &'t [u8]),
        below: Below,
        rows: impl FnOnce() -> Option<u64>,
    ) {
        let Some(locations) = &self.row_locations else { return };
        let begin = key.as_ptr().wrapping_sub(NODE);
        // SAFETY: LMDB has returned the key, which is part of a node and begins `NODE` bytes after
        // it.
        let head = NodeHead::parse(unsafe { &*begin.cast() });
        let is_whole = ptr::eq(key.as_ptr_range().end, value.as_ptr());
        let address = begin.expose_provenance();
        if is_whole && head == NodeHead::of(key, value) && self.is_in_page(address, head.length()) {
            let commit = snapshot.id() as u64;
            locations.fit(commit, address, rows);
            locations.remember(key, commit, RowLocation { address, below });
        }
    }

    /// Returns whether the bytes from an address on are in one page of the operating system.
    #[inline]
    fn is_in_page(&self, address: usize, length: usize) -> bool {
        // A page's size is a power of two.
        (address & (self.page_size - 1)) + length <= self.page_size
    }

    /// Replaces a map of the size `outgrown`, which another process has written beyond, by one of
    /// twice the data file.
    fn grow(&self, outgrown: usize) -> Result<(), EngineError> {
        let wanted = self.wanted_map();
        let grown = self.map_locks.while_unused(RESIZE_PATIENCE, || {
            if self.is_lost() || self.env.info().map_size != outgrown {
                return Ok(()); // another thread was first
            }
            if let Some(locations) = &self.row_locations {
                locations.forget();
            }
            self.base.store(0, Ordering::Release);
            self.known_pages.store(0, Ordering::Relaxed);
            self.exceeds_memory.store(false, Ordering::Relaxed);
            // SAFETY: all transactions of this process, and all other readers of its map, hold a
            // lock of the map, and none is held.
            unsafe { self.env.resize(wanted) }
                // LMDB has given up the old map by then, and cannot map it again.
                .inspect_err(|_| self.is_lost.store(true, Ordering::Release))
        });
        match grown {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => Err(Unavailable::AddressSpace { map_size: wanted }.into()),
            None => Err(Unavailable::MapOutgrown { map_size: outgrown }.into()),
        }
    }

    fn wanted_map(&self) -> usize {
        twice(self.env.real_disk_size().unwrap_or(0))
    }

    #[inline]
    fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    /// Ends the wait for a commit whose writer was killed between writing it and announcing it to
    /// readers.
    ///
    /// The batch is complete and on disk, but readers see it only after the next writer takes over
    /// the dead writer's lock. Until then, readers do not see an acknowledged write. `visible` is
    /// the transaction of a reader.
    pub(super) fn publish_commit_of_dead_writer(&self, visible: usize) {
        let last = self.env.info().last_txn_id;
        if last == visible {
            return;
        }
        let Ok(mut unpublished) = self.unpublished.try_lock() else {
            return; // another thread is doing this
        };
        match *unpublished {
            Some((seen, since)) if seen == last => {
                if since.elapsed() > COMMIT_PATIENCE {
                    *unpublished = None;
                    let _ = self.write(); // takes over the lock; the next write reports a failure
                }
            }
            _ => *unpublished = Some((last, Instant::now())),
        }
    }

    /// Begins the write transaction after the current writer, which can be in any process.
    ///
    /// First frees the slots of killed readers: otherwise the pages that they seem to read could
    /// never be reused.
    pub(super) fn write(&self) -> Result<(MapGuard<'_>, RwTxn<'_>), EngineError> {
        self.clear_stale_readers()?;
        self.begin(Env::write_txn)
    }

    /// Waits until the commit before `transaction` is on disk, if commits are deferred. LMDB never
    /// reuses the pages of the last two commits, so that while all others are on disk, a crash of
    /// the machine can only undo the last one. The next start then returns to the one before it.
    pub(super) fn sync_before(&self, transaction: usize) -> Result<(), EngineError> {
        let Some(synced) = &self.synced else { return Ok(()) };
        if synced.load(Ordering::Acquire) + 1 < transaction {
            self.env.force_sync().map_err(|error| self.fault(error))?;
            synced.fetch_max(transaction - 1, Ordering::Release);
        }
        Ok(())
    }

    /// Returns whether the last commit must be replaced, because a restart of the machine may have
    /// damaged it.
    pub(super) fn was_restarted(&self) -> bool {
        self.was_restarted
    }

    /// Notes that the last commit was replaced, and is on disk.
    pub(super) fn note_replaced(&self) -> Result<(), EngineError> {
        note_start(self.dir()).map_err(|error| io_fault(self.dir(), error))
    }

    /// Begins a transaction within a write transaction. It sees the changes of that one, and can be
    /// rolled back alone.
    pub(super) fn nested<'t>(
        &'t self,
        parent: &'t mut RwTxn<'_>,
    ) -> Result<(MapGuard<'t>, RwTxn<'t>), EngineError> {
        let held = self.map_locks.hold();
        let txn = self.env.nested_write_txn(parent).map_err(|error| self.fault(error))?;
        Ok((held, txn))
    }

    /// Tries to write in the directory, as a commit would.
    pub(super) fn check_writable(&self) -> Result<(), EngineError> {
        let end = self.env.real_disk_size().unwrap_or(0);
        probe_space(self.dir(), end).map_err(|error| io_fault(self.dir(), error))
    }

    /// Converts an error of an operation on the open environment.
    pub(super) fn fault(&self, error: heed::Error) -> EngineError {
        let location = self.dir().display().to_string();
        let _held = self.map_locks.hold();
        if self.is_lost() {
            return Unavailable::AddressSpace { map_size: self.wanted_map() }.into();
        }
        let info = self.env.info();
        match error {
            heed::Error::Mdb(MdbError::MapFull) => EngineError::MapFull { map_size: info.map_size },
            heed::Error::Mdb(MdbError::ReadersFull) => {
                Unavailable::TooManyReaders { slots: info.maximum_number_of_readers }.into()
            }
            heed::Error::Mdb(MdbError::BadRslot) => Unavailable::SnapshotInUse.into(),
            heed::Error::Mdb(MdbError::Panic) => Unavailable::Stopped.into(),
            heed::Error::Mdb(
                error @ (MdbError::Corrupted | MdbError::PageNotFound | MdbError::Invalid),
            ) => EngineError::Damaged { location, detail: error.to_string() },
            heed::Error::Decoding(error) => {
                EngineError::Damaged { location, detail: error.to_string() }
            }
            heed::Error::Io(error) => self.write_fault(error),
            error => EngineError::Io { location, source: io::Error::other(error).into() },
        }
    }

    /// Distinguishes I/O errors from a full disk by a probe: LMDB reports a short write, the first
    /// sign of a full disk, as EIO.
    fn write_fault(&self, error: io::Error) -> EngineError {
        const EIO: i32 = 5;
        if error.raw_os_error() == Some(EIO) {
            let end = self.env.real_disk_size().unwrap_or(0);
            if let Err(probe) = probe_space(self.dir(), end) {
                return io_fault(self.dir(), probe);
            }
        }
        io_fault(self.dir(), error)
    }

    fn clear_stale_readers(&self) -> Result<usize, EngineError> {
        self.env.clear_stale_readers().map_err(|error| self.fault(error))
    }
}

/// Returns numbers in memory that takes no space before it is written.
fn zeroed(length: usize) -> Box<[AtomicU64]> {
    // SAFETY: all bytes of zero are a valid number.
    unsafe { Box::new_zeroed_slice(length).assume_init() }
}

fn map(dir: &Path, map_size: usize, flags: EnvFlags) -> heed::Result<Env<WithTls>> {
    let mut options = EnvOpenOptions::new();
    options.map_size(map_size).max_readers(MAX_READERS).max_dbs(MAX_DATABASES);
    // SAFETY: a mapped file must only change through LMDB while it is mapped. We open with LMDB's
    // locks (no NO_LOCK) and without WRITE_MAP, so that every process using this crate, or LMDB's
    // tools, is serialised by `lock.mdb`, and no stray store of ours can reach the file. `heed`
    // refuses a second opening in the same process, which would break those locks. No path of this
    // crate changes or truncates `data.mdb` by other means (a restored or compacted one is moved
    // into place while no process has the old one open); that an operator must not either is in the
    // crate's documentation.
    // `NO_SYNC` leaves the order of writes to `sync_before`; with `PREV_SNAPSHOT`, LMDB refuses to
    // open what another process has open.
    unsafe { options.flags(flags).open(dir) }
}

/// Maps with much room: the usual size, or twice the data file. Where address space is limited,
/// takes half as much until the operating system grants it, but not less than twice the data file.
fn map_generously(dir: &Path, flags: EnvFlags) -> Result<Env<WithTls>, EngineError> {
    let needed = twice(fs::metadata(dir.join(DATA_FILE)).map_or(0, |data| data.len()));
    let mut size = USUAL_MAP.max(needed);
    loop {
        match map(dir, size, flags) {
            Err(heed::Error::Io(error))
                if error.kind() == io::ErrorKind::OutOfMemory && size > needed =>
            {
                size = (size / 2).next_multiple_of(MAP_STEP).max(needed);
            }
            result => return result.map_err(|error| open_fault(dir, size, error)),
        }
    }
}

/// Returns the size of a map that has room for a data file of this length to double; at least 64
/// MiB.
fn twice(length: u64) -> usize {
    let length = usize::try_from(length).unwrap_or(usize::MAX / 4);
    (2 * length).max(64 << 20).next_multiple_of(MAP_STEP)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicU32;
    use std::thread;

    use super::*;

    #[test]
    fn too_many_readers_are_an_error_that_passes() {
        const THREADS: u32 = MAX_READERS + 200;
        let dir = tempfile::tempdir().unwrap();
        let environment =
            Environment::create(dir.path(), LmdbOptions::default().map_size(1 << 20)).unwrap();
        let refused = AtomicU32::new(0);
        let all = Barrier::new(THREADS as usize);
        thread::scope(|scope| {
            let mut threads = Vec::new();
            for _ in 0..THREADS {
                let thread = thread::Builder::new().stack_size(64 * 1024);
                let reader = || {
                    let txn = environment.read();
                    if let Err(EngineError::Unavailable(Unavailable::TooManyReaders { slots })) =
                        txn
                    {
                        assert!(slots >= MAX_READERS);
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                    all.wait();
                };
                threads.push(thread.spawn_scoped(scope, reader).unwrap());
            }
            threads.into_iter().for_each(|thread| thread.join().unwrap());
        });
        assert!((1..=200).contains(&refused.into_inner()));
        environment.read().unwrap();
    }
}
