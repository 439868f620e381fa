//! Writes records one by one in the layout of an export.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use fingerpost_resolver::{Entry, LeftOut, ResolverRoot, write_linkset_context, write_record};
use jiff::Timestamp;

use crate::sheet::write::{self, CsvWriter, XlsxWriter};
use crate::{ExportError, TitleLanguage};

/// The layout of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One record on each line.
    JsonLines,
    /// One JSON array.
    Json,
    /// One link on each line of a CSV file, below titles in this language.
    Csv(TitleLanguage),
    /// The same as a workbook.
    Xlsx(TitleLanguage),
    /// One GS1 linkset, with what the resolver at this address publishes at an instant.
    Linkset(ResolverRoot, Timestamp),
}

/// The numbers at the end of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Records written.
    pub records: u64,
    /// Data that the layout cannot represent.
    pub left_out: LeftOut,
}

/// An export in progress, for a caller that chooses the records.
pub struct Exporter<W: Write> {
    layout: Layout<W>,
    exported: Exported,
}

/// The layout of an export, with the output.
enum Layout<W: Write> {
    Text(W, &'static Frame),
    Linkset(W, ResolverRoot, Timestamp),
    Csv(CsvWriter<W>),
    Xlsx(Box<XlsxWriter>, W),
}

/// What stands around and between the records of a layout.
struct Frame {
    begin: &'static str,
    between: &'static str,
    end: &'static str,
    /// The whole output if there are no records.
    empty: &'static str,
}

const LINES: Frame = Frame { begin: "", between: "\n", end: "\n", empty: "" };
const ARRAY: Frame = Frame { begin: "[\n", between: ",\n", end: "\n]\n", empty: "[]\n" };
const LINKSET: Frame =
    Frame { begin: "{\"linkset\":[\n", between: ",\n", end: "\n]}\n", empty: "{\"linkset\":[]}\n" };

impl Frame {
    /// Writes a record after so many others.
    fn write(&self, out: &mut impl Write, before: u64, text: &str) -> std::io::Result<()> {
        out.write_all(if before == 0 { self.begin } else { self.between }.as_bytes())?;
        out.write_all(text.as_bytes())
    }

    fn finish(&self, out: &mut impl Write, records: u64) -> std::io::Result<()> {
        out.write_all(if records == 0 { self.empty } else { self.end }.as_bytes())
    }
}

impl<W: Write> Exporter<W> {
    /// Begins an export. A workbook has temporary files in `scratch`, as large as what is written.
    pub fn new(format: ExportFormat, scratch: PathBuf, out: W) -> Result<Exporter<W>, ExportError> {
        let layout = match format {
            ExportFormat::JsonLines => Layout::Text(out, &LINES),
            ExportFormat::Json => Layout::Text(out, &ARRAY),
            ExportFormat::Linkset(root, now) => Layout::Linkset(out, root, now),
            ExportFormat::Csv(language) => {
                let mut rows = CsvWriter::new(out)?;
                write::titles(&mut rows, language)?;
                Layout::Csv(rows)
            }
            ExportFormat::Xlsx(language) => {
                let mut book = XlsxWriter::new(scratch)?;
                write::titles(&mut book, language)?;
                Layout::Xlsx(Box::new(book), out)
            }
        };
        Ok(Exporter { layout, exported: Exported::default() })
    }

    /// Writes a record.
    pub fn write(&mut self, entry: Entry) -> Result<(), ExportError> {
        let Exported { records, left_out } = &mut self.exported;
        match &mut self.layout {
            Layout::Text(out, frame) => frame.write(out, *records, &write_record(&entry))?,
            Layout::Linkset(out, root, now) => {
                let (context, lost) = write_linkset_context(&Arc::new(entry), root, *now);
                *left_out += lost;
                let Some(context) = context else { return Ok(()) };
                LINKSET.write(out, *records, &context)?;
            }
            Layout::Csv(rows) => write::entry(rows, &entry)?,
            Layout::Xlsx(book, _) => write::entry(&mut **book, &entry)?,
        }
        *records += 1;
        Ok(())
    }

    /// Ends the export, and flushes the output.
    pub fn finish(self) -> Result<Exported, ExportError> {
        let records = self.exported.records;
        let mut out = match self.layout {
            Layout::Text(mut out, frame) => frame.finish(&mut out, records).map(|()| out)?,
            Layout::Linkset(mut out, ..) => LINKSET.finish(&mut out, records).map(|()| out)?,
            Layout::Csv(rows) => rows.into_inner(),
            Layout::Xlsx(book, mut out) => book.finish(&mut out).map(|()| out)?,
        };
        out.flush()?;
        Ok(self.exported)
    }
}
