//! A storage engine in LMDB, which keeps all rows in one file of a data directory.
//!
//! Rows are borrowed from the memory map; reading copies nothing. The number of a commit is that of
//! its LMDB transaction, which any process reads with two loads from shared memory. Whatever gives
//! rows a meaning belongs in `fingerpost-store`.
//!
//! # Unsafe code
//!
//! This is the only crate of the workspace with `unsafe`, all of it in the module `environment`.
//! Three facts carry the arguments:
//!
//! - *The file changes through LMDB alone.* It is opened with LMDB's locks and without `WRITE_MAP`.
//!   This crate replaces the file by a rename, and only while no process has it open. Operators
//!   must not change it by other means (`docs/operations`).
//! - *The pages of a snapshot do not change.* LMDB reuses a page only when no read transaction of
//!   any process can see it.
//! - *The map does not move while it is in use.* Every use holds a lock of `map_locks`; growing the
//!   map takes all of these locks.
//!
//! Damage by a disk is no violation of these facts, but can change any byte at any time. So each
//! value read from the map is checked before it is followed, and each row has a checksum.
//!
//! | function | what could go wrong | why it does not |
//! |---|---|---|
//! | `map` opens the environment | another program changes or truncates the file, so that borrowed rows change or reading ends with SIGBUS | the first fact. `heed` refuses to open a directory twice in one process, which would release LMDB's locks |
//! | `Environment::grow` moves the map | a row or a transaction of this process refers to the old map | it runs while no use of the map exists, forgets all remembered locations, and the address of the file. If the system grants no larger map, the environment is marked as lost and never read again |
//! | `Environment::snapshot` reads a meta page | another process writes the page meanwhile, so that the read is torn | it is one volatile read into a copy. The number of the transaction is its last word; if it is not that of the snapshot, the copy is dropped and the read repeated |
//! | `Snapshot::pages` borrows pages | the file or the map is shorter; a page changes while it is borrowed | the number of pages is compared with the file and the map first; the second and the third fact. Damage that leads to a page of another commit is found by the checks of the reader and by checksums |
//! | `Environment::advise` tells the system how pages are read | the range is not that of the file | no advice that it gives changes the content of memory, whatever is mapped there |
//! | `Environment::remember_row` reads the head of a node before a key | there is no node before the key | LMDB has returned the key from a snapshot that is open, and keys in its pages follow the head of their node |
//! | `Environment::remembered_row` reads the head of a node, then the whole node | the address is not that of a node, or the node ends beyond the map | `remember_row` found a node there in the same commit, so its page belongs to this snapshot as well; locations are forgotten when the map moves. The length is used only if the node ends in the page of the operating system in which it begins |
//! | `zeroed` makes a slice of zeros | zero is no valid value of the type | it is for `AtomicU64`, for which it is |

#![deny(unsafe_code)]

mod check;
mod environment;
mod errors;
mod files;
mod limits;
mod map_locks;
mod memory;
mod options;
mod pages;
mod rewriting;
mod row_locations;
mod tables;
mod unchecked;

use std::borrow::Cow;
use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_engine::checksum::verified;
use fingerpost_engine::{
    Below, Bytes, Direction, Engine, EngineError, Exchange, HitCounter, KeyRange, KeyRows, Mutate,
    Prefetch, Row, RowIter, Rows, Snapshot, Table, Verdict, Work, check_key,
};
use heed::{MdbError, PutFlags, RwTxn};

use environment::Environment;
use map_locks::MapGuard;
use pages::{Fault, Reader};
use row_locations::RowLocations;
use tables::Tables;

use crate::limits::COMMIT_POLL;

pub use files::Aside;
pub use options::LmdbOptions;
pub use rewriting::Rewriting;

/// The tables of a data directory.
#[derive(Debug)]
pub struct Lmdb {
    environment: Environment,
    tables: Tables,
    location: Box<str>,
    /// Families at a remembered location, and others.
    reads: HitCounter,
    is_unchecked: AtomicBool,
}

/// How large a data file is.
#[derive(Clone, Copy, Debug)]
pub struct StoreSize {
    /// Bytes of the data file.
    pub file: u64,
    /// Bytes of the data file that have been used, including pages that are free again.
    pub used: u64,
    /// Bytes to which the data file may grow.
    pub map: u64,
}

/// How often a search was spared because the location of a row was remembered.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocationCache {
    /// Reads of a remembered row.
    pub hits: u64,
    /// Reads that searched.
    pub misses: u64,
    /// Bytes of the remembered locations.
    pub bytes: u64,
    /// Bytes that they may take.
    pub limit: u64,
}

