//! The store: opening it over an engine, its revision and its size.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use fingerpost_engine::{ALL_KEYS, Checked, Direction, Engine, Memory, Table};

use crate::activity::Writes;
use crate::companies::Companies;
use crate::copy::change::{CopyRow, Position};
use crate::format::{REVISION_KEY, parse_revision};
use crate::hot::HotRecords;
use crate::recent::RecentChanges;
use crate::upgrade::bring_up;
use crate::{Prefetch, Revision, StoreError, StoreOptions, View};

mod backend;
mod group;
mod queue;
mod waiting;

use queue::Queue;

pub(crate) use backend::Backend;

/// A store over an [`Engine`]. The [crate documentation](crate) lists its guarantees.
///
/// Open a directory once per process and share the handle; other processes can open it as well.
/// Dropping the handle closes it.
///
/// Threads that have read the store must be joined before that, unless they continue to run: LMDB
/// releases the slot of a reader while its thread ends, in memory that closing unmaps. The end of a
/// [`std::thread::scope`] does not wait for it, a join does.
pub struct Store {
    pub(crate) backend: Backend,
    pub(crate) hot: Option<HotRecords>,
    /// What reads of one commit share: see `crate::read::Facts`.
    pub(crate) facts: AtomicU64,
    pub(crate) companies: Companies,
    pub(crate) queue: Queue,
    pub(crate) writes: Writes,
    /// The last changes, if a copy in this process wants them.
    pub(crate) recent: RecentChanges,
    /// Whether the store is a copy of another one, which only its follower writes.
    pub(crate) is_copy: AtomicBool,
    /// Where temporary files go, if not into the directory of the store.
    scratch: Option<PathBuf>,
}

impl Store {
    /// Creates an empty store in memory, for tests and trials.
    ///
    /// ```
    /// use fingerpost_store::{Batch, Store};
    ///
    /// let store = Store::in_memory();
    /// assert_eq!(store.revision()?.number(), 0);
    /// # Ok::<(), fingerpost_store::StoreError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Never: the format can always be written to an empty engine.
    pub fn in_memory() -> Self {
        Self::over(Memory::new()).expect("memory without rows takes the format")
    }

    /// Opens the store in an engine; creates it if the engine is empty.
    ///
    /// Fails with [`EngineError::NewerFormat`](fingerpost_engine::EngineError::NewerFormat), or an
    /// error if the engine cannot be read or written.
    pub fn over(engine: impl Engine + 'static) -> Result<Self, StoreError> {
        let backend = Backend::Other(Checked::new(Arc::new(engine)));
        Self::on(backend, StoreOptions::default())
    }

    fn on(backend: Backend, options: StoreOptions) -> Result<Self, StoreError> {
        // Without a number of the last commit, nothing shows whether cached records are current.
        let hot = backend.last_commit().and_then(|_| HotRecords::new(options.bytes_of_records()));
        let mut store = Self {
            backend,
            hot,
            facts: AtomicU64::new(u64::MAX),
            companies: Companies::default(),
            queue: Queue::default(),
            writes: Writes::default(),
            recent: RecentChanges::default(),
            is_copy: AtomicBool::new(false),
            scratch: None,
        };
        bring_up(store.raw_engine())?;
        let is_copy = store.view(|view| Ok::<_, StoreError>(view.copy_state()?.is_some()))?;
        store.is_copy = AtomicBool::new(is_copy);
        Ok(store)
    }

    /// Reads one snapshot, which contains every write that returned before, in any process.
    ///
    /// A thread can hold only one snapshot at a time: `read` must use the store only through its
    /// view.
    ///
    /// ```no_run
    /// # use fingerpost_store::{Store, StoreError, StoreOptions};
    /// # fn main() -> Result<(), StoreError> {
    /// # let store = Store::open("data".as_ref(), StoreOptions::default())?;
    /// let (revision, head) = store.view(|view| Ok::<_, StoreError>((view.revision()?, view.audit_head()?)))?;
    /// println!("revision {revision}, audit head {head}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn view<T, E: From<StoreError>>(
        &self,
        read: impl FnOnce(&View<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.view_prefetched(&Prefetch::default(), read)
    }

