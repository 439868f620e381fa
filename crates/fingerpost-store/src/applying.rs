//! Finds the anchors, other than keys, whose records apply to a request: the sets that contain a
//! level, and company prefixes. The resolver says which they are ([`AnchorRows`]).
//!
//! They cost a request nothing that meets none: a key without sets is known from the row after it,
//! and a store without company prefixes from one look after each commit. Otherwise a level with
//! qualifiers costs one seek backwards, for a range, and one get, for any value; and a key costs
//! one seek backwards for its company prefix, at most nine, until `companies.rs` knows them all.
//! While any organisation is suspended, a
//! key costs at most ten gets more, and nothing otherwise.

use std::ops::Bound;
use std::sync::Arc;

use fingerpost_engine::{Bytes, Direction, Rows, Table};
use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{
    Anchor, AnchorRows, ContextSource, Entry, OrganisationBrand, Suspension, applying_rows,
    company_anchor, company_row, owner_row, set_rows,
};

use crate::{StoreError, View};

/// An anchor and its row.
pub(crate) type AnchorRow<'r> = fingerpost_resolver::AnchorRow<Bytes<'r>>;

/// The rows of entries of an engine.
struct Entries<'r, R: ?Sized>(&'r R);

impl<'r, R: Rows + ?Sized> AnchorRows for Entries<'r, R> {
    type Value = Bytes<'r>;
    type Error = StoreError;

    fn row(&self, anchor: &str) -> Result<Option<Bytes<'r>>, StoreError> {
        Ok(self.0.get(Table::Entries, anchor.as_bytes())?)
    }

    fn last_row(&self, first: &str, last: &str) -> Result<Option<AnchorRow<'r>>, StoreError> {
        let range = (Bound::Included(first.as_bytes()), Bound::Included(last.as_bytes()));
        let row = self.0.range(Table::Entries, range, Direction::Back)?.next().transpose()?;
        // An anchor is text; a damaged one is as good as none.
        Ok(row.and_then(|(key, value)| Some((std::str::from_utf8(&key).ok()?.to_owned(), value))))
    }
}

/// Returns the sets that contain a level, the most specific one first.
pub(crate) fn sets<'r, R: Rows + ?Sized>(
    rows: &'r R,
    level: &str,
) -> Result<Vec<AnchorRow<'r>>, StoreError> {
    set_rows(&Entries(rows), level)
}

/// Returns the longest registered company prefix that covers a key.
pub(crate) fn company<'r, R: Rows + ?Sized>(
    rows: &'r R,
    key: &EntityKey,
) -> Result<Option<AnchorRow<'r>>, StoreError> {
    company_row(&Entries(rows), key)
}

/// Returns whether the store has records of company prefixes.
pub(crate) fn has_companies<R: Rows + ?Sized>(rows: &R) -> Result<bool, StoreError> {
    let prefix = company_anchor("");
    let range = (Bound::Included(prefix.as_bytes()), Bound::Unbounded);
    let first = rows.keys(Table::Entries, range)?.next().transpose()?;
    Ok(first.is_some_and(|(key, _)| key.starts_with(prefix.as_bytes())))
}

/// Returns whether the keys of any organisation are suspended.
pub(crate) fn has_suspensions<R: Rows + ?Sized>(rows: &R) -> Result<bool, StoreError> {
    let prefix = Anchor::suspensions().as_bytes();
    let range = (Bound::Included(prefix), Bound::Unbounded);
    let first = rows.keys(Table::Entries, range)?.next().transpose()?;
    Ok(first.is_some_and(|(key, _)| key.starts_with(prefix)))
}

/// Returns how a key answers while its organisation is suspended.
pub(crate) fn suspension<R: Rows + ?Sized>(
    rows: &R,
    key: &EntityKey,
) -> Result<Option<Entry>, StoreError> {
    let found = about_owner(rows, Anchor::suspensions(), key)?;
    Ok(found.filter(|it| it.as_suspension() != Some(Suspension::None)))
}

/// Returns the entry of this kind about the owner of a key.
fn about_owner<R: Rows + ?Sized>(
    rows: &R,
    kind: &str,
    key: &EntityKey,
) -> Result<Option<Entry>, StoreError> {
    let Some((anchor, bytes)) = owner_row(&Entries(rows), kind, key)? else { return Ok(None) };
    Ok(Some(crate::format::Stored::parse(&anchor, &bytes)?.decode(&anchor)?))
}

impl View<'_> {
    /// Returns what the organisation of a key says about the context of requests that name none.
    pub fn context_source(&self, key: &EntityKey) -> Result<Option<ContextSource>, StoreError> {
        let found = about_owner(self.rows(), Anchor::country_switches(), key)?;
        Ok(found.and_then(|entry| entry.context_source()))
    }

    /// Returns how pages present the organisation that owns a key; `None`: as the installation.
    pub fn brand(&self, key: &EntityKey) -> Result<Option<OrganisationBrand>, StoreError> {
        let found = about_owner(self.rows(), Anchor::brands(), key)?;
        Ok(found.and_then(|entry| entry.as_brand()))
    }

    /// Returns the logo of an organisation in Base64, by its id; `None` if there is none.
    pub fn logo(&self, organisation: &str) -> Result<Option<String>, StoreError> {
        let Some(anchor) = Anchor::logo(organisation) else { return Ok(None) };
        let Some(bytes) = self.stored(anchor.as_str())? else { return Ok(None) };
        let entry = crate::format::Stored::parse(anchor.as_str(), &bytes)?;
        Ok(entry.decode(anchor.as_str())?.as_logo().map(str::to_owned))
    }

    /// Returns the entries that apply to a request for `key`, most specific first, as
    /// [`Store::read`](crate::Store::read) does.
    pub fn applying(&self, key: &EntityKey) -> Result<Vec<Arc<Entry>>, StoreError> {
        if has_suspensions(self.rows())?
            && let Some(suspension) = suspension(self.rows(), key)?
        {
            return Ok(vec![Arc::new(suspension)]);
        }
        let found = applying_rows(&Entries(self.rows()), key)?;
        let decoded = found.iter().map(|(anchor, bytes)| {
            let stored = crate::format::Stored::parse(anchor, bytes)?;
            Ok(Arc::new(stored.decode(anchor)?))
        });
        decoded.collect()
    }
}
