//! Writes records as a sheet with one row for each page, which reads as the same records.
//!
//! The description and the answer of a level are in the row of its first link. Several languages
//! are separated by commas; so are several contexts, unless one has a comma, a semicolon or blanks
//! at its ends: then each is followed by a line break.

use std::borrow::Cow;
use std::io::{self, Seek, Write};
use std::path::PathBuf;

use fingerpost_resolver::{
    ContextSource, DefaultAnswer, DefaultRole, Entry, GS1_NAMESPACE, GS1_PREFIX, Link,
};
use rust_xlsxwriter::{Workbook, XlsxError};

use super::default_cell::{DEFAULT_CELL, VARIANT_CELL};
use super::guard;
use super::titles::{self, Column, LinkField, TitleLanguage};
use crate::ExportError;
use crate::limits::{MAX_XLSX_ROWS, MAX_XLSX_TEXT};

/// A writer of rows.
pub trait RowWriter {
    /// Writes a row.
    ///
    /// # Errors
    ///
    /// If the output cannot be written, or the format has no room for a row.
    fn row(&mut self, cells: &[Cow<'_, str>]) -> Result<(), ExportError>;
}

/// Writes the titles of the columns.
pub(crate) fn titles(out: &mut impl RowWriter, language: TitleLanguage) -> Result<(), ExportError> {
    out.row(&COLUMNS.map(|column| Cow::Borrowed(titles::column_title(column, language))))
}

/// Writes the rows of an entry.
pub(crate) fn entry(out: &mut impl RowWriter, entry: &Entry) -> Result<(), ExportError> {
    let anchor = ["/", entry.anchor().as_str()].concat();
    let description = entry.item_description().unwrap_or_default();
    let descriptions: Vec<_> =
        entry.item_descriptions().map(|(tag, text)| format!("{tag}: {text}")).collect();
    let descriptions = descriptions.join("\n");
    let answer = entry.default_answer().map_or("", DefaultAnswer::as_str);
    let source = entry.context_source().map_or("", ContextSource::as_str);
    for (index, (link, role)) in entry.lines().enumerate() {
        let of_level = [description, &*descriptions, answer, source];
        let [description, descriptions, answer, source] =
            if index == 0 { of_level } else { [""; 4] };
        let instant = |instant: Option<jiff::Timestamp>| {
            instant.map_or(String::new(), |instant| instant.to_string())
        };
        out.row(&[
            Cow::Borrowed(&anchor),
            link_type(&link),
            link.href().into(),
            link.title().into(),
            link.languages().collect::<Vec<_>>().join(", ").into(),
            link.media_type().unwrap_or_default().into(),
            contexts(&link.contexts().collect::<Vec<_>>()).into(),
            link.access().collect::<Vec<_>>().join(", ").into(),
            instant(link.valid_from()).into(),
            instant(link.valid_until()).into(),
            role.map_or("", default_cell).into(),
            description.into(),
            descriptions.into(),
            answer.into(),
            source.into(),
        ])?;
    }
    Ok(())
}

/// Returns the link type as records have it.
fn link_type<'e>(link: &Link<'e>) -> Cow<'e, str> {
    match (link.term(), link.link_type().strip_prefix(GS1_NAMESPACE)) {
        (Some(term), _) => Cow::Owned([GS1_PREFIX, term.name()].concat()),
        (None, Some(name)) => Cow::Owned([GS1_PREFIX, name].concat()),
        (None, None) => Cow::Borrowed(link.link_type()),
    }
}

/// Returns the cell of a link that is a default link, or a variant of it, at the same time.
fn default_cell(role: DefaultRole) -> &'static str {
    match role {
        DefaultRole::Default => DEFAULT_CELL,
        DefaultRole::Variant => VARIANT_CELL,
    }
}

/// Joins contexts so that reading gives them back.
fn contexts(contexts: &[&str]) -> String {
    let is_plain = |context: &&str| !context.contains([',', ';']) && context.trim() == *context;
    if contexts.iter().all(is_plain) {
        return contexts.join(", ");
    }
    contexts.iter().flat_map(|context| [context, "\n"]).collect()
}

/// A writer of CSV (RFC 4180) in UTF-8, with a byte order mark for the programs that need it.
pub struct CsvWriter<W> {
    out: W,
    line: String,
}

