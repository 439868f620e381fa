//! Changes over rows, in order: of a row in both layers, the upper one is read.

use std::cmp::Ordering;
use std::iter::Peekable;

use super::{Bytes, RowIter};
use crate::EngineError;

/// The order of the keys of a range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// From the smallest key on.
    Forward,
    /// From the greatest key on.
    Back,
}

/// A key with its new value, or without one if the row is deleted.
pub type KeyChange<'r> = Result<(Bytes<'r>, Option<Bytes<'r>>), EngineError>;

/// Changes in the order of their keys.
pub type ChangeIter<'r> = Box<dyn Iterator<Item = KeyChange<'r>> + 'r>;

/// Returns the changes of two layers, both in this order.
pub fn layered<'r>(
    upper: ChangeIter<'r>,
    lower: ChangeIter<'r>,
    direction: Direction,
) -> ChangeIter<'r> {
    Box::new(Layered { upper: upper.peekable(), lower: lower.peekable(), direction })
}

/// Returns rows as changes leave them, both in this order.
pub fn changed_rows<'r>(
    changes: ChangeIter<'r>,
    rows: RowIter<'r>,
    direction: Direction,
) -> RowIter<'r> {
    let rows = Box::new(rows.map(|row| row.map(|(key, value)| (key, Some(value)))));
    Box::new(layered(changes, rows, direction).filter_map(|change| match change {
        Ok((key, Some(value))) => Some(Ok((key, value))),
        Ok((_, None)) => None,
        Err(error) => Some(Err(error)),
    }))
}

struct Layered<'r> {
    upper: Peekable<ChangeIter<'r>>,
    lower: Peekable<ChangeIter<'r>>,
    direction: Direction,
}

impl<'r> Iterator for Layered<'r> {
    type Item = KeyChange<'r>;

    fn next(&mut self) -> Option<KeyChange<'r>> {
        let order = match (self.upper.peek(), self.lower.peek()) {
            (Some(Ok((upper, _))), Some(Ok((lower, _)))) => match self.direction {
                Direction::Forward => upper.cmp(lower),
                Direction::Back => lower.cmp(upper),
            },
            (_, None) | (Some(Err(_)), _) => Ordering::Less,
            (None, _) | (_, Some(Err(_))) => Ordering::Greater,
        };
        match order {
            Ordering::Less => self.upper.next(),
            Ordering::Greater => self.lower.next(),
            Ordering::Equal => {
                self.lower.next();
                self.upper.next()
            }
        }
    }
}