/// A snapshot. Its rows are read without LMDB, which would follow damaged pages out of the file.
pub struct Reading<'e> {
    lmdb: &'e Lmdb,
    snapshot: environment::Snapshot<'e>,
}

/// A write transaction of LMDB.
struct Txn<'e> {
    lmdb: &'e Lmdb,
    txn: RwTxn<'e>,
    /// Dropped after the transaction.
    _held: MapGuard<'e>,
}

impl Lmdb {
    /// Opens a directory; creates it and its tables if missing.
    pub fn create(dir: &Path, options: LmdbOptions) -> Result<Self, EngineError> {
        Self::of(Environment::create(dir, options)?)
    }

    /// Opens an existing directory.
    pub fn open_existing(dir: &Path, options: LmdbOptions) -> Result<Self, EngineError> {
        Self::of(Environment::open_existing(dir, options)?)
    }

    fn of(environment: Environment) -> Result<Self, EngineError> {
        let tables = Tables::open(&environment)?;
        let location = environment.dir().display().to_string().into();
        let (reads, is_unchecked) = Default::default();
        let lmdb = Self { environment, tables, location, reads, is_unchecked };
        if lmdb.environment.was_restarted() {
            lmdb.write(&Prefetch::NONE, &mut |rows| {
                rows.put(Table::Meta, b"restarted", b"")?;
                rows.delete(Table::Meta, b"restarted")?; // but there is a new commit
                Ok(Verdict::Keep)
            })?;
            lmdb.flush()?;
            lmdb.environment.note_replaced()?;
        }
        Ok(lmdb)
    }

    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        self.environment.dir()
    }

    /// Calls [`Engine::last_commit`], which this engine always knows.
    #[inline]
    pub fn last_transaction(&self) -> u64 {
        self.environment.last_transaction() as u64
    }

    /// Takes an [`Engine::snapshot`] without an allocation.
    #[inline]
    pub fn reading(&self) -> Result<Reading<'_>, EngineError> {
        let snapshot = self.environment.snapshot()?;
        self.environment.publish_commit_of_dead_writer(snapshot.txn.id());
        Ok(Reading { lmdb: self, snapshot })
    }

    /// Returns how large the data file is.
    pub fn size(&self) -> Result<StoreSize, EngineError> {
        let env = self.environment.env();
        let file = env.real_disk_size().map_err(|error| self.fault(error))?;
        let info = env.info();
        let pages = info.last_page_number as u64 + 1;
        let used = pages.saturating_mul(u64::from(env.unnamed_database_stat().page_size));
        Ok(StoreSize { file, used, map: info.map_size as u64 })
    }

    /// Returns how often row locations were remembered, and the memory that they take.
    pub fn location_cache(&self) -> LocationCache {
        let [hits, misses] = self.reads.read();
        let (bytes, limit) =
            self.environment.row_locations().map(RowLocations::bytes).unwrap_or_default();
        LocationCache { hits, misses, bytes, limit }
    }

    fn fault(&self, error: heed::Error) -> EngineError {
        self.environment.fault(error)
    }
}

impl Engine for Lmdb {
    fn location(&self) -> &str {
        &self.location
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        Ok(Box::new(self.reading()?))
    }

    fn write(&self, _: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        let (held, txn) = self.environment.write()?;
        Txn { lmdb: self, txn, _held: held }.run(work)
    }

    fn flush(&self) -> Result<(), EngineError> {
        self.environment.sync_before(self.environment.last_transaction() + 1)
    }

    fn last_commit(&self) -> Option<u64> {
        Some(self.last_transaction())
    }

    fn check(&self) -> Result<(), EngineError> {
        loop {
            let (_held, txn) = self.environment.read()?; // its pages are not reused until it ends
            if check::check_commit(self.dir(), txn.id() as u64)? {
                return Ok(());
            }
        }
    }

    fn check_writable(&self) -> Result<(), EngineError> {
        self.environment.check_writable()
    }

    fn wait(&self, seen: Option<u64>, timeout: Duration) -> Result<(), EngineError> {
        let begin = Instant::now();
        loop {
            // Sleep before the first check too: a commit that finishes has its number before
            // readers see it.
            thread::sleep(timeout.saturating_sub(begin.elapsed()).min(COMMIT_POLL));
            if self.last_commit() != seen || begin.elapsed() >= timeout {
                return Ok(());
            }
        }
    }
}

