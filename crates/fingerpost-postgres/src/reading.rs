//! Reads rows in a transaction: single rows, many in one query, and ranges by pages.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Bound;
use std::vec;

use fingerpost_engine::{Bytes, Direction, EngineError, KeyRange, Row, Table};
use tokio_postgres::types::ToSql;

use crate::fault::Fault;
use crate::limits::{FIRST_PAGE, MAX_KEYS, MAX_PAGE, PAGE_BYTES, PAGE_GROWTH};
use crate::query::{Content, Query};
use crate::row_cache::{Last, RowCache};
use crate::session::{Params, Session};

/// A transaction that reads.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'s> {
    pub(crate) session: &'s Session,
    pub(crate) location: &'s str,
    /// The first fault of the transaction, after which it can do nothing more.
    pub(crate) fault: &'s RefCell<Option<Fault>>,
    /// Cached rows, if the transaction writes or has prefetched some.
    pub(crate) cache: Option<&'s RefCell<RowCache>>,
}

impl<'s> Reading<'s> {
    /// Keeps the first fault, and returns it as an error.
    pub(crate) fn failed(&self, fault: Fault) -> EngineError {
        let error = fault.error(self.location);
        self.fault.borrow_mut().get_or_insert(fault);
        error
    }

    fn rows(
        &self,
        query: Query,
        params: Params<'_>,
    ) -> Result<Vec<tokio_postgres::Row>, EngineError> {
        self.session.rows(query, params).map_err(|fault| self.failed(fault))
    }

    pub(crate) fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, EngineError> {
        if let Some(cache) = self.cache
            && let Some(value) = cache.borrow().row(table, key)
        {
            return Ok(value.map(<[u8]>::to_vec));
        }
        let rows = self.rows(Query::Get(table), &[&key])?;
        let value = rows.first().map(|row| self.bytes(row, 0)).transpose()?;
        if let Some(cache) = self.cache {
            cache.borrow_mut().set_row(table, key, value.as_deref());
        }
        Ok(value)
    }

    /// Returns the values of the keys that exist.
    pub(crate) fn get_many(
        &self,
        table: Table,
        keys: &[&[u8]],
    ) -> Result<HashMap<Vec<u8>, Vec<u8>>, EngineError> {
        let mut found = HashMap::with_capacity(keys.len());
        let mut unknown = Vec::with_capacity(keys.len());
        for key in keys {
            let cache = self.cache.map(RefCell::borrow);
            match cache.as_ref().and_then(|cache| cache.row(table, key)) {
                Some(Some(value)) => drop(found.insert(key.to_vec(), value.to_vec())),
                Some(None) => {}
                None => unknown.push(*key),
            }
        }
        for keys in unknown.chunks(MAX_KEYS) {
            for row in self.rows(Query::GetMany(table), &[&keys])? {
                found.insert(self.bytes(&row, 0)?, self.bytes(&row, 1)?);
            }
        }
        if let Some(cache) = self.cache {
            let mut cache = cache.borrow_mut();
            for key in unknown {
                cache.set_row(table, key, found.get(key).map(Vec::as_slice));
            }
        }
        Ok(found)
    }

    pub(crate) fn count(&self, table: Table) -> Result<u64, EngineError> {
        self.number(Query::Count(table), &[])
    }

    /// Returns how many of the keys exist.
    pub(crate) fn count_of(&self, table: Table, keys: &[&[u8]]) -> Result<u64, EngineError> {
        keys.chunks(MAX_KEYS).map(|keys| self.number(Query::CountOf(table), &[&keys])).sum()
    }

    fn number(&self, query: Query, params: Params<'_>) -> Result<u64, EngineError> {
        let rows = self.rows(query, params)?;
        let number = rows.first().map(|row| row.try_get::<_, i64>(0)).transpose();
        let number = number.map_err(|error| self.failed(Fault::Postgres(error)))?;
        Ok(number.unwrap_or_default().unsigned_abs())
    }

    fn bytes(&self, row: &tokio_postgres::Row, column: usize) -> Result<Vec<u8>, EngineError> {
        row.try_get(column).map_err(|error| self.failed(Fault::Postgres(error)))
    }

    /// Returns the rows of a range, in pages that are read when they are needed.
    pub(crate) fn pages(
        &self,
        table: Table,
        range: KeyRange<'_>,
        direction: Direction,
        content: Content,
    ) -> Pages<'s> {
        let (from, before) = half_open(range);
        let is_over = before.as_ref().is_some_and(|before| *before <= from);
        let mut pages = Pages {
            reading: *self,
            table,
            direction,
            content,
            from,
            before,
            page: Vec::new().into_iter(),
            rows: FIRST_PAGE,
            is_over,
        };
        if let Some(cache) = self.cache {
            pages.begin_with_cached(&cache.borrow());
        }
        pages
    }
}

