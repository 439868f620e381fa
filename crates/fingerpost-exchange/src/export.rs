//! Writes every record of one snapshot of a store, in the order of their anchors.

use std::io::Write;

use fingerpost_resolver::write_record;
use fingerpost_store::Store;

use crate::sheet::write::{self, CsvWriter, RowWriter, XlsxWriter};
use crate::{ExportError, TitleLanguage};

/// The layout of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One record on each line.
    JsonLines,
    /// One JSON array.
    Json,
    /// One link on each line of a CSV file, below titles in this language.
    Csv(TitleLanguage),
    /// The same as a workbook.
    Xlsx(TitleLanguage),
}

/// Writes all records to `out`; returns their number.
///
/// # Errors
///
/// [`ExportError`]: the store cannot be read, or the output not written.
pub fn export(
    store: &Store,
    format: ExportFormat,
    out: &mut impl Write,
) -> Result<u64, ExportError> {
    let (begin, between, end) = match format {
        ExportFormat::JsonLines => ("", "\n", "\n"),
        ExportFormat::Json => ("[\n", ",\n", "\n]\n"),
        ExportFormat::Csv(language) => return rows(store, &mut CsvWriter::new(out)?, language),
        ExportFormat::Xlsx(language) => {
            let mut book = XlsxWriter::new()?;
            let count = rows(store, &mut book, language)?;
            return book.finish(out).map(|()| count);
        }
    };
    let mut count = 0;
    store.for_each("", |entry, _| -> Result<(), ExportError> {
        out.write_all(if count == 0 { begin } else { between }.as_bytes())?;
        out.write_all(write_record(&entry).as_bytes())?;
        count += 1;
        Ok(())
    })?;
    out.write_all(match (count, format) {
        (0, ExportFormat::Json) => b"[]\n",
        (0, _) => b"",
        _ => end.as_bytes(),
    })?;
    Ok(count)
}

/// Writes all records as rows; returns the number of records.
fn rows(
    store: &Store,
    out: &mut impl RowWriter,
    language: TitleLanguage,
) -> Result<u64, ExportError> {
    write::titles(out, language)?;
    let mut count = 0;
    store.for_each("", |entry, _| -> Result<(), ExportError> {
        count += 1;
        write::entry(out, &entry)
    })?;
    Ok(count)
}