impl Reading<'_> {
    /// Returns the reader of a table.
    #[inline]
    fn of(&self, table: Table) -> Result<Reader<'_, environment::Snapshot<'_>>, EngineError> {
        let main = Reader::new(&self.snapshot, self.snapshot.main_tree().as_flattened());
        main.and_then(|main| main.table(table.name())).map_err(|fault| self.fault(fault))
    }

    fn fault(&self, fault: Fault) -> EngineError {
        self.lmdb.environment.damaged(fault)
    }

    /// Returns the row of a key, and the row after it.
    fn row_and_next(&self, table: Table, key: &[u8]) -> Result<RowAndNext<'_>, EngineError> {
        let range = (Bound::Included(key), Bound::Unbounded);
        let rows = self.of(table)?.range(range, false);
        let mut rows = rows.map_err(|fault| self.fault(fault))?;
        let mut next = || rows.next().transpose().map_err(|fault| self.fault(fault));
        Ok(match next()? {
            Some(row) if *row.0 == *key => (Some(row), next()?),
            after => (None, after),
        })
    }

    /// Searches for a family, and remembers its location.
    fn find_family(&self, key_level: &str) -> Result<KeyRows<'_>, EngineError> {
        let (row, next) = self.row_and_next(Table::Entries, key_level.as_bytes())?;
        let below = Below::find(self, key_level, next.map(|(key, _)| key))?;
        // The next row can be a level of this key, with a damaged key of its own. Other keys seldom
        // have another length. To verify more of the rows below a key, in a file that was checked,
        // would cost a redirect more than it costs itself.
        if self.lmdb.is_unchecked() {
            self.verify_beside(Table::Entries, format!("{key_level}/").as_bytes())?;
        } else if let Some((key, value)) = next
            && !below.has_levels
            && key.len() != key_level.len()
        {
            verified(Table::Entries, key, Cow::Borrowed(value))?;
        }
        match row {
            Some(row) => {
                let count = || self.count(Table::Entries).ok();
                self.lmdb.environment.remember_row(&self.snapshot.txn, row, below, count);
            }
            None => self.verify_beside(Table::Entries, key_level.as_bytes())?,
        }
        Ok(KeyRows { value: row.map(|(_, value)| Cow::Borrowed(value)), below })
    }
}

/// A row and the one after it.
type RowAndNext<'t> = (Option<(&'t [u8], &'t [u8])>, Option<(&'t [u8], &'t [u8])>);

impl Rows for Reading<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError> {
        let found = self.of(table)?.get(key).map_err(|fault| self.fault(fault))?;
        if found.is_none() && self.lmdb.is_unchecked() {
            self.verify_beside(table, key)?;
        }
        Ok(found.map(Cow::Borrowed))
    }

    fn get_many(
        &self,
        table: Table,
        keys: &[&[u8]],
    ) -> Result<Vec<Option<Bytes<'_>>>, EngineError> {
        let found = self.of(table)?.get_many(keys).map_err(|fault| self.fault(fault))?;
        if self.lmdb.is_unchecked() {
            let missing = keys.iter().zip(&found).filter(|(_, value)| value.is_none());
            missing.into_iter().try_for_each(|(key, _)| self.verify_beside(table, key))?;
        }
        Ok(found.into_iter().map(|value| value.map(Cow::Borrowed)).collect())
    }

    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        if self.lmdb.is_unchecked() {
            return self.unchecked_range(table, range, direction);
        }
        let rows = self.of(table)?.range(range, direction == Direction::Back);
        Ok(Box::new(rows.map_err(|fault| self.fault(fault))?.map(|row| match row {
            Ok((key, value)) => Ok((Cow::Borrowed(key), Cow::Borrowed(value))),
            Err(fault) => Err(self.fault(fault)),
        })))
    }

    fn count(&self, table: Table) -> Result<u64, EngineError> {
        Ok(self.of(table)?.entries())
    }
}

impl Snapshot for Reading<'_> {
    #[inline]
    fn family(&self, key_level: &str) -> Result<KeyRows<'_>, EngineError> {
        let environment = &self.lmdb.environment;
        let found = environment.remembered_row(&self.snapshot.txn, key_level.as_bytes());
        self.lmdb.reads.count(found.is_none());
        match found {
            Some((value, below)) => Ok(KeyRows { value: Some(Cow::Borrowed(value)), below }),
            None => self.find_family(key_level),
        }
    }

    #[inline]
    fn commit(&self) -> Option<u64> {
        Some(self.snapshot.txn.id() as u64)
    }
}

