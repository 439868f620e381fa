//! Recalls: the notice goes to the recalled levels, and away again, all in one transaction.
//!
//! A recall is an ordinary change of records (`"defaultLinkType": "gs1:recallStatus"`), so
//! permissions, approval by a second person, history and audit are those of every change. Its end
//! is not: see `running_recalls.rs`.

use std::collections::HashSet;

use fingerpost_resolver::{
    Anchor, DefaultAnswer, Entry, RecallNotice, recall_page, recall_record, record_without_recall,
};
use fingerpost_store::{Revision, State, View};
use jiff::Timestamp;
use serde::Serialize;

use crate::apply::Ended;
use crate::author::{Authorship, author};
use crate::batch::{AsPart, Chunk, Refusal, Row};
use crate::change::RecordChange;
use crate::fault::Fault;
use crate::judge::BatchMode;
use crate::limits::{MAX_NOTICES, MAX_RECALLED_LEVELS};
use crate::registry::Inner;
use crate::rights::Access;
use crate::roles::Verb;
use crate::{
    Author, BatchReport, Caller, ChangeSetKind, Conditions, Filter, Level, Page, Registry,
    RegistryError, idempotency,
};

/// A recalled level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RunningRecall {
    /// The level.
    #[serde(flatten)]
    pub level: Level,
    /// When the recall began, if that is still known.
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub since: Option<Timestamp>,
    /// Who recalled it, if that is still known.
    pub recalled_by: Option<Author>,
    /// The change set of the recall.
    #[serde(with = "crate::outcome::optional_revision", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<u64>))]
    pub change_set: Option<Revision>,
}

impl Registry {
    /// Recalls levels: adds the notices to their records, in place of earlier ones, and sends
    /// requests without a link type to them. A notice without an address leads to the page of
    /// the resolver about the level. A level without a record gets one. All levels are
    /// changed, or none; the lines of the report are their positions, from 1.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use fingerpost_registry::{Caller, Conditions, Registry, RegistryOptions};
    /// # use fingerpost_resolver::RecallNotice;
    /// # use fingerpost_store::Store;
    /// let registry = Registry::new(Arc::new(Store::in_memory()), RegistryOptions::new());
    /// let caller = Caller::local("example");
    /// let record = br#"{"anchor": "/01/09506000134352", "links": [
    ///     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
    ///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
    /// registry.put(&caller, None, record, Conditions::none())?;
    /// let lots = ["01/09506000134352/10/A".parse()?, "01/09506000134352/10/B".parse()?];
    /// let notice = RecallNotice {
    ///     href: Some("https://example.com/recall".to_owned()),
    ///     title: "Recall of lots A and B".to_owned(),
    ///     hreflang: vec!["en".to_owned()],
    /// };
    /// let report = registry.recall(&caller, &lots, &[notice], Conditions::none())?;
    /// assert_eq!((report.created, report.refused), (2, 0));
    /// assert!(registry.read(&caller, &lots[0])?.entry.is_recalled());
    /// let report = registry.end_recall(&caller, &lots, Conditions::none())?;
    /// assert_eq!(report.deleted, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Fails with [`RegistryError::Invalid`] without levels or notices, [`RegistryError::TooLarge`]
    /// for too many, and the errors of [`Registry::batch`]. Faults of single levels are in the
    /// report.
    pub fn recall(
        &self,
        caller: &Caller,
        levels: &[Anchor],
        notices: &[RecallNotice],
        conditions: Conditions,
    ) -> Result<BatchReport, RegistryError> {
        at_most("notices of a recall", "/notices", notices.len(), MAX_NOTICES)?;
        let notices = notices.to_vec();
        let conditions = with_set(conditions, ChangeSetKind::Recall);
        self.change_each(caller, levels, conditions, move |inner, view, level| {
            let entry = view.level(level)?.map(|(entry, _)| entry);
            let page = inner.options.root.as_ref().and_then(|root| recall_page(root, level));
            let record = recall_record(level, entry.as_ref(), &notices, page.as_deref());
            let record = record.ok_or_else(without_page)?;
            Ok(inner.read_change(Some(level), record.as_bytes())?)
        })
    }

    /// Ends recalls: removes the notices and what they changed. A record that holds nothing else is
    /// deleted; a level that is not recalled stays as it is. All levels are changed, or none;
    /// the lines of the report are their positions, from 1.
    ///
    /// Fails with [`RegistryError::Invalid`] without levels, and the errors of [`Registry::batch`].
    /// Faults of single levels are in the report.
    pub fn end_recall(
        &self,
        caller: &Caller,
        levels: &[Anchor],
        conditions: Conditions,
    ) -> Result<BatchReport, RegistryError> {
        let conditions = with_set(conditions, ChangeSetKind::EndOfRecall);
        self.change_each(caller, levels, conditions, |inner, view, level| {
            let (entry, revision) = view.level(level)?.ok_or(RegistryError::NotFound)?;
            if !entry.is_recalled() {
                return Ok(inner.change_back(level, Some(&entry))?);
            }
            let before = answer_before(view, level, revision)?;
            Ok(match record_without_recall(&entry, before) {
                Some(record) => inner.read_change(Some(level), record.as_bytes())?.ending_recall(),
                None => RecordChange::delete(level.clone()).ending_recall(),
            })
        })
    }

