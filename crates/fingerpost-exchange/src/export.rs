//! Writes the records of one snapshot of a store, or those of them that a filter selects, in the order of their anchors.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use fingerpost_registry::{CompanyPrefix, company_prefix_ranges};
use fingerpost_resolver::{
    Anchor, Entry, LeftOut, ResolverRoot, write_linkset_context, write_record,
};
use fingerpost_store::{Revision, Store};
use jiff::Timestamp;

use crate::sheet::write::{self, CsvWriter, RowWriter, XlsxWriter};
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

/// Layout and filters of an export. A record must pass all filters.
pub struct ExportOptions<'o> {
    format: ExportFormat,
    /// Beginnings of canonical texts, disjoint and in order.
    ranges: Vec<String>,
    prefixes: Vec<CompanyPrefix>,
    changed_since: Option<Timestamp>,
    wanted: Option<Box<Wanted<'o>>>,
}

/// A filter by anchor and the revision of the last change.
type Wanted<'o> = dyn FnMut(&Anchor, Revision) -> Result<bool, ExportError> + 'o;

impl<'o> ExportOptions<'o> {
    /// Creates options without filters.
    #[must_use]
    pub fn new(format: ExportFormat) -> ExportOptions<'o> {
        ExportOptions {
            format,
            ranges: vec![String::new()],
            prefixes: Vec::new(),
            changed_since: None,
            wanted: None,
        }
    }

    /// Selects the keys below these company prefixes, of every type, and the records of these and longer prefixes. Only their part of
    /// the store is read. An empty list selects all.
    #[must_use]
    pub fn company_prefixes(mut self, prefixes: Vec<CompanyPrefix>) -> Self {
        if !prefixes.is_empty() {
            self.ranges = company_prefix_ranges(&prefixes);
            self.prefixes = prefixes;
        }
        self
    }

    /// Selects records whose last change was at this instant or later.
    #[must_use]
    pub fn changed_since(mut self, at: Timestamp) -> Self {
        self.changed_since = Some(at);
        self
    }

    /// Selects records by their anchors and the revisions of their last changes. The filter is called in the order of the anchors, for
    /// records that pass the other ones; its first error ends the export.
    #[must_use]
    pub fn wanted(
        mut self,
        wanted: impl FnMut(&Anchor, Revision) -> Result<bool, ExportError> + 'o,
    ) -> Self {
        self.wanted = Some(Box::new(wanted));
        self
    }

    /// Calls `visit` with each selected entry.
    fn for_each(
        &mut self,
        store: &Store,
        mut visit: impl FnMut(Entry) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        // Whatever is written after this snapshot has a later revision than the one found here.
        let since = self.changed_since.map(|at| store.view(|view| view.first_revision_since(at)));
        let since = since.transpose()?.unwrap_or_default();
        let Self { ranges, prefixes, wanted, .. } = self;
        store.for_each_in(ranges, since, |entry, revision| {
            let anchor = entry.anchor();
            if !prefixes.is_empty() && !is_below(anchor, prefixes) {
                return Ok(());
            }
            let is_wanted = match wanted {
                Some(wanted) => wanted(anchor, revision)?,
                None => true,
            };
            if is_wanted { visit(entry) } else { Ok(()) }
        })
    }
}

impl fmt::Debug for ExportOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportOptions")
            .field("format", &self.format)
            .field("prefixes", &self.prefixes)
            .field("changed_since", &self.changed_since)
            .finish_non_exhaustive()
    }
}

/// The numbers at the end of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// Records written.
    pub records: u64,
    /// What the layout has no place for.
    pub left_out: LeftOut,
}

/// Writes the selected records to `out`.
///
/// # Errors
///
/// [`ExportError`]: the store cannot be read, or the output not written.
pub fn export(
    store: &Store,
    mut options: ExportOptions<'_>,
    out: &mut impl Write,
) -> Result<Exported, ExportError> {
    match options.format.clone() {
        ExportFormat::JsonLines => texts(store, &mut options, out, &LINES, record),
        ExportFormat::Json => texts(store, &mut options, out, &ARRAY, record),
        ExportFormat::Csv(language) => {
            rows(store, &mut options, &mut CsvWriter::new(out)?, language)
        }
        ExportFormat::Xlsx(language) => {
            let mut book = XlsxWriter::new()?;
            let exported = rows(store, &mut options, &mut book, language)?;
            book.finish(out).map(|()| exported)
        }
        ExportFormat::Linkset(root, now) => {
            texts(store, &mut options, out, &LINKSET, |entry, left_out| {
                let (context, lost) = write_linkset_context(entry, &root, now);
                *left_out += lost;
                context
            })
        }
    }
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

fn record(entry: &Arc<Entry>, _: &mut LeftOut) -> Option<String> {
    Some(write_record(entry))
}

/// Writes all records as texts.
fn texts(
    store: &Store,
    options: &mut ExportOptions<'_>,
    out: &mut impl Write,
    frame: &Frame,
    text: impl Fn(&Arc<Entry>, &mut LeftOut) -> Option<String>,
) -> Result<Exported, ExportError> {
    let mut exported = Exported::default();
    options.for_each(store, |entry| {
        let Some(text) = text(&Arc::new(entry), &mut exported.left_out) else { return Ok(()) };
        let before = if exported.records == 0 { frame.begin } else { frame.between };
        out.write_all(before.as_bytes())?;
        out.write_all(text.as_bytes())?;
        exported.records += 1;
        Ok(())
    })?;
    let end = if exported.records == 0 { frame.empty } else { frame.end };
    out.write_all(end.as_bytes())?;
    Ok(exported)
}

/// Writes all records as rows.
fn rows(
    store: &Store,
    options: &mut ExportOptions<'_>,
    out: &mut impl RowWriter,
    language: TitleLanguage,
) -> Result<Exported, ExportError> {
    write::titles(out, language)?;
    let mut exported = Exported::default();
    options.for_each(store, |entry| {
        exported.records += 1;
        write::entry(out, &entry)
    })?;
    Ok(exported)
}

/// Returns whether the company prefix of an anchor begins with one of these.
fn is_below(anchor: &Anchor, prefixes: &[CompanyPrefix]) -> bool {
    let part = anchor.company_prefix_part();
    part.is_some_and(|part| prefixes.iter().any(|prefix| part.starts_with(prefix.as_str())))
}