/// A write reads its own changes, which only LMDB knows.
impl Rows for Txn<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError> {
        if key.is_empty() {
            return Ok(None); // LMDB cannot look up empty keys
        }
        let found = self.lmdb.tables.of(table).get(&self.txn, key);
        Ok(found.map_err(|error| self.lmdb.fault(error))?.map(Cow::Borrowed))
    }

    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        let Some(range) = without_empty_keys(range) else { return Ok(Box::new([].into_iter())) };
        let rows = self.lmdb.tables.of(table);
        Ok(match direction {
            Direction::Forward => {
                let rows = rows.range(&self.txn, &range).map_err(|error| self.lmdb.fault(error))?;
                Box::new(rows.map(|row| self.lent(row)))
            }
            Direction::Back => {
                let rows = rows.rev_range(&self.txn, &range);
                let rows = rows.map_err(|error| self.lmdb.fault(error))?;
                Box::new(rows.map(|row| self.lent(row)))
            }
        })
    }

    fn count(&self, table: Table) -> Result<u64, EngineError> {
        let count = self.lmdb.tables.of(table).len(&self.txn);
        count.map_err(|error| self.lmdb.fault(error))
    }
}

impl Txn<'_> {
    fn lent<'r>(&self, row: heed::Result<(&'r [u8], &'r [u8])>) -> Result<Row<'r>, EngineError> {
        match row {
            Ok((key, value)) => Ok((Cow::Borrowed(key), Cow::Borrowed(value))),
            Err(error) => Err(self.lmdb.fault(error)),
        }
    }

    /// Runs `work`, and commits or aborts.
    fn run(mut self, work: &mut Work<'_>) -> Result<(), EngineError> {
        match work(&mut self)? {
            Verdict::Keep => {
                self.lmdb.environment.sync_before(self.txn.id())?;
                self.txn.commit().map_err(|error| self.lmdb.fault(error))
            }
            Verdict::TakeBack => Ok(()),
        }
    }
}

impl Mutate for Txn<'_> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        check_key(key)?;
        let put = self.lmdb.tables.of(table).put(&mut self.txn, key, value);
        put.map_err(|error| self.lmdb.fault(error))
    }

    /// Appends a row, filling pages to the end.
    fn append(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        check_key(key)?;
        let rows = self.lmdb.tables.of(table);
        match rows.put_with_flags(&mut self.txn, PutFlags::APPEND, key, value) {
            Err(heed::Error::Mdb(MdbError::KeyExist)) => self.put(table, key, value),
            result => result.map_err(|error| self.lmdb.fault(error)),
        }
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), EngineError> {
        if key.is_empty() {
            return Ok(());
        }
        let deleted = self.lmdb.tables.of(table).delete(&mut self.txn, key);
        deleted.map(|_| ()).map_err(|error| self.lmdb.fault(error))
    }

    /// Exchanges rows, usually with one descent of the tree per row.
    fn exchange(
        &mut self,
        table: Table,
        rows: &[Exchange<'_>],
    ) -> Result<Vec<Option<Vec<u8>>>, EngineError> {
        let exchanged = rows.iter().map(|(key, value)| {
            let Some(value) = value else {
                let old = self.get(table, key)?.map(Cow::into_owned);
                if old.is_some() {
                    self.delete(table, key)?;
                }
                return Ok(old);
            };
            check_key(key)?;
            let old = self.lmdb.tables.of(table).get_or_put(&mut self.txn, key, value);
            let old = old.map_err(|error| self.lmdb.fault(error))?.map(<[u8]>::to_vec);
            if old.is_some() {
                self.put(table, key, value)?;
            }
            Ok(old)
        });
        exchanged.collect()
    }

    fn savepoint(&mut self, work: &mut Work<'_>) -> Result<(), EngineError> {
        let (held, txn) = self.lmdb.environment.nested(&mut self.txn)?;
        Txn { lmdb: self.lmdb, txn, _held: held }.run(work)
    }
}

/// Returns the same range without empty keys, which LMDB cannot look up; `None` if it contains no
/// other keys.
fn without_empty_keys((from, to): KeyRange<'_>) -> Option<KeyRange<'_>> {
    let from = match from {
        Bound::Included([]) | Bound::Excluded([]) => Bound::Unbounded,
        from => from,
    };
    let is_empty = matches!(to, Bound::Included([]) | Bound::Excluded([]));
    (!is_empty).then_some((from, to))
}

#[cfg(test)]
mod tests;