    /// Changes levels in one transaction: all, or none.
    fn change_each(
        &self,
        caller: &Caller,
        levels: &[Anchor],
        conditions: Conditions,
        make: impl Fn(&Inner, &View<'_>, &Anchor) -> Result<RecordChange, RegistryError>
        + Send
        + 'static,
    ) -> Result<BatchReport, RegistryError> {
        at_most("levels of a recall", "/keys", levels.len(), MAX_RECALLED_LEVELS)?;
        self.require_write(caller, None)?;
        let (inner, caller, levels) = (self.inner.clone(), caller.clone(), levels.to_vec());
        let dry_run = conditions.dry_run;
        let result = self.inner.store.transact(move |tx| {
            let access = Access::of(tx, &caller, inner.now())?;
            let idempotency = conditions.idempotency.as_ref().filter(|_| !dry_run);
            if let Some(written) = idempotency::recall(tx, &caller, idempotency)? {
                return Ok(written);
            }
            let (mut chunk, mut seen) = (Chunk::new(), HashSet::new());
            for (line, level) in (1..).zip(&levels) {
                if !seen.insert(level) {
                    continue;
                }
                // The right comes first: who may not write there learns nothing about the record.
                let right = access.on_level(tx, Verb::Write, level);
                let change = match right.and_then(|_| make(&inner, tx, level)) {
                    Ok(change) => Ok(change),
                    Err(
                        error @ (RegistryError::Forbidden(_)
                        | RegistryError::Invalid { .. }
                        | RegistryError::NotFound),
                    ) => Err(Refusal::from(error)),
                    Err(error) => return Err(error.into()),
                };
                chunk.push(Row { line, key: Some(level.clone()), change });
            }
            let as_part = AsPart { mode: BatchMode::Atomic, set: conditions.set, dry_run };
            let written = inner.apply_chunk(tx, &caller, &access, &chunk, as_part)?;
            if dry_run || written.is_refused() {
                return Err(Ended::Checked(written));
            }
            idempotency::remember(tx, &caller, idempotency, inner.now(), &written)?;
            Ok(written)
        });
        let report = BatchReport::of(&Ended::result(result)?);
        Ok(if dry_run { report.of_dry_run() } else { report })
    }
}

fn with_set(conditions: Conditions, kind: ChangeSetKind) -> Conditions {
    Conditions { set: Some(conditions.set_of(kind)), ..conditions }
}

/// The refusal of a notice without an address where there is no page to lead to.
fn without_page() -> RegistryError {
    let message = "expected the address of a page about the recall, found none: the resolver has no page of its own about a company prefix; give the address of one of yours";
    RegistryError::invalid(vec![Fault::new("/notices", "recall", message)])
}

fn at_most(
    what: &'static str,
    pointer: &str,
    found: usize,
    limit: usize,
) -> Result<(), RegistryError> {
    match found {
        0 => {
            let message = format!("expected {what}, found none");
            Err(RegistryError::invalid(vec![Fault::new(pointer, "recall", message)]))
        }
        found if found > limit => Err(RegistryError::TooLarge { what, limit: limit as u64 }),
        _ => Ok(()),
    }
}

/// Returns the default answer that a recalled level had before its recall, if that is still known.
fn answer_before(
    view: &View<'_>,
    level: &Anchor,
    recalled: Revision,
) -> Result<Option<DefaultAnswer>, RegistryError> {
    let began = view.recall_began(level, recalled)?;
    let earlier = Revision::new(began.number().saturating_sub(1));
    let state = view.state_at(level, earlier)?;
    Ok(state.as_ref().and_then(State::entry).and_then(Entry::default_answer))
}

impl Registry {
    /// Returns the recalled levels that the caller can read, in key order, each with the beginning
    /// of its recall. `after` is the value of [`Page::next`].
    pub fn recalls(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<RunningRecall>, RegistryError> {
        let filter = Filter { recalled: Some(true), ..Filter::default() };
        let Page { items, next } = self.list(caller, &filter, after, limit)?;
        self.view_as(caller, |view, _| {
            let items = items.into_iter().map(|level| {
                let began = view.recall_began(&level.key, level.revision)?;
                let Authorship { at, by, change_set, .. } = author(view, began)?;
                Ok(RunningRecall { level, since: at, recalled_by: by, change_set })
            });
            Ok(Page { items: items.collect::<Result<_, RegistryError>>()?, next })
        })
    }
}
