//! Spreadsheets: CSV and XLSX, in and out.
//!
//! A sheet becomes records in four steps, each with bounded memory:
//!
//! ```text
//! csv / xlsx   bytes → rows of cells; hostile files end here                      (limits, archive)
//! columns      titles, first rows → what each column means, and the layout        (titles: data/columns.json; guess)
//! statement    row → the level it is about, and what it says about it             (key: numbers that a program changed)
//! join, record rows of one level → a record (conflict: rows about different products), as the reader of records takes it    (faults lead back to cells)
//! ```
//!
//! [`ImportSource::recognise`](crate::ImportSource::recognise) does the first two at once, so that
//! a file that cannot be understood is refused before anything is imported.

use std::fmt;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;

use serde::Serialize;

mod archive;
mod cell;
mod columns;
mod conflict;
mod csv;
mod default_cell;
mod guard;
mod guess;
mod join;
mod key;
mod reader;
mod record;
mod role;
mod statement;
mod template;
pub(crate) mod titles;
mod utf16;
pub(crate) mod write;
mod xlsx;

pub use csv::Encoding;
pub use template::template;
pub use titles::TitleLanguage;
pub use utf16::Utf16Reader;

#[cfg(test)]
use reader::CheckedRows;
pub(crate) use reader::{RefusedRows, read};

use crate::limits::{MAX_COLUMNS, MAX_ROWS_BEFORE_TITLES, PEEK_BYTES, SAMPLED_CELLS, SAMPLED_ROWS};
pub(crate) use cell::{Cell, Line, Row};
use columns::Columns;
pub(crate) use csv::CsvRows;
use xlsx::{Flow, XlsxRows};

/// Options for reading spreadsheets.
#[derive(Clone, Debug, Default)]
pub struct SheetOptions {
    /// The sheet of a workbook; the first one if there is none.
    pub sheet: Option<String>,
    /// Columns mapped by hand, all of which must be in the sheet.
    pub columns: Vec<ColumnMapping>,
    /// Columns that were mapped for other sheets, which this one need not have.
    pub remembered: Vec<ColumnMapping>,
    /// Whether rows of one key that seem to be about different products make one record; else they
    /// are refused.
    pub merge_rows: bool,
    /// The directory of temporary files; that of the operating system if there is none.
    pub scratch: Option<PathBuf>,
}

impl SheetOptions {
    fn scratch(&self) -> PathBuf {
        self.scratch.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// The meaning of a column, given by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnMapping {
    /// The title of the column in the sheet.
    pub title: String,
    /// A name such as `gtin` or `href`, a link type with or without a language such as `gs1:pip
    /// (fr)`, or `ignore`.
    pub column: String,
}

impl ColumnMapping {
    /// Creates a mapping.
    pub fn new(title: impl Into<String>, column: impl Into<String>) -> ColumnMapping {
        ColumnMapping { title: title.into(), column: column.into() }
    }

    /// Returns the names that a column can be mapped to, besides link types and `ignore`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        titles::column_names()
    }
}

/// A column of a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SheetColumn {
    /// The name of the column as spreadsheet programs show it: `A`, `AA`.
    #[serde(skip)]
    pub letters: String,
    /// Its title.
    pub title: String,
    /// What it means, as in [`ColumnMapping::column`].
    pub column: String,
    /// Whether its meaning is guessed from its cells and the words of its title.
    pub is_guessed: bool,
    /// Its first filled cell, if one is among the first rows.
    pub sample: Option<String>,
    /// Whether it is ignored although it holds web addresses.
    pub has_unused_addresses: bool,
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpreadsheetFormat {
    /// One link.
    Links,
    /// One product or other level, with a column for each link type.
    Products,
}

