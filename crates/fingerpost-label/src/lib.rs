//! Labels for GS1 identifiers: QR Code, Data Matrix, GS1 DataMatrix, EAN-13, EAN-8, UPC-A, ITF-14
//! and GS1-128, exact in millimetres, as SVG, PDF and PNG.
//!
//! QR Codes follow ISO/IEC 18004, Data Matrix ISO/IEC 16022 (ECC 200), linear symbols ISO/IEC
//! 15420, 16390 and 15417; widths of modules, quiet zones, heights and text follow the GS1 General
//! Specifications. Symbols of two dimensions are computed by the crates `qrcodegen` and
//! `datamatrix`; this crate decides what a symbol holds, divides it into segments, computes the
//! bars of linear symbols, and draws it.
//!
//! # Examples
//!
//! ```
//! use fingerpost_gs1::Options;
//! use fingerpost_label::{LabelAddress, Content, Label, LabelOptions, SymbolKind};
//!
//! let item = "(01)09520123456788(10)ABC";
//! let content = Content::read(item, SymbolKind::Gs1DataMatrix, &LabelAddress::default(), &Options::new())
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
#![warn(missing_debug_implementations)]
#![warn(clippy::missing_errors_doc)]

mod advice;
mod code128;
mod content;
mod data_matrix;
mod error_correction;
mod glyphs;
mod helvetica;
mod kind;
mod label;
mod layout;
mod length;
mod limits;
mod linear;
mod matrix;
mod options;
mod part;
mod pdf;
mod png;
mod qr;
mod raster;
mod sheet;
mod size;
mod svg;
mod symbol;
mod text;

pub use advice::{Advice, LabelWarning, Shorter};
pub use content::{AddressForm, Content, LabelAddress};
pub use error_correction::ErrorCorrection;
pub use kind::{QuietZone, SymbolKind, XDimensions};
pub use label::{Label, NotBeside};
pub use length::{Length, NotALength};
pub use matrix::Matrix;
pub use options::LabelOptions;
pub use raster::{NoRaster, RESOLUTIONS, Raster};
pub use sheet::{NoSheet, Sheet, SheetLayout, TooLarge};
pub use size::Size;
pub use symbol::{Symbol, TooLong};
