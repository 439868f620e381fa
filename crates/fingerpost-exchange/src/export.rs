//! Writes every record of one snapshot of a store, in the order of their anchors.

use std::io::Write;

use fingerpost_resolver::write_record;
use fingerpost_store::Store;

use crate::ExportError;

/// The layout of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One record on each line.
    JsonLines,
    /// One JSON array.
    Json,
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
    };
    let mut count = 0;
    store.for_each("", |entry, _| -> Result<(), ExportError> {
        out.write_all(if count == 0 { begin } else { between }.as_bytes())?;
        out.write_all(write_record(&entry).as_bytes())?;
        count += 1;
        Ok(())
    })?;
    out.write_all(match (count, format) {
        (0, ExportFormat::JsonLines) => b"",
        (0, ExportFormat::Json) => b"[]\n",
        _ => end.as_bytes(),
    })?;
    Ok(count)
}
