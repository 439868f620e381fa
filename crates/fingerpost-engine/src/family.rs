//! The rows of a key that every request for it reads: the one at the key level, and whether there
//! are any below.

use std::ops::Bound;

use super::{Bytes, Direction, Rows, Table};
use crate::EngineError;

/// The rows of a key, as far as every request depends on them.
#[derive(Clone, Debug)]
pub struct KeyRows<'r> {
    /// The value of the row at the key level in [`Table::Entries`].
    pub value: Option<Bytes<'r>>,
    /// What is registered below it.
    pub below: Below,
}

/// What is registered below a key level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Below {
    /// Whether there is any row.
    pub has_levels: bool,
    /// Whether any of these is a set, such as any lot.
    pub has_sets: bool,
}

impl<'r> KeyRows<'r> {
    /// Reads a family: usually with one search and one step to the next row.
    pub fn read<R: Rows + ?Sized>(rows: &'r R, key_level: &str) -> Result<Self, EngineError> {
        let (value, next) = at_and_after(rows, key_level.as_bytes())?;
        let below = Below::find(rows, key_level, next.as_deref())?;
        Ok(Self { value, below })
    }
}

/// Returns the value of a key of the entries, and the key after it.
fn at_and_after<'r, R: Rows + ?Sized>(
    rows: &'r R,
    key: &[u8],
) -> Result<(Option<Bytes<'r>>, Option<Bytes<'r>>), EngineError> {
    let range = (Bound::Included(key), Bound::Unbounded);
    let mut rows = rows.range(Table::Entries, range, Direction::Forward)?;
    Ok(match rows.next().transpose()? {
        Some((found, value)) if *found == *key => {
            (Some(value), rows.next().transpose()?.map(|(next, _)| next))
        }
        next => (None, next.map(|(next, _)| next)),
    })
}

impl Below {
    /// Finds what is below a key level, given the key after it. The sets of a key sort before its
    /// other levels, so that key shows whether there are any.
    pub fn find<R: Rows + ?Sized>(
        rows: &R,
        key_level: &str,
        next: Option<&[u8]>,
    ) -> Result<Self, EngineError> {
        let below = |level: Option<&[u8]>| {
            let rest = level.and_then(|level| level.strip_prefix(key_level.as_bytes()));
            let mut rest = rest.unwrap_or_default().iter().copied();
            (rest.next(), rest.next())
        };
        let (separator, form) = match below(next) {
            // Longer values of the same key, such as `8004/0614141-1`, come before the levels below
            // it.
            (Some(byte), _) if byte < b'/' => {
                let from = format!("{key_level}/");
                let range = (Bound::Excluded(from.as_bytes()), Bound::Unbounded);
                let first = rows.keys(Table::Entries, range)?.next().transpose()?;
                below(first.as_ref().map(|(key, _)| &**key))
            }
            found => found,
        };
        let has_levels = separator == Some(b'/');
        let has_sets = has_levels && form.is_some_and(|byte| !byte.is_ascii_digit());
        Ok(Self { has_levels, has_sets })
    }
}
