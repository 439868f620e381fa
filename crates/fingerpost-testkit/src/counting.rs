//! Counts what is read from an engine: tests state how many rows a request may look at, not how
//! long it may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fingerpost_engine::{
    Bytes, Direction, Engine, EngineError, KeyRange, Memory, Prefetch, RowIter, Rows, Snapshot,
    Table, Work,
};
use fingerpost_store::Store;

/// The number of rows read from a store of [`counted_store`].
#[derive(Clone, Debug)]
pub struct RowCount(Arc<Counting>);

impl RowCount {
    /// Returns the number of rows read since the last call, outside of writes, and starts again at
    /// 0.
    #[expect(clippy::must_use_candidate, reason = "it also starts again at 0")]
    pub fn take(&self) -> u64 {
        self.0.read.swap(0, Ordering::Relaxed)
    }
}

/// Returns an in-memory store, and the count of rows read from it.
///
/// # Panics
///
/// Never: memory takes the format.
pub fn counted_store() -> (Store, RowCount) {
    let engine = Arc::new(Counting { rows: Memory::new(), read: AtomicU64::new(0) });
    let store = Store::over(Arc::clone(&engine)).expect("memory takes the format");
    (store, RowCount(engine))
}

#[derive(Debug)]
struct Counting {
    rows: Memory,
    read: AtomicU64,
}

impl Engine for Counting {
    fn location(&self) -> &str {
        self.rows.location()
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        Ok(Box::new(Counted { rows: self.rows.snapshot()?, read: &self.read }))
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        self.rows.write(prefetch, work)
    }
}

struct Counted<'c> {
    rows: Box<dyn Snapshot + 'c>,
    read: &'c AtomicU64,
}

impl Counted<'_> {
    fn note(&self) {
        self.read.fetch_add(1, Ordering::Relaxed);
    }
}

impl Snapshot for Counted<'_> {}

impl Rows for Counted<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError> {
        self.note();
        self.rows.get(table, key)
    }

    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        let rows = self.rows.range(table, range, direction)?;
        Ok(Box::new(rows.inspect(|_| self.note())))
    }

    fn count(&self, table: Table) -> Result<u64, EngineError> {
        self.rows.count(table)
    }
}
