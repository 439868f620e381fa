//! Erases the personal data of records in short steps: first the record of the erasure, then the
//! rows.
//!
//! Personal rows are missing without a fault only if a later record names their actor, so the
//! record comes first. A document notes what is still to be erased; a process that is killed
//! meanwhile leaves it, and the next one continues.

use std::ops::Bound;

use fingerpost_engine::Table;

use crate::limits::ERASED_ROWS;
use crate::transaction::Transaction;
use crate::view::{View, number};
use crate::{AuditRecord, Event, Store, StoreError};

/// Action of the record that personal data was erased.
pub(crate) const ERASED: &str = "person.erased";

/// The collection of erasures that are not finished. The id is the number of the last record of the
/// erasure.
const UNFINISHED: &str = "erasures";

impl Transaction<'_> {
    /// Records that the personal data of these actors is erased: one record for each, with the
    /// action `person.erased` and the actor as its subject, so that the chain stays verifiable.
    /// [`Store::finish_erasures`] then erases the data of all records before these.
    pub fn erase_personal(&mut self, actors: &[&str], event: &Event) -> Result<(), StoreError> {
        let mut last = 0;
        for actor in actors {
            let mut event = event.clone().subject(*actor);
            event.action = ERASED.into();
            last = self.record(event)?;
        }
        let actors = serde_json::json!(actors).to_string();
        self.put_document(UNFINISHED, &format!("{last:020}"), actors.as_bytes())
    }
}

impl Store {
    /// Erases the personal data of all erasures that are not finished, in steps of at most 500
    /// rows, so that others can write between them; returns the number of erased rows.
    pub fn finish_erasures(&self) -> Result<u64, StoreError> {
        let mut erased = 0;
        loop {
            let next = self.view(|view| view.documents(UNFINISHED, None, 1))?;
            let Some((id, actors)) = next.into_iter().next() else { return Ok(erased) };
            let actors: Vec<String> = serde_json::from_slice(&actors).unwrap_or_default();
            let until = id.parse().unwrap_or(0);
            let mut from = Some(0);
            while let Some(begin) = from {
                let (rows, next) = self.view(|view| personal_rows(view, &actors, begin, until))?;
                from = next;
                erased += rows.len() as u64;
                if !rows.is_empty() {
                    self.transact(move |tx| tx.delete_personal(&rows))?;
                }
            }
            self.transact(move |tx| tx.delete_document(UNFINISHED, &id).map(|_| ()))?;
        }
    }
}

impl Transaction<'_> {
    fn delete_personal(&mut self, rows: &[u64]) -> Result<(), StoreError> {
        self.guarded(|this| {
            rows.iter().try_for_each(|seq| this.delete(Table::Personal, &seq.to_be_bytes()))
        })
    }
}

/// Returns which of the next personal rows from a number on belong to these actors, and the number
/// to continue at.
fn personal_rows(
    view: &View<'_>,
    actors: &[String],
    begin: u64,
    until: u64,
) -> Result<(Vec<u64>, Option<u64>), StoreError> {
    let (from, to) = (begin.to_be_bytes(), until.to_be_bytes());
    let range = (Bound::Included(&from[..]), Bound::Excluded(&to[..]));
    let (mut found, mut last, mut count) = (Vec::new(), begin, 0);
    for key in view.keys(Table::Personal, range)?.take(ERASED_ROWS) {
        let (key, _) = key?;
        let seq = number(&key).ok_or_else(|| view.damaged("a personal row has no number"))?;
        let record = view.get(Table::Audit, &key)?;
        let record = record.and_then(|value| AuditRecord::parse(&value, None));
        if record.is_some_and(|record| actors.iter().any(|actor| actor == record.actor())) {
            found.push(seq);
        }
        (last, count) = (seq, count + 1);
    }
    Ok((found, (count == ERASED_ROWS).then_some(last + 1)))
}
