//! A write: reads through its own changes, and sends them together.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fingerpost_engine::{
    Bytes, Direction, EngineError, KeyRange, Mutate, Prefetch, RowIter, Rows, Table, Verdict, Work,
    check_key,
};

use crate::Describe;
use crate::copying::CopyRows;
use crate::fault::Fault;
use crate::layers::{Changed, Described, Layer, changed};
use crate::limits::{
    COMMIT, COPIED_ROWS, EARLY_ROWS, MAX_UNSENT_BYTES, MAX_UNSENT_ROWS, PROCEED_ROWS,
};
use crate::query::{Content, Query, Tables};
use crate::reading::{Reading, half_open, row};
use crate::row_cache::{self, RowCache};
use crate::session::{Bound, Param, Session};

/// The random id of a writer, or of one attempt to commit.
pub(crate) type Id = [u8; 16];

/// What the database keeps of a commit.
pub(crate) struct Note {
    pub(crate) number: u64,
    pub(crate) commit: Id,
    pub(crate) writer: Id,
}

/// A transaction that writes.
pub(crate) struct Write<'w> {
    session: &'w Session,
    location: &'w str,
    describe: Option<Describe>,
    fault: RefCell<Option<Fault>>,
    /// The rows of the server as this transaction sees them, as far as they are cache.
    cache: &'w RefCell<RowCache>,
    /// At least one; the first has no savepoint.
    layers: Vec<Layer>,
    has_sent: bool,
    /// Whether the server has answered a read since changes were sent.
    has_read: Cell<bool>,
}

impl<'w> Write<'w> {
    pub(crate) fn new(
        session: &'w Session,
        location: &'w str,
        describe: Option<Describe>,
        cache: &'w RefCell<RowCache>,
    ) -> Self {
        Self {
            session,
            location,
            describe,
            fault: RefCell::new(None),
            cache,
            layers: vec![Layer::default()],
            has_sent: false,
            has_read: Cell::new(false),
        }
    }

