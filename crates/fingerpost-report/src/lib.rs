//! What a text says, its other forms and its label, as JSON.
//!
//! `fingerpost check`, `fingerpost convert` and the bindings for Python, JavaScript
//! and C answer from here, so that names, forms, codes and members are the same everywhere. The
//! rules are those of [`fingerpost_identify`], [`fingerpost_gs1`], [`fingerpost_epc`] and
//! [`fingerpost_uri`]; this crate only writes what they find. [`Reader`] serves the command,
//! [`Toolkit`] and [`call()`] the bindings.
//!
//! # Examples
//!
//! ```
//! use fingerpost_report::Toolkit;
//!
//! let found = Toolkit::new("{}", 1_795_824_000)?.check("09520123456789");
//! assert_eq!(found["faults"][0]["code"], "EAN_CHECK_DIGIT");
//! assert_eq!(found["faults"][0]["span"]["start"], 13);
//! # Ok::<(), fingerpost_report::ToolkitError>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]
#![warn(clippy::missing_errors_doc)]

mod call;
mod check;
pub mod epcis;
mod finding;
mod forms;
mod international;
mod limits;
mod reader;
mod reading;
mod toolkit;
mod uri;
pub mod urn;

pub use call::{call, definition};
pub use check::{meant_item, medicine_of, own_item, weight_of};
pub use finding::{finding_json, first, how_to_encode, notes, shown, uri_finding, urn_finding};
pub use forms::WrittenForm;
pub use reader::{Reader, Understood};
pub use reading::AcceptedReading;
pub use toolkit::{Converted, Toolkit, ToolkitError};
#[cfg(feature = "label")]
pub use toolkit::{Picture, draw_label, is_address};
pub use uri::{host_kind, kind, uri_json};
