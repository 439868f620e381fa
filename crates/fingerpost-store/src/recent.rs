//! The last changes that this process has made to a source, so that the copy of a node need not
//! read back what the node itself has written.
//!
//! Each change leads from one [`Position`] to the next one. The head of the audit chain in a
//! position commits to everything before it, so a change fits a copy at exactly the position before
//! it, whatever other nodes or a fail-over have done.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::copy::change::{CopyRow, CopyValue, Position};
use crate::limits::MAX_RECENT_BYTES;

/// The changes of a revision.
#[derive(Debug)]
struct Step {
    from: Position,
    to: Position,
    rows: Vec<CopyRow>,
    bytes: usize,
}

/// The changes of a transaction, unless they are too many.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    /// `None` if nobody wants them.
    steps: Option<Vec<Step>>,
    rows: Vec<CopyRow>,
    bytes: usize,
    is_too_large: bool,
}

impl Steps {
    /// Notes a change of a level in the current revision.
    pub(crate) fn add(&mut self, level: &str, value: Option<&[u8]>) {
        if self.steps.is_none() || self.is_too_large {
            return;
        }
        self.bytes += level.len() + value.map_or(0, <[u8]>::len);
        self.is_too_large = self.bytes > MAX_RECENT_BYTES;
        let value = value.map_or(CopyValue::Deleted, |value| CopyValue::Stored(value.to_vec()));
        self.rows.push(CopyRow { level: level.to_owned(), value });
    }

    /// Ends the revision between two positions.
    pub(crate) fn end(&mut self, from: Position, to: Position) {
        let (rows, bytes) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.bytes));
        if let Some(steps) = self.steps.as_mut().filter(|_| !self.is_too_large) {
            steps.push(Step { from, to, rows, bytes });
        }
    }

    /// Adds the changes of a later transaction.
    pub(crate) fn append(&mut self, later: Self) {
        self.is_too_large |= later.is_too_large;
        self.steps.get_or_insert_default().extend(later.steps.into_iter().flatten());
    }
}

/// The last changes of this process.
#[derive(Debug, Default)]
pub(crate) struct RecentChanges {
    is_wanted: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    steps: VecDeque<Step>,
    bytes: usize,
    /// The position that they lead to, or led to before they were taken.
    last: Option<Position>,
    /// Whether this is what the last write of this process has seen.
    is_current: bool,
}

impl RecentChanges {
    /// Returns what collects the changes of a transaction.
    pub(crate) fn collector(&self) -> Steps {
        let is_wanted = self.is_wanted.load(Ordering::Relaxed);
        Steps { steps: is_wanted.then(Vec::new), ..Steps::default() }
    }

    /// Notes the end of a write, with the changes if it was committed.
    pub(crate) fn note(&self, changes: Steps) {
        let Some(steps) = changes.steps else { return };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // What has changed no level can have seen changes of another node.
        state.is_current = !steps.is_empty() && !changes.is_too_large;
        for step in steps {
            if state.steps.back().is_some_and(|last| last.to != step.from) {
                state.forget();
            }
            state.bytes += step.bytes;
            state.last = Some(step.to);
            state.steps.push_back(step);
        }
        if state.bytes > MAX_RECENT_BYTES {
            state.forget();
            state.is_current = false;
        }
    }

    /// Keeps changes from now on.
    pub(crate) fn keep(&self) {
        self.is_wanted.store(true, Ordering::Relaxed);
    }

    /// Takes the changes after a position, with the position that they lead to.
    pub(crate) fn take_after(&self, position: &Position) -> Option<(Position, Vec<CopyRow>)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.is_current || !state.steps.iter().any(|step| step.from == *position) {
            return None;
        }
        let (steps, upto) = (std::mem::take(&mut state.steps), state.last?);
        state.bytes = 0;
        let steps = steps.into_iter().skip_while(|step| step.from != *position);
        let rows = steps.flat_map(|step| step.rows);
        let last: BTreeMap<_, _> = rows.map(|row| (row.level, row.value)).collect();
        let rows = last.into_iter().map(|(level, value)| CopyRow { level, value });
        Some((upto, rows.collect()))
    }

    /// Returns whether this is the last position.
    pub(crate) fn is_reached(&self, position: &Position) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_current && state.last == Some(*position)
    }
}

