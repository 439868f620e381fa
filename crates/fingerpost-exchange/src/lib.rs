//! Imports and exports files of link records: JSON Lines, JSON arrays, single records, and GS1
//! linksets.
//!
//! [`import`] reads any number of files in constant memory, sorts their records outside of it, and
//! registers the records in them; [`export`] writes all registered records; [`check`] says what an
//! import would refuse. [`Registry::apply`] decides what a write does; this crate only turns files
//! into changes and reports the outcomes as [`ImportEvent`]s. It prints nothing.
//!
//! - Records are read with the same rules and limits as in the other ways of registering.
//! - The layout of a file is recognised by its content, never by its name.
//! - Order does not matter: records are sorted, and registered in the order of their anchors
//!   (RES-2.5.9-1). Of several records for one anchor, the last one counts.
//! - A record that is already registered, byte for byte the same, changes nothing: no revision, no
//!   history, no audit record.
//!
//! # Example
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::Arc;
//!
//! use fingerpost_exchange::{ExportFormat, ExportOptions, ImportOptions, ImportSource, ImportTarget, export, import};
//! use fingerpost_registry::{Caller, Registry, RegistryOptions};
//! use fingerpost_store::{Store, StoreOptions};
//!
//! let record = r#"{"anchor": "/01/09506000134352", "links": [
//!     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
//!     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
//!
//! # let dir = tempfile::tempdir()?;
//! let store = Arc::new(Store::open(dir.path(), StoreOptions::default())?);
//! let registry = Registry::new(store.clone(), RegistryOptions::new());
//! for unchanged in [0, 1] {
//!     let target = ImportTarget::registry(registry.clone(), Caller::local("example"));
//!     let sources = vec![ImportSource::new("products.json", record.as_bytes())];
//!     let totals = import(target, sources, ImportOptions::default(), &mut |_| ControlFlow::Continue(()))?;
//!     assert_eq!((totals.accepted, totals.unchanged, totals.refused), (1, unchanged, 0));
//! }
//! let mut file = Vec::new();
//! export(&store, ExportOptions::new(ExportFormat::JsonLines), &mut file)?;
//! assert!(file.starts_with(br#"{"anchor":"/01/09506000134352""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Registry::apply`]: fingerpost_registry::Registry::apply

#![forbid(unsafe_code)]

mod anchors;
mod check;
mod error;
mod event;
mod export;
mod exporter;
mod foreign;
mod frame;
mod held;
mod import;
mod limits;
mod merge;
mod pace;
mod pieces;
mod reading;
mod sheet;
mod sorter;
mod source;
mod split;
mod spool;
mod target;
mod writer;

pub use anchors::anchors;
pub use check::check;
pub use error::{ExportError, ImportError};
pub use event::{ImportEvent, ImportFinding, RecordPosition, Totals};
pub use export::{ExportOptions, export};
pub use exporter::{ExportFormat, Exported, Exporter};
pub use import::{ImportOptions, import};
pub use pieces::{JsonValue, JsonValues};
pub use sheet::write::{CsvWriter, RowWriter};
pub use sheet::{
    ColumnMapping, Encoding, SheetColumn, SheetError, SheetOptions, SpreadsheetFormat,
    TitleLanguage, Utf16Reader, Worksheet, template,
};
pub use sorter::{Sorted, SortedValue, Sorter};
pub use source::{IdentifierAnswer, ImportSource};
pub use target::ImportTarget;