/// The reason a spreadsheet cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    /// The file cannot be read, or no temporary file written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There are no rows.
    #[error("the sheet is empty")]
    Empty,
    /// No row has the titles of a key and a target.
    #[error(
        "expected JSON, or a table with titles in one of its first {MAX_ROWS_BEFORE_TITLES} rows: a key (GTIN, GLN, Anchor, …) and targets (Web address, or link types such as Product page); found {found}"
    )]
    NoColumns {
        /// The titles found.
        found: String,
        /// The columns with these titles.
        columns: Vec<SheetColumn>,
    },
    /// Two columns mean the same.
    #[error(
        "columns {first} and {second} mean the same: leave one out with --column {title:?}=ignore"
    )]
    SameColumn {
        /// The first column.
        first: String,
        /// The second column.
        second: String,
        /// Its title.
        title: String,
        /// All columns.
        columns: Vec<SheetColumn>,
    },
    /// The workbook is damaged, or made to cost much.
    #[error("{reason}")]
    Workbook {
        /// What is wrong with it.
        reason: String,
    },
    /// The workbook has no sheet of this name.
    #[error("the workbook has no sheet {name:?}: found {sheets}")]
    NoSheet {
        /// The name given.
        name: String,
        /// The names of its sheets.
        sheets: String,
    },
    /// A column is mapped to something that does not exist.
    #[error(
        "no column is called {column:?}: expected a name such as gtin, href or title, a link type such as gs1:pip or \"Product page (fr)\", or ignore"
    )]
    UnknownColumn {
        /// The name given.
        column: String,
    },
    /// A mapped column is not in the sheet.
    #[error("the sheet has no column {title:?}: found {found}")]
    NoSuchColumn {
        /// The title of the mapping.
        title: String,
        /// The titles found.
        found: String,
        /// The columns with these titles.
        columns: Vec<SheetColumn>,
    },
}

impl SheetError {
    /// Returns the columns that were found, if the sheet could be read so far.
    pub fn columns(&self) -> &[SheetColumn] {
        match self {
            SheetError::NoColumns { columns, .. }
            | SheetError::SameColumn { columns, .. }
            | SheetError::NoSuchColumn { columns, .. } => columns,
            _ => &[],
        }
    }
}

/// A spreadsheet whose columns are known.
pub struct Worksheet<'s> {
    rows: SheetRows<'s>,
    columns: Columns,
    /// The name of the sheet in its workbook.
    name: Option<String>,
    kind: String,
    /// Whether the beginning shows that it is Windows-1252.
    is_windows_1252: bool,
    /// As in [`SheetOptions::merge_rows`].
    merge_rows: bool,
}

/// The rows of a sheet.
enum SheetRows<'s> {
    Csv(Box<CsvRows<'s>>),
    Xlsx(Box<XlsxRows>),
}

impl Worksheet<'_> {
    /// Returns what a row is.
    pub fn layout(&self) -> SpreadsheetFormat {
        self.columns.layout
    }

    /// Returns the name of the sheet in its workbook; `None` for CSV.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the columns that have a title.
    pub fn columns(&self) -> Vec<SheetColumn> {
        self.columns.all()
    }

    /// Returns what every column means, as a mapping that can be used for other sheets.
    pub fn mapping(&self) -> Vec<ColumnMapping> {
        self.columns.mapping()
    }
}

impl fmt::Display for Worksheet<'_> {
    /// Writes how the sheet was understood, as one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = match self.columns.layout {
            SpreadsheetFormat::Links => "link",
            SpreadsheetFormat::Products => "product",
        };
        f.write_str(&self.kind)?;
        if let Some(name) = &self.name {
            write!(f, ", sheet {name:?}")?;
        }
        write!(f, ", one row for each {row}")?;
        let ignored: Vec<String> = self
            .columns
            .ignored()
            .map(|(letters, title)| format!("{letters} {}", cell::shown(title)))
            .collect();
        if !ignored.is_empty() {
            write!(f, "; ignored columns: {}", ignored.join(", "))?;
        }
        Ok(())
    }
}