impl State {
    fn forget(&mut self) {
        self.steps.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fingerpost_engine::Memory;
    use fingerpost_resolver::{Rules, Vocabulary, read_record};

    use super::*;
    use crate::{Batch, Store, StoreError};

    const KEY: &str = "01/09506000134352";

    fn put(store: &Store, title: &str) {
        let record = format!(
            r#"{{"anchor": "/{KEY}", "links": [
            {{"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "{title}"}},
            {{"linkType": "gs1:pip", "href": "https://example.com/p", "title": "{title}"}}]}}"#
        );
        let vocabulary = Vocabulary::builtin();
        let mut batch = Batch::new();
        batch.put(read_record(record.as_bytes(), &Rules::new(&vocabulary)).unwrap().entry);
        store.write(&batch).unwrap();
    }

    fn position(store: &Store) -> Position {
        store.view(|view| view.position()).unwrap()
    }

    /// Two nodes with one database.
    fn nodes() -> (Store, Store) {
        let rows = Arc::new(Memory::new());
        let node = || Store::over(Arc::clone(&rows)).unwrap();
        let (one, other) = (node(), node());
        one.keep_recent_changes();
        put(&one, "first");
        (one, other)
    }

    fn take(store: &Store, after: &Position) -> Option<(Position, Vec<CopyRow>)> {
        store.take_recent_changes(after)
    }

    #[test]
    fn own_changes_are_what_the_store_has() {
        let (one, _) = nodes();
        let before = position(&one);
        put(&one, "second");
        put(&one, "third");
        let (upto, rows) = take(&one, &before).unwrap();
        assert_eq!(upto, position(&one));
        assert!(one.is_reached(&upto) && !one.is_reached(&before));
        let stored = one.view(|view| {
            view.rows_to_copy(
                &crate::copy::Selection::default(),
                &crate::copy::LevelRange::default(),
                crate::copy::CopyLimit::BATCH,
            )
        });
        assert_eq!(rows, stored.unwrap().rows);
        assert_eq!(take(&one, &before), None, "they were taken");
        let mut batch = Batch::new();
        batch.delete(fingerpost_gs1::EntityKey::parse(&format!("/{KEY}")).unwrap());
        one.write(&batch).unwrap();
        let (_, rows) = take(&one, &upto).unwrap();
        assert_eq!(rows, [CopyRow { level: KEY.to_owned(), value: CopyValue::Deleted }]);
    }

    #[test]
    fn a_write_of_another_node_is_never_skipped() {
        let (one, other) = nodes();
        let before = position(&one);
        put(&other, "theirs");
        put(&one, "ours");
        assert_eq!(take(&one, &before), None);
        // Own changes lead to a state that an own write has seen beyond.
        let before = position(&one);
        put(&one, "ours");
        put(&other, "theirs");
        one.transact(|transaction| transaction.revision()).unwrap();
        assert_eq!(take(&one, &before), None);
        assert!(!one.is_reached(&position(&one)), "the copy may lack it");
        // The next own change follows directly on what the copy has.
        let before = position(&one);
        put(&one, "ours again");
        assert_eq!(take(&one, &before).unwrap().0, position(&one));
    }

    #[test]
    fn a_write_that_failed_leaves_nothing() {
        let (one, _) = nodes();
        let before = position(&one);
        let failed = one.transact(|transaction| {
            let mut batch = Batch::new();
            batch.delete(fingerpost_gs1::EntityKey::parse(&format!("/{KEY}")).unwrap());
            transaction
                .write(&batch, crate::Event::new("test", "test", jiff::Timestamp::UNIX_EPOCH))?;
            Err::<(), _>(StoreError::TransactionInUse)
        });
        assert!(failed.is_err());
        assert_eq!((take(&one, &before), position(&one)), (None, before));
    }

    #[test]
    fn too_many_changes_are_read_instead() {
        let recent = RecentChanges::default();
        recent.is_wanted.store(true, Ordering::Relaxed);
        let mut steps = recent.collector();
        (0..100).for_each(|_| steps.add(KEY, Some(&vec![0; MAX_RECENT_BYTES / 50])));
        steps.end(Position::default(), Position::default());
        recent.note(steps);
        assert!(recent.take_after(&Position::default()).is_none());
        let state = recent.state.lock().unwrap();
        assert!(state.steps.is_empty() && !state.is_current);
    }
}