    /// Does the same as [`Store::view`]. `read` reads the prefetched rows first, which saves round
    /// trips to a database.
    pub fn view_prefetched<T, E: From<StoreError>>(
        &self,
        prefetch: &Prefetch,
        read: impl FnOnce(&View<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let engine = self.engine();
        let snapshot = engine.snapshot_with(prefetch.rows()).map_err(StoreError::from)?;
        read(&View::reading(engine.location(), &*snapshot))
    }

    /// Checks the structure of every page of the files, so that reading cannot end the process and
    /// finds every row. It does not check the contents of rows: see [`Store::fsck`]. Takes as long
    /// as reading all data once.
    pub fn check_pages(&self) -> Result<(), StoreError> {
        Ok(self.engine().check()?)
    }

    /// Checks that every row of all tables can be read, by its checksum, after
    /// [`Store::check_pages`]. It does not check the contents of rows: see [`Store::fsck`]. Takes
    /// as long as reading all data once.
    ///
    /// Fails with [`StoreError::Corrupt`] or [`StoreError::Row`] for the first damaged row, or an
    /// error if the store cannot be read.
    pub fn check_rows(&self) -> Result<(), StoreError> {
        let rows = self.engine().snapshot()?;
        for table in Table::ALL {
            rows.range(table, ALL_KEYS, Direction::Forward)?.try_for_each(|row| row.map(|_| ()))?;
        }
        Ok(())
    }

    /// Checks that the store could be written: that the disk has space and the directory can be
    /// changed. Writes a temporary file.
    pub fn check_writable(&self) -> Result<(), StoreError> {
        Ok(self.engine().check_writable()?)
    }

    /// Waits until everything written is on disk, if the store was opened as a
    /// [copy](StoreOptions::copy); for any other, it is when a write returns.
    pub fn flush(&self) -> Result<(), StoreError> {
        Ok(self.engine().flush()?)
    }

    /// Returns the location of the store for messages: its directory, or the location that the
    /// engine reports.
    pub fn location(&self) -> &str {
        self.engine().location()
    }

    /// Sets the directory for temporary files of imports and exports, for a store without a
    /// directory of its own.
    pub fn with_scratch(mut self, dir: PathBuf) -> Self {
        self.scratch = Some(dir);
        self
    }

    /// Returns a directory for temporary files, which may take as much space as the records
    /// themselves: that of the store, the one that was set if it exists, or that of the system.
    pub fn scratch(&self) -> PathBuf {
        let set = self.scratch.as_deref().filter(|dir| dir.is_dir());
        self.dir().or(set).map_or_else(std::env::temp_dir, Path::to_owned)
    }

    /// Returns the number of levels that hold an entry.
    pub fn len(&self) -> Result<u64, StoreError> {
        Ok(self.engine().snapshot()?.count(Table::Entries)?)
    }

    /// Returns whether no level holds an entry.
    pub fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(self.len()? == 0)
    }

    /// Returns the revision of the last batch written by any process.
    pub fn revision(&self) -> Result<Revision, StoreError> {
        self.view(|view| view.revision())
    }

    /// Waits until the store reaches `revision`, written by any process, or until `timeout`
    /// expires; returns the store's revision at that time. For readers that follow its changes.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use fingerpost_store::{Store, StoreError, StoreOptions};
    /// # fn main() -> Result<(), StoreError> {
    /// # let store = Store::open("data".as_ref(), StoreOptions::default())?;
    /// let mut seen = store.revision()?;
    /// loop {
    ///     let revision = store.wait_for(seen.next(), Duration::from_secs(60))?;
    ///     println!("revision {revision} was made");
    ///     seen = revision;
    /// }
    /// # }
    /// ```
    pub fn wait_for(&self, revision: Revision, timeout: Duration) -> Result<Revision, StoreError> {
        let begin = Instant::now();
        loop {
            let (found, seen) = {
                let snapshot = self.engine().snapshot()?;
                let stored = snapshot.get(Table::Meta, REVISION_KEY)?;
                let found = stored.and_then(|bytes| parse_revision(&bytes)).unwrap_or_default();
                (found, snapshot.commit())
            };
            let left = timeout.saturating_sub(begin.elapsed());
            if found >= revision || left.is_zero() {
                return Ok(found);
            }
            self.engine().wait(seen, left)?;
        }
    }

    /// Keeps the changes that this process makes from now on, for [`Store::take_recent_changes`].
    pub fn keep_recent_changes(&self) {
        self.recent.keep();
    }

    /// Takes the values of the levels that this process has changed after exactly this position, in
    /// the order of their texts, with the position that they lead to. That one includes all that
    /// any ended write of this process has seen.
    ///
    /// Returns `None` if the store must be read: another process has written since, the changes are
    /// too many, or were taken before.
    pub fn take_recent_changes(&self, after: &Position) -> Option<(Position, Vec<CopyRow>)> {
        self.recent.take_after(after)
    }

    /// Returns whether a copy at this position has everything that ended writes of this process
    /// have seen, if that is known without reading the store.
    pub fn is_reached(&self, position: &Position) -> bool {
        self.recent.is_reached(position)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("location", &self.location()).finish_non_exhaustive()
    }
}
