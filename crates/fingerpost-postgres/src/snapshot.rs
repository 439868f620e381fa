//! A snapshot: a transaction that reads one state of the database.

use std::borrow::Cow;
use std::cell::RefCell;

use fingerpost_engine::{
    Bytes, Direction, EngineError, KeyIter, KeyRange, Prefetch, RowIter, Rows, Snapshot, Table,
};

use crate::fault::Fault;
use crate::limits::ANSWER;
use crate::pool::{Lease, Pool};
use crate::query::{Content, Query};
use crate::reading::{Reading, row};
use crate::row_cache::{self, RowCache};

/// Begins a snapshot.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/// One state of the database.
pub(crate) struct PostgresSnapshot<'p> {
    lease: Lease<'p>,
    location: &'p str,
    number: u64,
    fault: RefCell<Option<Fault>>,
    /// The prefetched rows, if there are any.
    cache: Option<RefCell<RowCache>>,
}

impl<'p> PostgresSnapshot<'p> {
    /// Takes a snapshot in one round trip, with the number of the last commit that it sees and the
    /// prefetched rows. Repeats what an outage prevents.
    pub(crate) fn new(
        pool: &'p Pool,
        location: &'p str,
        prefetch: &Prefetch,
    ) -> Result<Self, EngineError> {
        let mut patience = pool.patience();
        loop {
            match Self::attempt(pool, location, prefetch) {
                Ok(taken) => return Ok(taken),
                Err(fault) if patience.allows_another(fault.kind()) => {}
                Err(fault) => return Err(fault.error(location)),
            }
        }
    }

    fn attempt(pool: &'p Pool, location: &'p str, prefetch: &Prefetch) -> Result<Self, Fault> {
        let lease = pool.lease()?;
        let answer = pool.patience_limit().min(ANSWER);
        let reads = row_cache::statements(lease.session(), prefetch)?;
        let begun = lease.session().begin(BEGIN, Query::Number, &reads, answer, answer)?;
        let (row, found) = begun;
        let number = number(row.as_ref())?;
        let mut cache = (*prefetch != Prefetch::NONE).then(RowCache::default);
        if let Some(cache) = &mut cache {
            cache.keep(prefetch, &found)?;
        }
        let (fault, cache) = (RefCell::new(None), cache.map(RefCell::new));
        Ok(Self { lease, location, number, fault, cache })
    }

    fn reading(&self) -> Reading<'_> {
        let (session, cache) = (self.lease.session(), self.cache.as_ref());
        Reading { session, location: self.location, fault: &self.fault, cache }
    }
}

/// Returns the number of the last commit.
pub(crate) fn number(row: Option<&tokio_postgres::Row>) -> Result<u64, Fault> {
    let row = row.ok_or_else(|| {
        Fault::Refused(
            "the table `state` has no row: restore the database from a backup".to_owned(),
        )
    })?;
    Ok(row.try_get::<_, i64>(0).map_err(Fault::Postgres)?.unsigned_abs())
}

impl Rows for PostgresSnapshot<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError> {
        Ok(self.reading().get(table, key)?.map(Cow::Owned))
    }

    fn get_many(
        &self,
        table: Table,
        keys: &[&[u8]],
    ) -> Result<Vec<Option<Bytes<'_>>>, EngineError> {
        let found = self.reading().get_many(table, keys)?;
        Ok(keys.iter().map(|key| found.get(*key).cloned().map(Cow::Owned)).collect())
    }

    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        Ok(Box::new(self.reading().pages(table, range, direction, Content::Rows).map(row)))
    }

    fn keys(&self, table: Table, range: KeyRange<'_>) -> Result<KeyIter<'_>, EngineError> {
        let pages = self.reading().pages(table, range, Direction::Forward, Content::Keys);
        Ok(Box::new(pages.map(|found| {
            let (key, found) = found?;
            Ok((Cow::Owned(key), found.length()))
        })))
    }

    fn count(&self, table: Table) -> Result<u64, EngineError> {
        self.reading().count(table)
    }
}

impl Snapshot for PostgresSnapshot<'_> {
    fn commit(&self) -> Option<u64> {
        Some(self.number)
    }
}
