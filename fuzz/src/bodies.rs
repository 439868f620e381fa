//! What each fuzz target does with its input. The targets call these, and a test replays the
//! committed corpus through the same functions with a stable toolchain.
//!
//! Every function panics where a promise of the libraries is broken, and only then.

mod backups;
mod compression;
mod epcs;
mod files;
mod identifiers;
mod requests;
mod uris;
mod workbook;

pub use backups::backup;
pub use compression::compressed;
pub use epcs::epc;
pub use files::{sheet_csv, sheet_xlsx, split};
pub use identifiers::{digital_link, element_string};
pub use requests::{accept_language, accept_language_once, record};
pub use uris::{uri, urn};