    /// Whether nothing was changed.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_sent && self.layers.iter().all(Layer::is_empty)
    }

    /// Returns the first fault of the transaction.
    pub(crate) fn take_fault(&mut self) -> Option<Fault> {
        self.fault.get_mut().take()
    }

    /// Whether changes were sent, so that the cached rows are not those of the last commit.
    pub(crate) fn has_sent(&self) -> bool {
        self.has_sent
    }

    /// Sends the rest of the changes, and with them `note` and the commit. Returns these changes.
    pub(crate) fn commit(mut self, note: &Note) -> Result<Layer, CommitFault> {
        if self.layers.iter().any(|layer| Table::ALL.iter().any(|table| is_copied(layer, *table)))
            && self.send().is_err()
            && let Some(fault) = self.take_fault()
        {
            return Err(CommitFault { fault, is_uncertain: false });
        }
        let base = self.layers.pop().unwrap_or_default();
        let statement = self
            .statement(&base, Some(note))
            .map_err(|fault| CommitFault { fault, is_uncertain: false })?;
        self.session
            .execute(statement.as_ref(), Some("COMMIT"), COMMIT)
            .map_err(CommitFault::of)?;
        drop(statement);
        Ok(base)
    }

    fn reading(&self) -> Reading<'_> {
        Reading {
            session: self.session,
            location: self.location,
            fault: &self.fault,
            cache: Some(self.cache),
        }
    }

    /// Collects a change. With `is_new`, there is no row with this key.
    fn set(
        &mut self,
        table: Table,
        key: &[u8],
        value: Option<&[u8]>,
        is_new: bool,
    ) -> Result<(), EngineError> {
        self.send_early()?;
        // The server makes other changes meanwhile; it would wait when these are sent.
        let described = value.filter(|_| table == Table::Entries);
        let described = described.map(|value| self.described(key, value)).unwrap_or_default();
        let top = self.layers.last_mut().expect("a write has a layer");
        let change = Changed::new(value.map(<[u8]>::to_vec), is_new, described);
        top.set(table, key.to_vec(), change);
        let (rows, bytes) = self.unsent();
        if rows % PROCEED_ROWS == 0 {
            self.session.proceed();
        }
        if rows >= MAX_UNSENT_ROWS || bytes >= MAX_UNSENT_BYTES { self.send() } else { Ok(()) }
    }

    /// Sends many changes after a read, because the server has nothing else to do: it makes them
    /// while others are collected, and the next read waits less.
    fn send_early(&mut self) -> Result<(), EngineError> {
        // Within a savepoint, they would wait until the server has it.
        let is_due = self.has_read.get() && self.layers.len() == 1;
        if is_due && self.unsent().0 >= EARLY_ROWS { self.send() } else { Ok(()) }
    }

    /// Returns the number of changes that were not sent, and of their bytes.
    fn unsent(&self) -> (usize, usize) {
        let sizes = self.layers.iter().map(Layer::size);
        sizes.fold((0, 0), |(rows, bytes), (r, b)| (rows + r, bytes + b))
    }

    /// Sends all changes, those of each layer after its savepoint.
    fn send(&mut self) -> Result<(), EngineError> {
        self.check()?;
        self.has_sent = true;
        self.has_read.set(false);
        for depth in 0..self.layers.len() {
            let result = self.send_layer(depth);
            result.map_err(|fault| self.reading().failed(fault))?;
            let layer = &mut self.layers[depth];
            self.cache.borrow_mut().apply(layer);
            layer.has_savepoint = depth > 0;
            layer.clear();
        }
        Ok(())
    }

    fn send_layer(&self, depth: usize) -> Result<(), Fault> {
        let layer = &self.layers[depth];
        if depth > 0 && !layer.has_savepoint {
            self.session.batch(&format!("SAVEPOINT s{depth}"))?;
        }
        let tables = Table::ALL.into_iter().filter(|table| is_copied(layer, *table));
        let copies = tables.map(|table| (Query::Copy(table), copied(layer, table)));
        self.session.begin_changes(copies.collect(), self.statement(layer, None)?)
    }

    /// Returns the statement that makes the changes of a layer, except for rows that are copied,
    /// and notes a commit; `None` if there is nothing to do.
    fn statement(
        &self,
        layer: &Layer,
        note: Option<&Note>,
    ) -> Result<Option<Bound<'static>>, Fault> {
        let (mut deletes, mut puts) = (Tables::default(), Tables::default());
        let mut deleted: Vec<Param<'static>> = Vec::new();
        let mut put: Vec<Param<'static>> = Vec::new();
        for table in Table::ALL {
            let is_copied = is_copied(layer, table);
            let changes = layer.table(table).iter();
            let changes = changes.filter(|(_, change)| !is_copied || !change.is_new());
            let (mut keys, mut values, mut without) = (Vec::new(), Vec::new(), Vec::new());
            let (mut revisions, mut records) = (Vec::new(), Vec::new());
            for (key, change) in changes {
                match change.as_deref() {
                    Some(value) => {
                        keys.push(key.clone());
                        values.push(value.to_vec());
                        let (revision, record) = change.described.clone();
                        revisions.push(revision);
                        records.push(record);
                    }
                    None => without.push(key.clone()),
                }
            }
            if !without.is_empty() {
                deletes.insert(table);
                deleted.push(Box::new(without));
            }
            if !keys.is_empty() {
                puts.insert(table);
                put.push(Box::new(keys));
                put.push(Box::new(values));
                if table == Table::Entries {
                    put.push(Box::new(revisions));
                    put.push(Box::new(records));
                }
            }
        }
        let mut params = deleted;
        params.append(&mut put);
        let notes = note.is_some();
        if let Some(Note { number, commit, writer }) = note {
            params.push(Box::new(number.cast_signed()));
            params.push(Box::new(commit.to_vec()));
            params.push(Box::new(writer.to_vec()));
        }
        if params.is_empty() {
            return Ok(None);
        }
        let statement = self.session.statement(Query::Change { deletes, puts, notes })?;
        Ok(Some(Bound { statement, params }))
    }

    /// Returns the revision and the record of an entry, for those who read them by SQL.
    fn described(&self, key: &[u8], value: &[u8]) -> Described {
        let described = self.describe.and_then(|describe| describe(key, value));
        let Some((revision, record)) = described else { return (None, None) };
        // PostgreSQL's JSON has no zero characters.
        let record = Some(record).filter(|record| !record.contains("\\u0000"));
        (i64::try_from(revision).ok(), record)
    }

    /// Fails if the transaction has failed.
    fn check(&self) -> Result<(), EngineError> {
        match &*self.fault.borrow() {
            Some(fault) => Err(fault.error(self.location)),
            None => Ok(()),
        }
    }

    /// Returns the value of a key if a layer knows it: nothing if it is deleted.
    fn layered(&self, table: Table, key: &[u8]) -> ControlFlow<Option<&[u8]>> {
        let found = self.layers.iter().rev().find_map(|layer| layer.table(table).get(key));
        match found {
            Some(value) => ControlFlow::Break(value.as_deref()),
            None => ControlFlow::Continue(()),
        }
    }

    /// Ends the savepoint of a layer on the server, if it has one.
    fn end_savepoint(&self, layer: &Layer, depth: usize, is_kept: bool) -> Result<(), EngineError> {
        if !layer.has_savepoint || self.fault.borrow().is_some() {
            return self.check();
        }
        if !is_kept {
            self.cache.borrow_mut().forget_rows();
        }
        let statements = match is_kept {
            true => format!("RELEASE SAVEPOINT s{depth}"),
            false => format!("ROLLBACK TO SAVEPOINT s{depth}; RELEASE SAVEPOINT s{depth}"),
        };
        self.session.batch(&statements).map_err(|fault| self.reading().failed(fault))
    }
}

