//! An engine over another one: writes go to a temporary engine, reads see both. The engine below is
//! never changed.
//!
//! A dry run is the real code over an overlay, which is dropped afterwards. What others commit to
//! the engine below meanwhile is visible as far as the overlay has not written the same rows, as it
//! would be to the real run.
//!
//! ```text
//! row above = 1 value   ; put
//!           / 0         ; deleted
//! ```

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use super::layered::{ChangeIter, Direction, changed_rows};
use super::{
    ALL_KEYS, Bytes, Engine, KeyRange, Mutate, Prefetch, RowIter, Rows, Snapshot, Table, Verdict,
    Work, check_key,
};
use crate::EngineError;

/// An engine over another one. It has no number of the last commit, so nothing of what it reads is
/// remembered.
pub struct Overlay<E> {
    below: E,
    above: Box<dyn Engine>,
}

impl<E: Engine> Overlay<E> {
    /// Creates an overlay that keeps its changes in `above`, whose rows are deleted first.
    pub fn new(below: E, above: Box<dyn Engine>) -> Result<Self, EngineError> {
        above.write(&Prefetch::NONE, &mut |rows| {
            for table in Table::ALL {
                let keys: Result<Vec<_>, EngineError> =
                    rows.keys(table, ALL_KEYS)?.map(|key| Ok(key?.0.into_owned())).collect();
                for key in keys? {
                    rows.delete(table, &key)?;
                }
            }
            Ok(Verdict::Keep)
        })?;
        Ok(Self { below, above })
    }
}

impl<E: Engine> Engine for Overlay<E> {
    fn location(&self) -> &str {
        self.below.location()
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot + '_>, EngineError> {
        // A commit below between both snapshots is visible, like one before them.
        let above = self.above.snapshot()?;
        Ok(Box::new(Layers { below: Below::Owned(self.below.snapshot()?), above }))
    }

    fn write(&self, prefetch: &Prefetch, work: &mut Work<'_>) -> Result<(), EngineError> {
        self.above.write(&Prefetch::NONE, &mut |above| {
            let below = self.below.snapshot()?;
            below.prefetch(prefetch)?;
            work(&mut Layers { below: Below::Borrowed(&*below), above })
        })
    }

    fn check_writable(&self) -> Result<(), EngineError> {
        self.above.check_writable()
    }
}

/// The snapshot below; a savepoint borrows that of its write.
enum Below<'s> {
    Owned(Box<dyn Snapshot + 's>),
    Borrowed(&'s dyn Snapshot),
}

impl<'s> Deref for Below<'s> {
    type Target = dyn Snapshot + 's;

    fn deref(&self) -> &Self::Target {
        match self {
            Below::Owned(snapshot) => &**snapshot,
            Below::Borrowed(snapshot) => *snapshot,
        }
    }
}

/// The rows of a snapshot or of a write.
struct Layers<'s, R> {
    below: Below<'s>,
    above: R,
}

impl<R: Deref<Target: Rows>> Rows for Layers<'_, R> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError> {
        match self.above.get(table, key)? {
            Some(stored) => Ok(value(stored)),
            None => self.below.get(table, key),
        }
    }

    fn prefetch(&self, rows: &Prefetch) -> Result<(), EngineError> {
        self.below.prefetch(rows)
    }

    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        let above = self.above.range(table, range, direction)?;
        let changes: ChangeIter<'_> =
            Box::new(above.map(|row| row.map(|(key, stored)| (key, value(stored)))));
        Ok(changed_rows(changes, self.below.range(table, range, direction)?, direction))
    }

    fn count(&self, table: Table) -> Result<u64, EngineError> {
        let mut count = self.below.count(table)?;
        for row in self.above.range(table, ALL_KEYS, Direction::Forward)? {
            let (key, stored) = row?;
            let was_there = self.below.get(table, &key)?.is_some();
            match (value(stored).is_some(), was_there) {
                (true, false) => count += 1,
                (false, true) => count -= 1,
                _ => {}
            }
        }
        Ok(count)
    }
}

impl<R: Deref<Target: Snapshot>> Snapshot for Layers<'_, R> {}

impl<R: DerefMut<Target: Mutate>> Mutate for Layers<'_, R> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        check_key(key)?;
        self.above.put(table, key, &[&[PUT], value].concat())
    }

    fn append(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        check_key(key)?;
        self.above.append(table, key, &[&[PUT], value].concat())
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), EngineError> {
        match check_key(key) {
            Ok(()) => self.above.put(table, key, &[DELETED]),
            Err(_) => Ok(()), // no such row exists
        }
    }

    fn savepoint(&mut self, work: &mut Work<'_>) -> Result<(), EngineError> {
        let below = &*self.below;
        self.above
            .savepoint(&mut |above| work(&mut Layers { below: Below::Borrowed(below), above }))
    }
}

/// Returns the value of a row above; `None` if the row is deleted.
fn value(stored: Bytes<'_>) -> Option<Bytes<'_>> {
    match stored {
        Cow::Borrowed([PUT, value @ ..]) => Some(Cow::Borrowed(value)),
        Cow::Owned(mut stored) if stored.first() == Some(&PUT) => {
            stored.remove(0);
            Some(Cow::Owned(stored))
        }
        _ => None,
    }
}

const DELETED: u8 = 0;
const PUT: u8 = 1;
