//! GS1 Resolver CE: its documents and database dumps as records, and records as its documents.
//!
//! [`CeDocuments`] reads documents of every form and sorts them; [`CeRecords`] are the records that
//! scans are answered by in the same way, for `fingerpost_exchange::ImportSource::converted`. Every
//! document ends in a [`DocumentOutcome`]. [`CeExporter`] converts records to documents.
//!
//! [`api_routes`] is the data-entry API of Resolver CE, for the admin listener.
//!
//! - [`CeDocument`]: a document of version 3, which is also the form that documents of other
//!   versions are converted to.

#![forbid(unsafe_code)]

mod anchor;
mod api;
mod document;
mod dump;
mod export;
mod level;
mod limits;
mod merge;
mod outcome;
mod pattern;
mod reading;
mod record;
mod records;
mod stored;
mod v2;

pub use api::{CeApiOptions, routes as api_routes};
pub use document::{CeDocument, CeLink, CeQualifier};
pub use export::CeExporter;
pub use outcome::{DocumentOutcome, Fate, OutcomeReason, ReportOutcome};
pub use reading::CeDocuments;
pub use records::CeRecords;
