//! Writes the records of one snapshot of a store, or those of them that a filter selects, in the
//! order of their anchors.

use std::io::Write;

use fingerpost_registry::{CompanyPrefix, company_prefix_ranges};
use fingerpost_resolver::{Anchor, Entry};
use fingerpost_store::{Revision, Store};
use jiff::Timestamp;

use crate::{ExportError, ExportFormat, Exported, Exporter};

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
    pub fn new(format: ExportFormat) -> ExportOptions<'o> {
        ExportOptions {
            format,
            ranges: vec![String::new()],
            prefixes: Vec::new(),
            changed_since: None,
            wanted: None,
        }
    }

    /// Selects the keys below these company prefixes, of every type, and the records of these and
    /// longer prefixes. Only their part of the store is read. An empty list selects all.
    pub fn company_prefixes(mut self, prefixes: Vec<CompanyPrefix>) -> Self {
        if !prefixes.is_empty() {
            self.ranges = company_prefix_ranges(&prefixes);
            self.prefixes = prefixes;
        }
        self
    }

    /// Selects records whose last change was at this instant or later.
    pub fn changed_since(mut self, at: Timestamp) -> Self {
        self.changed_since = Some(at);
        self
    }

    /// Selects records by their anchors and the revisions of their last changes. The filter is
    /// called in the order of the anchors, for records that pass the other ones; its first
    /// error ends the export.
    pub fn wanted(
        mut self,
        wanted: impl FnMut(&Anchor, Revision) -> Result<bool, ExportError> + 'o,
    ) -> Self {
        self.wanted = Some(Box::new(wanted));
        self
    }

    /// Calls `visit` with each selected entry, in the order of their anchors. The format does not
    /// matter.
    pub fn for_each(
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
            if anchor.is_of_registry() {
                return Ok(()); // no record
            }
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

/// Writes the selected records to `out`.
pub fn export(
    store: &Store,
    mut options: ExportOptions<'_>,
    out: &mut impl Write,
) -> Result<Exported, ExportError> {
    let mut exporter = Exporter::new(options.format.clone(), store.scratch(), out)?;
    options.for_each(store, |entry| exporter.write(entry))?;
    exporter.finish()
}

/// Returns whether the company prefix of an anchor begins with one of these.
fn is_below(anchor: &Anchor, prefixes: &[CompanyPrefix]) -> bool {
    let part = anchor.company_prefix_part();
    part.is_some_and(|part| prefixes.iter().any(|prefix| part.starts_with(prefix.as_str())))
}
