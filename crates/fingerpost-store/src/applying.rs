//! Finds the anchors, other than keys, whose records apply to a request: the sets that contain a
//! level, and company prefixes.
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
    Anchor, CompanyPrefix, ContextSource, Entry, OrganisationBrand, Sets, Suspension,
};

use crate::{StoreError, View};

/// An anchor and its row.
pub(crate) type AnchorRow<'r> = (String, Bytes<'r>);

/// Returns the sets that contain a level, the most specific one first: the range, then any value.
pub(crate) fn sets<'r, R: Rows + ?Sized>(
    rows: &'r R,
    level: &str,
) -> Result<Vec<AnchorRow<'r>>, StoreError> {
    let mut found = Vec::new();
    let Some(sets) = Sets::of(level) else { return Ok(found) };
    let (first, last) = (sets.ranges(), sets.last_range());
    let range = (Bound::Included(first.as_bytes()), Bound::Included(last.as_bytes()));
    if let Some((key, bytes)) =
        rows.range(Table::Entries, range, Direction::Back)?.next().transpose()?
        && let Ok(anchor) = std::str::from_utf8(&key)
        && sets.are_in(anchor)
    {
        found.push((anchor.to_owned(), bytes));
    }
    let any = sets.any();
    if let Some(bytes) = rows.get(Table::Entries, any.as_bytes())? {
        found.push((any, bytes));
    }
    Ok(found)
}

/// Returns whether the store has records of company prefixes.
pub(crate) fn has_companies<R: Rows + ?Sized>(rows: &R) -> Result<bool, StoreError> {
    let prefix = anchor_of("");
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

/// Returns the entry of this kind about a key itself, or about the company prefix that it has, of
/// which no two organisations have overlapping ones.
fn about_owner<R: Rows + ?Sized>(
    rows: &R,
    kind: &str,
    key: &EntityKey,
) -> Result<Option<Entry>, StoreError> {
    let part = key.company_prefix_part().unwrap_or_default();
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    let prefixes = CompanyPrefix::LENGTHS.take_while(|length| *length <= digits);
    let of = prefixes.map(|length| anchor_of(&part[..length]));
    for of in [key.key_level().to_owned()].into_iter().chain(of) {
        let anchor = [kind, &of].concat();
        if let Some(bytes) = rows.get(Table::Entries, anchor.as_bytes())? {
            return Ok(Some(crate::format::Stored::parse(&anchor, &bytes)?.decode(&anchor)?));
        }
    }
    Ok(None)
}

/// Returns the longest registered company prefix that covers a key.
pub(crate) fn company<'r, R: Rows + ?Sized>(
    rows: &'r R,
    key: &EntityKey,
) -> Result<Option<AnchorRow<'r>>, StoreError> {
    let part = key.company_prefix_part().unwrap_or_default();
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits.min(*CompanyPrefix::LENGTHS.end());
    let least = *CompanyPrefix::LENGTHS.start();
    while length >= least {
        // The greatest one that is not after the digits: it covers them, or shares only a shorter
        // beginning with them.
        let (first, last) = (anchor_of(&part[..least]), anchor_of(&part[..length]));
        let range = (Bound::Included(first.as_bytes()), Bound::Included(last.as_bytes()));
        let row = rows.range(Table::Entries, range, Direction::Back)?.next().transpose()?;
        let Some((anchor, bytes)) = row else { return Ok(None) };
        let shared = anchor.iter().zip(last.as_bytes()).take_while(|(a, b)| a == b).count();
        if shared == anchor.len() {
            return Ok(Some((String::from_utf8_lossy(&anchor).into_owned(), bytes)));
        }
        length = shared - anchor_of("").len();
    }
    Ok(None)
}

/// Returns the text of a company prefix as an anchor.
pub(crate) fn anchor_of(digits: &str) -> String {
    [Anchor::COMPANY_PREFIX, "/", digits].concat()
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
        let mut found = Vec::new();
        if has_suspensions(self.rows())?
            && let Some(suspension) = suspension(self.rows(), key)?
        {
            return Ok(vec![Arc::new(suspension)]);
        }
        for level in key.levels() {
            if let Some(bytes) = self.stored(&level)? {
                found.push((level.to_string(), bytes));
            }
            found.extend(sets(self.rows(), &level)?);
        }
        found.extend(company(self.rows(), key)?);
        let decoded = found.iter().map(|(anchor, bytes)| {
            let stored = crate::format::Stored::parse(anchor, bytes)?;
            Ok(Arc::new(stored.decode(anchor)?))
        });
        decoded.collect()
    }
}
