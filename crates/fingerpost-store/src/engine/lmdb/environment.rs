//! Opens LMDB: the only `unsafe` of the workspace, the files of a data directory, and the mapping of LMDB's errors.
//!
//! A data directory holds `data.mdb` (the tree) and `lock.mdb` (writer lock and one slot per reading thread). LMDB's own
//! defaults apply: every commit is synchronised to disk before it returns, the map is read-only, and no flag that trades
//! durability for speed is set.
#![allow(unsafe_code, reason = "mapping a file into memory is unsafe by nature; see `map`")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use heed::{Env, EnvOpenOptions, MdbError, RoTxn, RwTxn, WithTls};

use crate::{StoreError, Unavailable};

/// Number of reader slots. Each thread that reads takes one, in all processes together, and keeps it until the thread ends. A
/// server has one thread per core, but blocking pools can have 512; a slot costs 64 bytes.
const MAX_READERS: u32 = 1024;

/// Size of a lock file with [`MAX_READERS`] slots: 64 bytes per slot and a page for the header.
const LOCK_FILE_BYTES: usize = 64 * MAX_READERS as usize + 4096;

/// Maximum number of named databases: the store uses eight; the rest is reserved for later formats.
const MAX_DATABASES: u32 = 16;

/// A multiple of every page size in use (4, 16 and 64 KiB).
const MAP_STEP: usize = 64 * 1024;

pub(super) const DATA_FILE: &str = "data.mdb";
const LOCK_FILE: &str = "lock.mdb";

/// How long a commit may stay between its last write and its announcement to readers until its writer is considered dead. This
/// step is one synchronised write of a page: milliseconds on any working disk.
const COMMIT_PATIENCE: Duration = Duration::from_secs(2);

/// An open LMDB environment that reports errors as [`StoreError`].
#[derive(Debug)]
pub(super) struct Environment {
    env: Env<WithTls>,
    /// A commit that readers do not see yet, and when it was first noticed.
    unannounced: Mutex<Option<(usize, Instant)>>,
}

impl Environment {
    /// Opens the directory; creates it and its files if missing.
    pub(super) fn create(dir: &Path, map_size: usize) -> Result<Self, StoreError> {
        let is_new = !dir.join(DATA_FILE).exists();
        fs::create_dir_all(dir).map_err(|error| io_fault(dir, error))?;
        let environment = Self::open(dir, map_size)?;
        if is_new {
            sync_directory(dir).map_err(|error| io_fault(dir, error))?;
        }
        Ok(environment)
    }