impl<W: Write> CsvWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// If the output cannot be written.
    pub fn new(mut out: W) -> io::Result<Self> {
        out.write_all("\u{feff}".as_bytes())?;
        Ok(CsvWriter { out, line: String::new() })
    }

    /// Returns the output.
    pub(crate) fn into_inner(self) -> W {
        self.out
    }
}

impl<W: Write> RowWriter for CsvWriter<W> {
    fn row(&mut self, cells: &[Cow<'_, str>]) -> Result<(), ExportError> {
        self.line.clear();
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                self.line.push(',');
            }
            let apostrophe = if guard::needs_guard(cell) { "'" } else { "" };
            // Programs may drop blanks at the ends of cells without quotation marks.
            let is_quoted = cell.contains(['"', ',', '\n', '\r']) || cell.trim() != *cell;
            if is_quoted {
                self.line.extend(["\"", apostrophe, &cell.replace('"', "\"\""), "\""]);
            } else {
                self.line.extend([apostrophe, cell]);
            }
        }
        self.line.push_str("\r\n");
        Ok(self.out.write_all(self.line.as_bytes())?)
    }
}

/// A writer of XLSX, which holds its rows in temporary files.
pub(crate) struct XlsxWriter {
    book: Workbook,
    rows: u32,
    scratch: PathBuf,
}

impl XlsxWriter {
    /// Begins a workbook with one sheet, with temporary files in `scratch`.
    pub(crate) fn new(scratch: PathBuf) -> Result<Self, ExportError> {
        let mut book = Workbook::new();
        book.set_tempdir(&scratch).map_err(failed)?;
        let sheet = book.add_worksheet_with_constant_memory().map_err(failed)?;
        sheet.set_name(SHEET).and_then(|sheet| sheet.set_freeze_panes(1, 0)).map_err(failed)?;
        for (column, width) in (0..).zip(WIDTHS) {
            sheet.set_column_width(column, width).map_err(failed)?;
        }
        Ok(XlsxWriter { book, rows: 0, scratch })
    }

    /// Writes the workbook.
    pub(crate) fn finish(mut self, out: &mut impl Write) -> Result<(), ExportError> {
        // `out` need not be sent to another thread, as the writer of workbooks wants it.
        let mut file = tempfile::tempfile_in(&self.scratch)?;
        self.book.save_to_writer(&file).map_err(failed)?;
        file.rewind()?;
        io::copy(&mut file, out)?;
        Ok(())
    }
}

impl RowWriter for XlsxWriter {
    fn row(&mut self, cells: &[Cow<'_, str>]) -> Result<(), ExportError> {
        if self.rows == MAX_XLSX_ROWS {
            return Err(ExportError::TooManyRows { max: MAX_XLSX_ROWS });
        }
        let sheet = self.book.worksheet_from_index(0).map_err(failed)?;
        for (column, cell) in (0..).zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            if cell.encode_utf16().count() > MAX_XLSX_TEXT {
                return Err(ExportError::TooLong {
                    anchor: cells[0].to_string(),
                    max: MAX_XLSX_TEXT,
                });
            }
            // A string stays one, whatever it begins with.
            sheet.write_string(self.rows, column, cell.as_ref()).map_err(failed)?;
        }
        self.rows += 1;
        Ok(())
    }
}

fn failed(error: XlsxError) -> ExportError {
    match error {
        XlsxError::IoError(error) => ExportError::Output(error),
        other => ExportError::Output(io::Error::other(other)),
    }
}

/// The name of the sheet of an export.
const SHEET: &str = "Links";

/// Widths of the columns, in characters.
const WIDTHS: [f64; COLUMNS.len()] =
    [26.0, 22.0, 50.0, 30.0, 12.0, 14.0, 14.0, 14.0, 22.0, 22.0, 12.0, 30.0, 30.0, 24.0, 24.0];

/// The columns of a sheet with one row for each link.
pub(crate) const COLUMNS: [Column; 15] = [
    Column::Anchor,
    Column::Link(LinkField::LinkType),
    Column::Link(LinkField::Href),
    Column::Link(LinkField::Title),
    Column::Link(LinkField::Hreflang),
    Column::Link(LinkField::MediaType),
    Column::Link(LinkField::Context),
    Column::Link(LinkField::Access),
    Column::Link(LinkField::ValidFrom),
    Column::Link(LinkField::ValidUntil),
    Column::Link(LinkField::IsDefault),
    Column::Description,
    Column::Descriptions,
    Column::Answer,
    Column::ContextSource,
];

#[cfg(test)]
mod tests;
