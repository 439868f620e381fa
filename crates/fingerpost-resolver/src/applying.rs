//! The anchors whose records apply to a request, and the order of their precedence: the levels of
//! the key, the sets that contain them, and a company prefix; or the suspension of the
//! organisation. A store and a shard at the edge differ only in how they find a row.

use fingerpost_gs1::EntityKey;

use crate::{Anchor, CompanyPrefix, Sets};

/// The rows of a store, by the canonical texts of their anchors, in the order of these texts.
pub trait AnchorRows {
    /// The value of a row.
    type Value;
    /// An error of the store.
    type Error;

    /// Returns the row of an anchor.
    fn row(&self, anchor: &str) -> Result<Option<Self::Value>, Self::Error>;

    /// Returns the last row of those from `first` to `last`, both included, with its anchor.
    fn last_row(
        &self,
        first: &str,
        last: &str,
    ) -> Result<Option<(String, Self::Value)>, Self::Error>;
}

/// An anchor and the value of its row.
pub type AnchorRow<V> = (String, V);

/// Returns the rows that apply to a request for a key, most specific first. What the registry
/// writes about the owner is not among them ([`owner_row`]).
pub fn applying_rows<R: AnchorRows>(
    rows: &R,
    key: &EntityKey,
) -> Result<Vec<AnchorRow<R::Value>>, R::Error> {
    let mut found = Vec::new();
    for level in key.levels() {
        if let Some(value) = rows.row(&level)? {
            found.push((level.to_string(), value));
        }
        found.extend(set_rows(rows, &level)?);
    }
    found.extend(company_row(rows, key)?);
    Ok(found)
}

/// Returns the sets that contain a level, the most specific one first: the range, then any value.
pub fn set_rows<R: AnchorRows>(
    rows: &R,
    level: &str,
) -> Result<Vec<AnchorRow<R::Value>>, R::Error> {
    let mut found = Vec::new();
    let Some(sets) = Sets::of(level) else { return Ok(found) };
    if let Some((anchor, value)) = rows.last_row(&sets.ranges(), &sets.last_range())?
        && sets.are_in(&anchor)
    {
        found.push((anchor, value));
    }
    let any = sets.any();
    if let Some(value) = rows.row(&any)? {
        found.push((any, value));
    }
    Ok(found)
}

/// Returns the row about the owner of a key whose anchor begins with `kind`, such as
/// [`Anchor::suspensions`]: that of the key itself, or of the company prefix that it has, of which
/// no two organisations have overlapping ones. At most ten rows are looked for.
pub fn owner_row<R: AnchorRows>(
    rows: &R,
    kind: &str,
    key: &EntityKey,
) -> Result<Option<AnchorRow<R::Value>>, R::Error> {
    let (part, digits) = company_digits(key.company_prefix_part().unwrap_or_default());
    let prefixes = CompanyPrefix::LENGTHS.take_while(|length| *length <= digits);
    let of = prefixes.map(|length| company_anchor(&part[..length]));
    for of in [key.key_level().to_owned()].into_iter().chain(of) {
        let anchor = [kind, &of].concat();
        if let Some(value) = rows.row(&anchor)? {
            return Ok(Some((anchor, value)));
        }
    }
    Ok(None)
}

/// Returns the longest registered company prefix that covers a key.
pub fn company_row<R: AnchorRows>(
    rows: &R,
    key: &EntityKey,
) -> Result<Option<AnchorRow<R::Value>>, R::Error> {
    let (part, digits) = company_digits(key.company_prefix_part().unwrap_or_default());
    let mut length = digits.min(*CompanyPrefix::LENGTHS.end());
    let least = *CompanyPrefix::LENGTHS.start();
    while length >= least {
        // The greatest one that is not after the digits: it covers them, or shares only a shorter
        // beginning with them.
        let (first, last) = (company_anchor(&part[..least]), company_anchor(&part[..length]));
        let Some((anchor, value)) = rows.last_row(&first, &last)? else { return Ok(None) };
        let shared = anchor.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
        if shared == anchor.len() {
            return Ok(Some((anchor, value)));
        }
        length = shared - company_anchor("").len();
    }
    Ok(None)
}

/// Returns the text of a company prefix as an anchor.
pub fn company_anchor(digits: &str) -> String {
    [Anchor::COMPANY_PREFIX, "/", digits].concat()
}

fn company_digits(part: &str) -> (&str, usize) {
    (part, part.bytes().take_while(u8::is_ascii_digit).count())
}