/// A file that was looked at.
pub(crate) enum Recognised<'s> {
    /// Records, or anything else that is not a spreadsheet.
    Records(Box<dyn Read + Send + 's>),
    Sheet(Box<Worksheet<'s>>),
}

/// Finds out by its beginning whether a file is a spreadsheet.
pub(crate) fn recognise<'s>(
    mut input: Box<dyn Read + Send + 's>,
    options: &SheetOptions,
) -> Result<Recognised<'s>, SheetError> {
    let mut head = Vec::new();
    input.by_ref().take(PEEK_BYTES as u64).read_to_end(&mut head)?;
    if let Some(reason) = other_program(&head) {
        return Err(SheetError::Workbook { reason: reason.to_owned() });
    }
    if head.starts_with(ZIP) {
        return workbook(&mut Cursor::new(head).chain(input), options);
    }
    if is_json(&head) {
        return Ok(Recognised::Records(Box::new(Cursor::new(head).chain(input))));
    }
    let (separator, columns) = match table(&head, options) {
        Ok(found) => found,
        Err(error) if options.columns.is_empty() && !looks_like_table(&head) => {
            drop(error); // the reader of records says what is wrong
            return Ok(Recognised::Records(Box::new(Cursor::new(head).chain(input))));
        }
        Err(error) => return Err(error),
    };
    let encoding = encoding(&head, separator)?;
    let is_windows_1252 = encoding == Encoding::Windows1252;
    let separated = match separator {
        b'\t' => "tabs".to_owned(),
        other => format!("{:?}", char::from(other).to_string()),
    };
    let kind = format!("CSV separated by {separated}, {encoding}");
    let rows = CsvRows::new(Box::new(Cursor::new(head).chain(input)), separator)?;
    Ok(Recognised::Sheet(Box::new(Worksheet {
        rows: SheetRows::Csv(Box::new(rows)),
        columns,
        name: None,
        kind,
        is_windows_1252,
        merge_rows: options.merge_rows,
    })))
}

/// Opens a sheet of a workbook.
fn workbook<'s>(
    input: &mut dyn Read,
    options: &SheetOptions,
) -> Result<Recognised<'s>, SheetError> {
    let mut rows = XlsxRows::open(input, options.sheet.as_deref(), &options.scratch())?;
    let (mut first, mut cells) = (Vec::new(), 0);
    rows.each(MAX_COLUMNS, &mut |line| {
        if let Line::Row(row) = line {
            cells += row.cells.len();
            first.push(row);
        }
        let is_enough = first.len() >= SAMPLED_ROWS
            || (first.len() > MAX_ROWS_BEFORE_TITLES && cells > SAMPLED_CELLS);
        Ok(if is_enough { Flow::Stop } else { Flow::GoOn })
    })?;
    let columns = Columns::find(&first, options)?;
    let (name, kind) = (Some(rows.sheet().to_owned()), "XLSX".to_owned());
    Ok(Recognised::Sheet(Box::new(Worksheet {
        rows: SheetRows::Xlsx(Box::new(rows)),
        columns,
        name,
        kind,
        is_windows_1252: false,
        merge_rows: options.merge_rows,
    })))
}

/// Returns what a file is that no reader here understands, and what to do.
fn other_program(head: &[u8]) -> Option<&'static str> {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let begins =
        |start: &[u8]| text.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start));
    // A compound file (MS-CFB): its directory has names in UTF-16.
    if head.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        return Some(match head.windows(name.len()).any(|part| part == name) {
            true => {
                "the workbook is protected by a password: remove the password, or save the sheet as CSV"
            }
            false => {
                "the file is a workbook of Excel 97 to 2003 (.xls), or protected by a password: save it as .xlsx without a password, or as CSV"
            }
        });
    }
    if head.starts_with(ZIP) && head.windows(ODS.len()).any(|part| part == ODS) {
        return Some("the file is an OpenDocument spreadsheet (.ods): save it as .xlsx or CSV");
    }
    if begins(b"<html") || begins(b"<!doctype html") || begins(b"<table") || begins(b"<meta") {
        return Some(
            "the file is a web page (HTML), whatever its name: open it in a spreadsheet program and save it as .xlsx or CSV",
        );
    }
    if begins(b"<?xml") {
        return Some(
            "the file is XML: open it in a spreadsheet program and save it as .xlsx or CSV",
        );
    }
    None
}

/// The media type in the first part of an OpenDocument spreadsheet.
const ODS: &[u8] = b"application/vnd.oasis.opendocument.spreadsheet";