    /// Opens the directory of an existing environment; creates only the lock file if missing.
    pub(super) fn open_existing(dir: &Path, map_size: usize) -> Result<Self, StoreError> {
        match fs::metadata(dir.join(DATA_FILE)) {
            Ok(_) => Self::open(dir, map_size),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::Missing { path: dir.to_owned() })
            }
            Err(error) => Err(io_fault(dir, error)),
        }
    }

    fn open(dir: &Path, map_size: usize) -> Result<Self, StoreError> {
        prepare_lock_file(dir).map_err(|error| io_fault(dir, error))?;
        let map_size = map_size.max(MAP_STEP).next_multiple_of(MAP_STEP);
        let env = map(dir, map_size).map_err(|error| open_fault(dir, map_size, error))?;
        let environment = Self { env, unannounced: Mutex::new(None) };
        environment.clear_stale_readers()?;
        if environment.read()?.id() != environment.last_transaction() {
            drop(environment.write()?); // see `announce_commit_of_the_dead`
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

    /// Returns the number of the last transaction committed by any process: two loads from the shared map, no system call.
    /// While a commit finishes, it can be ahead of what a new reader sees, but never behind.
    #[inline]
    pub(super) fn last_transaction(&self) -> usize {
        self.env.info().last_txn_id
    }

    /// Begins a read transaction. Only one may be open per thread.
    pub(super) fn read(&self) -> Result<RoTxn<'_, WithTls>, StoreError> {
        match self.env.read_txn() {
            Err(heed::Error::Mdb(MdbError::ReadersFull)) => {
                self.clear_stale_readers()?;
                self.env.read_txn()
            }
            result => result,
        }
        .map_err(|error| self.fault(error))
    }

    /// Ends the wait for a commit whose writer was killed between writing it and announcing it to readers.
    ///
    /// The batch is complete and on disk, but readers see it only after the next writer takes over the dead writer's lock.
    /// Until then, no item of the hot cache is valid, because the last transaction is not the one that readers see. `visible`
    /// is the transaction of a reader.
    pub(super) fn announce_commit_of_the_dead(&self, visible: usize) {
        let last = self.last_transaction();
        if last == visible {
            return;
        }
        let Ok(mut unannounced) = self.unannounced.try_lock() else {
            return; // another thread is doing this
        };
        match *unannounced {
            Some((seen, since)) if seen == last => {
                if since.elapsed() > COMMIT_PATIENCE {
                    *unannounced = None;
                    let _ = self.env.write_txn(); // takes over the lock; the next write reports a failure
                }
            }
            _ => *unannounced = Some((last, Instant::now())),
        }
    }

    /// Begins the write transaction after the current writer, which can be in any process.
    ///
    /// First frees the slots of killed readers: otherwise the pages that they seem to read could never be reused.
    pub(super) fn write(&self) -> Result<RwTxn<'_>, StoreError> {
        self.clear_stale_readers()?;
        self.env.write_txn().map_err(|error| self.fault(error))
    }

    /// Begins a transaction within a write transaction. It sees the changes of that one, and can be rolled back alone.
    pub(super) fn nested<'t>(&'t self, parent: &'t mut RwTxn<'_>) -> Result<RwTxn<'t>, StoreError> {
        self.env.nested_write_txn(parent).map_err(|error| self.fault(error))
    }

    /// Converts an error of an operation on the open environment.
    pub(super) fn fault(&self, error: heed::Error) -> StoreError {
        let location = self.dir().display().to_string();
        let info = self.env.info();
        match error {
            heed::Error::Mdb(MdbError::MapFull) => StoreError::MapFull { map_size: info.map_size },
            heed::Error::Mdb(MdbError::ReadersFull) => {
                Unavailable::TooManyReaders { places: info.maximum_number_of_readers }.into()
            }
            heed::Error::Mdb(MdbError::MapResized) => {
                Unavailable::MapOutgrown { map_size: info.map_size }.into()
            }
            heed::Error::Mdb(MdbError::BadRslot) => Unavailable::SnapshotInUse.into(),
            heed::Error::Mdb(MdbError::Panic) => Unavailable::Stopped.into(),
            heed::Error::Mdb(
                error @ (MdbError::Corrupted | MdbError::PageNotFound | MdbError::Invalid),
            ) => StoreError::Damaged { location, detail: error.to_string() },
            heed::Error::Decoding(error) => {
                StoreError::Damaged { location, detail: error.to_string() }
            }
            heed::Error::Io(error) => self.write_fault(error),
            error => StoreError::Io { location, source: io::Error::other(error) },
        }
    }

    /// Distinguishes I/O errors from a full disk by a probe: LMDB reports a short write, the first sign of a full disk, as EIO.
    fn write_fault(&self, error: io::Error) -> StoreError {
        const EIO: i32 = 5;
        if error.raw_os_error() == Some(EIO) {
            let end = self.env.real_disk_size().unwrap_or(0);
            if let Err(probe) = probe_space(self.dir(), end) {
                return io_fault(self.dir(), probe);
            }
        }
        io_fault(self.dir(), error)
    }

    fn clear_stale_readers(&self) -> Result<usize, StoreError> {
        self.env.clear_stale_readers().map_err(|error| self.fault(error))
    }
}

fn map(dir: &Path, map_size: usize) -> heed::Result<Env<WithTls>> {
    let mut options = EnvOpenOptions::new();
    options.map_size(map_size).max_readers(MAX_READERS).max_dbs(MAX_DATABASES);
    // SAFETY: a mapped file must only change through LMDB while it is mapped. We open with LMDB's locks (no
    // NO_LOCK) and without WRITE_MAP, so that every process using this crate, or LMDB's tools, is serialised
    // by `lock.mdb`, and no stray store of ours can reach the file. `heed` refuses a second opening in the
    // same process, which would break those locks. No path of this crate opens, truncates or replaces
    // `data.mdb` by other means (a restored one is moved into place after it was closed); that an operator
    // must not either is in the crate's documentation.
    unsafe { options.open(dir) }
}

