//! Cells, rows and positions of a spreadsheet.

use std::fmt;

use fingerpost_resolver::{RecordFault, excerpt};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::limits::MAX_SHOWN_CELL;

/// The content of a cell. A formula is its last result: nothing is ever calculated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    Empty,
    Text(String),
    /// A number cell: what the file holds, not what a program shows.
    Number(f64),
    /// A date cell.
    Moment(Timestamp),
    Bool(bool),
    /// A formula without a result, such as `#REF!`.
    Error(String),
}

impl Cell {
    /// Returns whether there is nothing to read.
    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Cell::Empty => true,
            Cell::Text(text) => text.trim().is_empty(),
            _ => false,
        }
    }
}

/// A row with its number, from 1, as spreadsheet programs show it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) number: u64,
    pub(crate) cells: Vec<Cell>,
    /// The first filled cell of a workbook after the columns that were asked for.
    pub(crate) beyond: Option<u32>,
}

/// What was found where a row is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    Row(Row),
    /// Not readable; the message says why.
    Broken {
        number: u64,
        message: String,
    },
}

impl Line {
    /// Returns the number of the row.
    pub(crate) fn number(&self) -> u64 {
        match self {
            Line::Row(row) => row.number,
            Line::Broken { number, .. } => *number,
        }
    }
}

/// The position of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CellReference {
    /// From 1.
    pub(crate) row: u64,
    /// From 0.
    pub(crate) column: u32,
}

impl fmt::Display for CellReference {
    /// Writes the name of the cell: `C7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_letters(self.column), self.row)
    }
}

/// Returns the name of a column: `A` for 0, `AA` for 26.
pub(crate) fn column_letters(column: u32) -> String {
    let (mut letters, mut rest) = (Vec::new(), u64::from(column) + 1);
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

/// A fault of a cell, or advice about it, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CellFault {
    pub(crate) position: CellReference,
    pub(crate) rule: CellRule,
    pub(crate) message: String,
}

/// What is wrong with a cell: stable ids, by which programs say it in other languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CellRule {
    /// Anything else.
    Row,
    /// The key, or a qualifier of it, is missing or not valid.
    Key,
    /// The link type is missing.
    LinkType,
    /// Neither yes nor no.
    YesOrNo,
    /// Not readable as text.
    Cell,
    /// All links of a key have a validity.
    MainPage,
    /// Not a date.
    Time,
    /// No address in a column that is used.
    NoAddress,
}

impl CellRule {
    fn id(self) -> &'static str {
        match self {
            CellRule::Row => RULE,
            CellRule::Key => "spreadsheet-key",
            CellRule::LinkType => "spreadsheet-link-type",
            CellRule::YesOrNo => "spreadsheet-yes-no",
            CellRule::Cell => "spreadsheet-cell",
            CellRule::MainPage => "spreadsheet-main-page",
            CellRule::Time => "spreadsheet-time",
            CellRule::NoAddress => "spreadsheet-no-address",
        }
    }
}

impl CellFault {
    pub(crate) fn new(
        rule: CellRule,
        position: CellReference,
        message: impl Into<String>,
    ) -> CellFault {
        CellFault { position, rule, message: message.into() }
    }

    /// Returns the fault for a report. Its position is a cell, not a JSON pointer.
    pub(crate) fn in_sheet(&self, sheet: Option<&str>) -> RecordFault {
        RecordFault::new(
            in_sheet(sheet, format_args!("cell {}", self.position)),
            self.rule.id(),
            self.message.clone(),
        )
    }
}

/// Returns a position with the name of its sheet, if it has one.
pub(crate) fn in_sheet(sheet: Option<&str>, position: fmt::Arguments<'_>) -> String {
    match sheet {
        Some(name) => format!("sheet {name:?}, {position}"),
        None => position.to_string(),
    }
}

/// Returns text for a message, in quotes and cut at [`MAX_SHOWN_CELL`] bytes.
pub(crate) fn shown(text: &str) -> String {
    format!("{:?}", excerpt(text, MAX_SHOWN_CELL))
}

/// The id of two rows that have the same key and differ, which can be confirmed.
pub(crate) const CONFLICT: &str = "spreadsheet-conflict";

/// What faults of spreadsheets have instead of the id of a requirement.
pub(crate) const RULE: &str = "spreadsheet";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_letters() {
        for (column, letters) in
            [(0, "A"), (25, "Z"), (26, "AA"), (701, "ZZ"), (702, "AAA"), (16_383, "XFD")]
        {
            assert_eq!(column_letters(column), letters);
        }
        assert_eq!(CellReference { row: 7, column: 2 }.to_string(), "C7");
    }
}