/// Returns whether a file begins like JSON, or has nothing to read.
fn is_json(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    matches!(text, [] | [b'{' | b'[', ..])
}

/// Returns whether the first line has more than one cell, and no line is a record.
fn looks_like_table(head: &[u8]) -> bool {
    let mut lines = head.split(|byte| *byte == b'\n');
    let is_wide = |line: &[u8]| SEPARATORS.iter().any(|separator| line.contains(separator));
    let is_record = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
    let is_utf16 = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    is_utf16 || (lines.next().is_some_and(is_wide) && !lines.any(is_record))
}

/// Finds the separator with which most columns are known.
fn table(head: &[u8], options: &SheetOptions) -> Result<(u8, Columns), SheetError> {
    let mut best: Option<(u8, Columns)> = None;
    let mut refused = None;
    for separator in SEPARATORS {
        let mut rows = first_rows(CsvRows::new(Box::new(Cursor::new(head)), separator)?)?;
        // The last row may be cut.
        if head.len() == PEEK_BYTES && (2..SAMPLED_ROWS).contains(&rows.len()) {
            rows.pop();
        }
        let width = rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        match Columns::find(&rows, options) {
            Ok(columns) if best.as_ref().is_none_or(|(_, best)| columns.known() > best.known()) => {
                best = Some((separator, columns));
            }
            Ok(_) => {}
            // The fault of the separator that gives the most columns is the one that helps.
            Err(error) if refused.as_ref().is_none_or(|(other, _)| width > *other) => {
                refused = Some((width, error));
            }
            Err(_) => {}
        }
    }
    best.ok_or_else(|| refused.map_or(SheetError::Empty, |(_, error)| error))
}

/// Returns the rows among which titles are searched, and by which columns are guessed.
fn first_rows(mut rows: CsvRows<'_>) -> Result<Vec<Row>, SheetError> {
    let mut found = Vec::new();
    while found.len() < SAMPLED_ROWS
        && let Some(line) = rows.next()?
    {
        if let Line::Row(row) = line {
            found.push(row);
        }
    }
    Ok(found)
}

/// Returns the encoding, as far as the beginning of a file shows it.
fn encoding(head: &[u8], separator: u8) -> io::Result<Encoding> {
    // The last line may end inside a character.
    let end = head.iter().rposition(|byte| *byte == b'\n').filter(|_| head.len() == PEEK_BYTES);
    let mut rows =
        CsvRows::new(Box::new(Cursor::new(&head[..end.unwrap_or(head.len())])), separator)?;
    while rows.encoding().is_none() && rows.next()?.is_some() {}
    Ok(rows.encoding().unwrap_or(Encoding::Utf8))
}

/// How a ZIP archive begins.
const ZIP: &[u8] = b"PK\x03\x04";

/// Separators of cells, the most usual first.
const SEPARATORS: [u8; 4] = *b",;\t|";

#[cfg(test)]
mod tests {
    use super::*;

    /// IN-28: what files of other programs are, and what to do with them.
    #[test]
    fn files_of_other_programs_are_named() {
        let named = |head: &[u8]| match recognise(
            Box::new(Cursor::new(head.to_vec())),
            &SheetOptions::default(),
        ) {
            Err(error) => error.to_string(),
            Ok(_) => String::new(),
        };
        let compound = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
        let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let ods = [ZIP, b"\x14\0mimetype".as_slice(), ODS].concat();
        for (head, words) in [
            (compound.clone(), ".xls"),
            ([compound, vec![0; 512], name].concat(), "protected by a password"),
            (ods, ".ods"),
            (b"\xEF\xBB\xBF \n<!DOCTYPE html><table>".to_vec(), "web page"),
            (b"<html xmlns:x='urn:x'><table>".to_vec(), "web page"),
            (b"<?xml version='1.0'?><Workbook>".to_vec(), "XML"),
        ] {
            assert!(named(&head).contains(words), "{}", named(&head));
            assert!(named(&head).contains("save it as .xlsx") || named(&head).contains("CSV"));
        }
    }
}
