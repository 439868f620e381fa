//! Configuration options: each part declares its own with [`options!`], including documentation and
//! defaults; a [`Document`] reads them from a TOML file, environment variables and flags.
//!
//! Each option is declared in one place only. The names of environment variables, the refusal of
//! unknown keys, the reference page and the example file are derived from the declaration.
//! Declaring options needs no TOML: the feature `document` reads them.
#![cfg_attr(feature = "document", doc = "```")]
#![cfg_attr(not(feature = "document"), doc = "```ignore")]
//! use fingerpost_options::{Count, Document, Period, Section, options};
//!
//! options! {
//!     /// Limits of an oven.
//!     pub struct Oven {
//!         /// Trays at a time.
//!         trays: Count = 4;
//!         /// Time for one tray.
//!         time: Period<1> = "20m";
//!     }
//! }
//!
//! let sections = [Section::of::<Oven>("oven")];
//! let document = Document::parse("bakery.toml", "[oven]\ntrays = 6", &sections)?;
//! let oven: Oven = document.read("oven")?;
//! assert_eq!(oven.trays.get(), 6);
//! assert_eq!(oven.time.get().as_secs(), 1200);
//!
//! let error = Document::parse("bakery.toml", "[oven]\ntray = 6", &sections).unwrap_err();
//! assert!(error.to_string().ends_with("did you mean `oven.trays`?\n  tray = 6"));
//! # Ok::<(), fingerpost_options::ConfigError>(())
//! ```

#![forbid(unsafe_code)]

mod declare;
#[cfg(feature = "document")]
mod document;
#[cfg(feature = "document")]
mod error;
#[cfg(feature = "document")]
mod section;
mod units;

pub use declare::{DeclaredOptions, FromLiteral, Key};
#[cfg(feature = "document")]
pub use document::Document;
#[cfg(feature = "document")]
pub use error::ConfigError;
#[cfg(feature = "document")]
pub use section::Section;
pub use units::{ByteSize, Count, Items, Period};