impl Rows for Write<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes<'_>>, EngineError> {
        match self.layered(table, key) {
            ControlFlow::Break(value) => Ok(value.map(Cow::Borrowed)),
            ControlFlow::Continue(()) => Ok(self.reading().get(table, key)?.map(Cow::Owned)),
        }
    }

    fn get_many(
        &self,
        table: Table,
        keys: &[&[u8]],
    ) -> Result<Vec<Option<Bytes<'_>>>, EngineError> {
        let is_unknown = |key: &&[u8]| self.layered(table, key).is_continue();
        let unknown: Vec<&[u8]> = keys.iter().copied().filter(is_unknown).collect();
        let found = match unknown.is_empty() {
            true => Default::default(),
            false => self.reading().get_many(table, &unknown)?,
        };
        let value = |key: &&[u8]| match self.layered(table, key) {
            ControlFlow::Break(value) => value.map(Cow::Borrowed),
            ControlFlow::Continue(()) => found.get(*key).cloned().map(Cow::Owned),
        };
        Ok(keys.iter().map(value).collect())
    }

    fn prefetch(&self, rows: &Prefetch) -> Result<(), EngineError> {
        let mut unknown = Prefetch::NONE;
        for (table, keys) in rows.rows() {
            let is_unknown = |key: &&Vec<u8>| {
                self.layered(table, key).is_continue()
                    && self.cache.borrow().row(table, key).is_none()
            };
            for key in keys.iter().filter(is_unknown) {
                unknown = unknown.row(table, key.clone());
            }
        }
        if unknown == Prefetch::NONE {
            return Ok(()); // changes go on
        }
        self.has_read.set(true);
        let read = row_cache::statements(self.session, &unknown)
            .and_then(|reads| self.session.read_all(&reads))
            .and_then(|found| self.cache.borrow_mut().keep(&unknown, &found));
        read.map_err(|fault| self.reading().failed(fault))
    }

    fn range(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
    ) -> Result<RowIter<'_>, EngineError> {
        let pages = self.reading().pages(table, range, direction, Content::Rows);
        let bounds = half_open(range);
        Ok(changed(Box::new(pages.map(row)), &self.layers, table, &bounds, direction))
    }

    fn count(&self, table: Table) -> Result<u64, EngineError> {
        let changes = self.layers.iter().flat_map(|layer| layer.table(table).keys());
        let changed: BTreeSet<&[u8]> = changes.map(Vec::as_slice).collect();
        let is_put = |key: &&&[u8]| matches!(self.layered(table, key), ControlFlow::Break(Some(_)));
        let put = changed.iter().filter(is_put).count() as u64;
        let changed: Vec<&[u8]> = changed.into_iter().collect();
        let reading = self.reading();
        let stored = reading.count(table)?;
        Ok(stored - reading.count_of(table, &changed)? + put)
    }
}

impl Mutate for Write<'_> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        check_key(key)?;
        self.set(table, key, Some(value), false)
    }

    fn insert(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
        check_key(key)?;
        self.set(table, key, Some(value), true)
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), EngineError> {
        match check_key(key) {
            Ok(()) => self.set(table, key, None, false),
            Err(_) => Ok(()), // there is no such row
        }
    }

    fn savepoint(&mut self, work: &mut Work<'_>) -> Result<(), EngineError> {
        self.send_early()?;
        self.layers.push(Layer::default());
        let depth = self.layers.len() - 1;
        let result = catch_unwind(AssertUnwindSafe(|| work(self)));
        let layer = self.layers.pop().expect("the layer of the savepoint is the last one");
        let is_kept = matches!(result, Ok(Ok(Verdict::Keep)));
        let ended = self.end_savepoint(&layer, depth, is_kept);
        if is_kept {
            let below = self.layers.last_mut().expect("the first layer stays");
            below.absorb(layer);
        }
        match result {
            Ok(Ok(_)) => ended,
            Ok(Err(error)) => Err(error),
            Err(panic) => resume_unwind(panic),
        }
    }
}

/// Returns the new rows of a table, for `COPY`.
fn copied(layer: &Layer, table: Table) -> Vec<u8> {
    let mut rows = CopyRows::new();
    for (key, change) in layer.table(table).iter().filter(|(_, change)| change.is_new()) {
        let Some(value) = change.as_deref() else { continue }; // inserted and deleted again
        if table == Table::Entries {
            let (revision, record) = &change.described;
            rows.entry(key, value, *revision, record.as_deref());
        } else {
            rows.row(key, value);
        }
    }
    rows.finish()
}

/// Whether the new rows of a table are copied.
fn is_copied(layer: &Layer, table: Table) -> bool {
    let changes = layer.table(table);
    changes.len() >= COPIED_ROWS
        && changes.values().filter(|change| change.is_new()).count() >= COPIED_ROWS
}

/// A commit that failed.
pub(crate) struct CommitFault {
    pub(crate) fault: Fault,
    /// Whether the server may have committed nevertheless.
    pub(crate) is_uncertain: bool,
}

impl CommitFault {
    /// Judges the faults of all statements up to the commit. If the server reported that one of
    /// them failed, it has rolled back.
    fn of(faults: Vec<Fault>) -> Self {
        let is_uncertain = !faults.iter().any(Fault::is_rolled_back);
        let mut faults = faults.into_iter();
        let first = faults.next();
        let reported = match is_uncertain {
            true => first,
            false => first.into_iter().chain(faults).find(Fault::is_rolled_back),
        };
        let fault = reported.unwrap_or(Fault::Refused("the server gave no reason".to_owned()));
        Self { fault, is_uncertain }
    }
}
