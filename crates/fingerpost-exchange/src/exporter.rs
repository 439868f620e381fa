//! Writes records one by one in the layout of an export, for a caller that chooses them.

use std::fmt;
use std::io::Write;

use fingerpost_resolver::{Entry, write_record};

use crate::sheet::write::{self, CsvWriter, XlsxWriter};
use crate::{ExportError, ExportFormat};

/// An export in progress.
pub struct Exporter<W: Write> {
    layout: Layout<W>,
    count: u64,
}

/// The layout of an export, with what was written so far.
enum Layout<W: Write> {
    /// JSON, with what stands before the first record, between two of them, and at the end.
    Json {
        out: W,
        begin: &'static str,
        between: &'static str,
        end: &'static str,
    },
    Csv(CsvWriter<W>),
    Xlsx(Box<XlsxWriter>, W),
}

impl<W: Write> Exporter<W> {
    /// Begins an export.
    ///
    /// # Errors
    ///
    /// [`ExportError`]: the output or a temporary file cannot be written.
    pub fn new(format: ExportFormat, out: W) -> Result<Exporter<W>, ExportError> {
        let layout = match format {
            ExportFormat::JsonLines => Layout::Json { out, begin: "", between: "", end: "" },
            ExportFormat::Json => Layout::Json { out, begin: "[\n", between: ",\n", end: "]\n" },
            ExportFormat::Csv(language) => {
                let mut rows = CsvWriter::new(out)?;
                write::titles(&mut rows, language)?;
                Layout::Csv(rows)
            }
            ExportFormat::Xlsx(language) => {
                let mut book = XlsxWriter::new()?;
                write::titles(&mut book, language)?;
                Layout::Xlsx(Box::new(book), out)
            }
        };
        Ok(Exporter { layout, count: 0 })
    }

    /// Writes a record.
    ///
    /// # Errors
    ///
    /// [`ExportError`]: the output cannot be written, or has no room for the record.
    pub fn write(&mut self, entry: &Entry) -> Result<(), ExportError> {
        match &mut self.layout {
            Layout::Json { out, begin, between, .. } => {
                let before: &str = if self.count == 0 { begin } else { between };
                out.write_all(before.as_bytes())?;
                out.write_all(write_record(entry).as_bytes())?;
                if between.is_empty() {
                    out.write_all(b"\n")?;
                }
            }
            Layout::Csv(rows) => write::entry(rows, entry)?,
            Layout::Xlsx(book, _) => write::entry(&mut **book, entry)?,
        }
        self.count += 1;
        Ok(())
    }

    /// Ends the export, and flushes the output; returns the number of records.
    ///
    /// # Errors
    ///
    /// [`ExportError`]: the output cannot be written.
    pub fn finish(self) -> Result<u64, ExportError> {
        let mut out = match self.layout {
            Layout::Json { mut out, begin, end, .. } => {
                if self.count == 0 {
                    out.write_all(begin.trim_end().as_bytes())?;
                } else if !end.is_empty() {
                    out.write_all(b"\n")?;
                }
                out.write_all(end.as_bytes())?;
                out
            }
            Layout::Csv(rows) => rows.into_inner(),
            Layout::Xlsx(book, mut out) => {
                book.finish(&mut out)?;
                out
            }
        };
        out.flush()?;
        Ok(self.count)
    }
}

impl<W: Write> fmt::Debug for Exporter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exporter").field("count", &self.count).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use fingerpost_store::{Batch, Store};

    use super::*;
    use crate::{TitleLanguage, export};

    /// Record by record or all at once: the same file.
    #[test]
    fn an_exporter_writes_what_an_export_writes() {
        let store = Store::in_memory();
        let language = TitleLanguage::default();
        for records in 0..3 {
            if records > 0 {
                let json = format!(
                    r#"{{"anchor": "/01/09506000134352{}", "links": [
                    {{"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "=Tea"}},
                    {{"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea, \"green\""}}]}}"#,
                    if records == 1 { "" } else { "/10/A" }
                );
                let vocabulary = fingerpost_resolver::Vocabulary::builtin();
                let rules = fingerpost_resolver::Rules::new(&vocabulary);
                let read = fingerpost_resolver::read_record(json.as_bytes(), &rules).unwrap();
                let mut batch = Batch::unchecked();
                batch.put(read.entry);
                store.write(&batch).unwrap();
            }
            for format in [ExportFormat::JsonLines, ExportFormat::Json, ExportFormat::Csv(language)]
            {
                let (mut one, mut other) = (Vec::new(), Vec::new());
                assert_eq!(export(&store, format, &mut one).unwrap(), records);
                let mut exporter = Exporter::new(format, &mut other).unwrap();
                let written = store.for_each("", |entry, _| exporter.write(&entry));
                written.unwrap();
                assert_eq!(exporter.finish().unwrap(), records);
                assert_eq!(String::from_utf8(one), String::from_utf8(other), "{format:?}");
            }
        }
    }
}
