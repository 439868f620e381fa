//! Labels for GS1 identifiers: QR Code, Data Matrix and GS1 DataMatrix, exact in millimetres, as
//! SVG, PDF and PNG.
//!
//! QR Codes follow ISO/IEC 18004, Data Matrix ISO/IEC 16022 (ECC 200); widths of modules, quiet
//! zones and text follow the GS1 General Specifications. The symbols are computed by the crates
//! `qrcodegen` and `datamatrix`; this crate decides what a symbol holds, divides it into
//! segments, and draws it.
//!
//! # Examples
//!
//! ```
//! use fingerpost_gs1::Options;
//! use fingerpost_label::{Address, Content, Label, LabelOptions, SymbolKind};
//!
//! let item = "(01)09520123456788(10)ABC";
//! let content = Content::read(item, SymbolKind::Gs1DataMatrix, &Address::default(), &Options::new())
//!     .map_err(|finding| finding.message)?;
//! let label = Label::new(&content, LabelOptions::default())?;
//! assert_eq!(label.symbol().scan_data(), "]d2010952012345678810ABC");
//! assert_eq!(label.lines(), ["(01) 09520123456788", "(10) ABC"]);
//! assert!(label.to_svg().starts_with("<svg"));
//! assert!(label.to_raster(300)?.to_png().starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! Any text gives a label or an error that says what to do. Equal input gives equal files: nothing
//! depends on the clock or on chance. A symbol is the smallest of its kind that holds its content,
//! with the level of error correction that was chosen.

#![forbid(unsafe_code)]
#![warn(clippy::missing_errors_doc)]

mod advice;
mod content;
mod data_matrix;
mod error_correction;
mod glyphs;
mod helvetica;
mod label;
mod length;
mod matrix;
mod pdf;
mod png;
mod qr;
mod raster;
mod sheet;
mod svg;
mod symbol;
mod text;

pub use advice::{Advice, Shorter, Warning};
pub use content::{Address, AddressForm, Content};
pub use error_correction::ErrorCorrection;
pub use label::{Label, LabelOptions, X_DIMENSION_GREATEST, X_DIMENSION_LEAST, X_DIMENSION_TARGET};
pub use length::{Length, NotALength};
pub use matrix::Matrix;
pub use raster::{NoRaster, RESOLUTIONS, Raster};
pub use sheet::{NoSheet, Sheet, SheetLayout, Size, TooLarge};
pub use symbol::{Symbol, SymbolKind, TooLong};