/// Creates a missing lock file with its blocks allocated.
///
/// LMDB would create a sparse file and write to it through a map; on a full disk, that ends the process with SIGBUS instead of
/// an error. This writes a temporary file and links it into place, so no process can use an incomplete one.
fn prepare_lock_file(dir: &Path) -> io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let lock = dir.join(LOCK_FILE);
    if lock.exists() {
        return Ok(());
    }
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let aside = dir.join(format!("{LOCK_FILE}.{}.{count}", std::process::id()));
    let written = create_private(&aside).and_then(|mut file| file.write_all(&[0; LOCK_FILE_BYTES]));
    if written.is_ok() {
        // This fails if another process was first, or if the file system has no links; LMDB then creates its own file.
        let _ = fs::hard_link(&aside, &lock);
    }
    let removed = fs::remove_file(&aside);
    written.and(removed)
}

/// Tries to allocate space up to and beyond `end`, the length of the data file, in a temporary file.
fn probe_space(dir: &Path, end: u64) -> io::Result<()> {
    const STEP: usize = 256 * 1024;
    let path = dir.join(format!("space.{}", std::process::id()));
    let mut file = create_private(&path)?;
    let result = file
        .seek(SeekFrom::Start(end))
        .and_then(|_| file.write_all(&[0x55; STEP]))
        .and_then(|()| file.sync_all());
    drop(file);
    fs::remove_file(&path).and(result)
}

fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes the names of new files durable, which LMDB does not do.
pub(super) fn sync_directory(dir: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        File::open(dir)?.sync_all()?;
        // A parent directory without access is not an error of the store.
        if let Some(Ok(parent)) = dir.parent().map(File::open) {
            parent.sync_all()?;
        }
    }
    Ok(())
}

fn open_fault(dir: &Path, map_size: usize, error: heed::Error) -> StoreError {
    let path = dir.to_owned();
    match error {
        heed::Error::EnvAlreadyOpened => StoreError::AlreadyOpen { path },
        heed::Error::Mdb(MdbError::Invalid) => {
            StoreError::NotAStore { path, found: "data.mdb is not an LMDB file" }
        }
        heed::Error::Mdb(MdbError::VersionMismatch) => {
            StoreError::NotAStore { path, found: "data.mdb has another version of LMDB's format" }
        }
        heed::Error::Io(error) if error.kind() == io::ErrorKind::OutOfMemory => {
            Unavailable::AddressSpace { map_size }.into()
        }
        heed::Error::Io(error) => io_fault(dir, error),
        error => {
            StoreError::Io { location: dir.display().to_string(), source: io::Error::other(error) }
        }
    }
}

fn io_fault(dir: &Path, source: io::Error) -> StoreError {
    let path = PathBuf::from(dir);
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            StoreError::DiskFull { path, source }
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::Permission { path, source }
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            StoreError::NotAStore { path, found: "not a directory" }
        }
        _ => StoreError::Io { location: dir.display().to_string(), source },
    }
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
        let environment = Environment::create(dir.path(), 1 << 20).unwrap();
        let refused = AtomicU32::new(0);
        let all = Barrier::new(THREADS as usize);
        thread::scope(|scope| {
            for _ in 0..THREADS {
                let thread = thread::Builder::new().stack_size(64 * 1024);
                let reader = || {
                    let txn = environment.read();
                    if let Err(StoreError::Unavailable(Unavailable::TooManyReaders { places })) =
                        txn
                    {
                        assert!(places >= MAX_READERS);
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                    all.wait();
                };
                thread.spawn_scoped(scope, reader).unwrap();
            }
        });
        assert!((1..=200).contains(&refused.into_inner()));
        environment.read().unwrap();
    }

    #[test]
    fn each_cause_has_its_error() {
        let dir = Path::new("data");
        let text = |kind: io::ErrorKind| io_fault(dir, kind.into()).to_string();
        for kind in
            [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge]
        {
            assert!(text(kind).starts_with("no space left for `data` ("), "{}", text(kind));
        }
        for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
            assert!(text(kind).starts_with("no permission to use `data` ("), "{}", text(kind));
        }
        assert!(text(io::ErrorKind::TimedOut).starts_with("cannot use the store in `data`: "));
        let refused = open_fault(dir, 1 << 40, io::Error::from_raw_os_error(12).into());
        assert!(refused.to_string().contains("choose a smaller map size"), "{refused}");
    }
}