/// Returns the first key of a range, and the first key after it.
pub(crate) fn half_open((from, to): KeyRange<'_>) -> (Vec<u8>, Option<Vec<u8>>) {
    let next = |key: &[u8]| [key, &[0]].concat();
    let from = match from {
        Bound::Included(key) => key.to_vec(),
        Bound::Excluded(key) => next(key),
        Bound::Unbounded => Vec::new(),
    };
    let before = match to {
        Bound::Included(key) => Some(next(key)),
        Bound::Excluded(key) => Some(key.to_vec()),
        Bound::Unbounded => None,
    };
    (from, before)
}

/// The content of a row of a page.
pub(crate) enum PageValue {
    Value(Vec<u8>),
    Length(usize),
}

impl PageValue {
    /// Returns the length of the value.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Value(value) => value.len(),
            Self::Length(length) => *length,
        }
    }
}

/// A range, read page by page.
pub(crate) struct Pages<'r> {
    reading: Reading<'r>,
    table: Table,
    direction: Direction,
    content: Content,
    /// The range that was not read.
    from: Vec<u8>,
    before: Option<Vec<u8>>,
    page: vec::IntoIter<(Vec<u8>, PageValue)>,
    /// Number of rows of the next page.
    rows: usize,
    is_over: bool,
}

impl Pages<'_> {
    /// Whether the next page begins with the last row of the table.
    fn is_at_end(&self) -> bool {
        self.direction == Direction::Back && self.before.is_none()
    }

    /// Takes the last row of the table from the cache ones: the head of a chain is read in every
    /// write.
    fn begin_with_cached(&mut self, cache: &RowCache) {
        if self.is_over || !self.is_at_end() || self.content != Content::Rows {
            return;
        }
        match cache.last(self.table) {
            Last::Unknown => {}
            Last::None => self.is_over = true,
            Last::Key(key) if *key < self.from => self.is_over = true,
            Last::Key(key) => {
                if let Some(Some(value)) = cache.row(self.table, key) {
                    self.page = vec![(key.clone(), PageValue::Value(value.to_vec()))].into_iter();
                    self.before = Some(key.clone());
                }
            }
        }
    }

    /// Notes the last row of the table if a page contains it.
    fn note_last(&self, page: &[(Vec<u8>, PageValue)]) {
        let Some(cache) = self.reading.cache.filter(|_| self.is_at_end()) else { return };
        let mut cache = cache.borrow_mut();
        match page.first() {
            Some((key, PageValue::Value(value))) => {
                cache.set_last(self.table, Some(key));
                cache.set_row(self.table, key, Some(value));
            }
            None if self.from.is_empty() => cache.set_last(self.table, None),
            _ => {}
        }
    }

    fn read(&mut self) -> Result<(), EngineError> {
        let limit = i64::try_from(self.rows).unwrap_or(i64::MAX);
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![&self.from, &limit];
        let query = match &self.before {
            Some(before) => {
                params.push(before);
                Query::PageBefore(self.table, self.direction, self.content)
            }
            None => Query::Page(self.table, self.direction, self.content),
        };
        let rows = self.reading.rows(query, &params)?;
        let (mut page, mut bytes) = (Vec::with_capacity(rows.len()), 0);
        for row in &rows {
            let key = self.reading.bytes(row, 0)?;
            let found = match self.content {
                Content::Rows => PageValue::Value(self.reading.bytes(row, 1)?),
                Content::Keys => {
                    let length = row.try_get::<_, i32>(1);
                    let length =
                        length.map_err(|error| self.reading.failed(Fault::Postgres(error)))?;
                    PageValue::Length(usize::try_from(length).unwrap_or_default())
                }
            };
            bytes += key.len();
            if self.content == Content::Rows {
                bytes += found.length();
            }
            page.push((key, found));
        }
        self.note_last(&page);
        self.is_over = page.len() < self.rows;
        if let Some((last, _)) = page.last() {
            match self.direction {
                Direction::Forward => self.from = [last, &[0][..]].concat(),
                Direction::Back => self.before = Some(last.clone()),
            }
        }
        let average = bytes / page.len().max(1) + 1;
        let fitting = (PAGE_BYTES / average).max(1);
        self.rows = (self.rows * PAGE_GROWTH).min(MAX_PAGE).min(fitting);
        self.page = page.into_iter();
        Ok(())
    }
}

impl Iterator for Pages<'_> {
    type Item = Result<(Vec<u8>, PageValue), EngineError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.page.next() {
                return Some(Ok(row));
            }
            if self.is_over {
                return None;
            }
            if let Err(error) = self.read() {
                self.is_over = true;
                return Some(Err(error));
            }
        }
    }
}

/// Returns a row as the contract of engines wants it.
pub(crate) fn row<'r>(
    found: Result<(Vec<u8>, PageValue), EngineError>,
) -> Result<Row<'r>, EngineError> {
    let (key, found) = found?;
    let value: Bytes<'r> = match found {
        PageValue::Value(value) => Cow::Owned(value),
        PageValue::Length(_) => Cow::Borrowed(&[]),
    };
    Ok((Cow::Owned(key), value))
}
