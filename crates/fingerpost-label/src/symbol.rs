//! A symbol: its content, drawn as modules.

use crate::code128;
use crate::data_matrix;
use crate::error_correction::ErrorCorrection;
pub(crate) use crate::kind::SymbolKind;
use crate::length::Length;
use crate::limits::MAX_SYMBOL_CHARACTERS;
use crate::linear;
use crate::matrix::Matrix;
use crate::qr;

/// A symbol: its kind, its content and its modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    kind: SymbolKind,
    data: String,
    matrix: Matrix,
    error_correction: Option<ErrorCorrection>,
}

/// The reason data do not fit into a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the content is {} characters too long for a {}: it has {found}, of which the first {fitting} fit",
    found - fitting,
    kind.name()
)]
pub struct TooLong {
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The number of characters.
    pub found: usize,
    /// The number of characters that fit, from the beginning of the same content.
    pub fitting: usize,
    /// The highest level at which the whole content fits into a QR Code, if there is one.
    pub lower_level: Option<ErrorCorrection>,
}

impl TooLong {
    /// Returns what to do.
    #[must_use]
    pub fn advice(&self) -> String {
        let shorter = if self.kind.holds_uri() {
            "leave out attributes, use a shorter host name, or write the address in upper case or compressed"
        } else {
            "leave out elements, or divide them between two symbols"
        };
        match self.lower_level {
            Some(level) => {
                format!("use error correction level {}, or {shorter}", level.letter())
            }
            None => shorter.to_owned(),
        }
    }
}

impl Symbol {
    /// Draws the smallest symbol that holds `data`: a URI, the digits of a GTIN, or an element
    /// string without its leading FNC1 and with GS (0x1D) as separator.
    ///
    /// # Errors
    ///
    /// The data do not fit.
    pub(crate) fn draw(
        kind: SymbolKind,
        data: &str,
        level: ErrorCorrection,
    ) -> Result<Symbol, TooLong> {
        let level = (kind == SymbolKind::Qr).then_some(level);
        match matrix(kind, data, level.unwrap_or_default()) {
            Some(matrix) => {
                Ok(Symbol { kind, data: data.to_owned(), matrix, error_correction: level })
            }
            None => Err(too_long(kind, data, level)),
        }
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> SymbolKind {
        self.kind
    }

    /// Returns the content: a URI, the digits of a GTIN, or an element string without its leading
    /// FNC1 and with GS (0x1D) as separator.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }

    /// Returns what a scanner sends: the symbology identifier and the content, that of a UPC-A with
    /// thirteen digits.
    #[must_use]
    pub fn scan_data(&self) -> String {
        let zero = if self.kind == SymbolKind::UpcA { "0" } else { "" };
        [self.kind.symbology(), zero, &self.data].concat()
    }

    /// Returns the modules.
    #[must_use]
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// Returns the level of error correction of a QR Code.
    #[must_use]
    pub fn error_correction(&self) -> Option<ErrorCorrection> {
        self.error_correction
    }

    /// Returns the version of a QR Code, 1 to 40.
    #[must_use]
    pub fn version(&self) -> Option<u32> {
        // A version adds four modules to the previous one; the first has 21.
        (self.kind == SymbolKind::Qr).then(|| (self.matrix.width().saturating_sub(17)) / 4)
    }

    /// Returns the number of modules of a row; that of an ITF-14 is rounded up.
    #[must_use]
    pub fn modules(&self) -> u32 {
        self.matrix.width().div_ceil(self.kind.columns_per_module())
    }

    /// Returns the number of rows of modules: 1 for a linear symbol.
    #[must_use]
    pub fn rows(&self) -> u32 {
        if self.kind.is_linear() { 1 } else { self.matrix.height() }
    }

    /// Returns the number of columns with the quiet zone on both sides.
    pub(crate) fn columns_with_quiet_zone(&self) -> u32 {
        let quiet = self.kind.quiet_zone();
        self.matrix.width() + (quiet.left + quiet.right) * self.kind.columns_per_module()
    }

    /// Returns the height of each row of the matrix in modules of a width. `height` is that of the
    /// bars, if it is not that of the GS1 General Specifications.
    pub(crate) fn row_heights(&self, x_dimension: Length, height: Option<Length>) -> Vec<u32> {
        let Some(usual) = self.kind.bar_height(x_dimension) else {
            return vec![1; self.matrix.height() as usize];
        };
        let height = height.unwrap_or(usual).micrometres();
        let bars = height.div_ceil(x_dimension.micrometres().max(1));
        match self.kind {
            SymbolKind::Itf14 => vec![BEARER, bars, BEARER],
            kind if kind.is_ean_upc() => vec![bars, LONGER],
            _ => vec![bars],
        }
    }
}

/// Modules of a bearer bar (GS1 General Specifications, section 5.3.2.4).
const BEARER: u32 = 2;

/// Modules by which the guard bars of EAN and UPC are longer (ISO/IEC 15420, section 4.3).
pub(crate) const LONGER: u32 = 5;

fn matrix(kind: SymbolKind, data: &str, level: ErrorCorrection) -> Option<Matrix> {
    match kind {
        SymbolKind::Qr => qr::draw(data, level),
        SymbolKind::DataMatrix => data_matrix::draw(data.as_bytes(), false),
        SymbolKind::Gs1DataMatrix => data_matrix::draw(data.as_bytes(), true),
        SymbolKind::Gs1_128 => code128::draw(data.as_bytes()),
        SymbolKind::Ean13 | SymbolKind::Ean8 | SymbolKind::UpcA | SymbolKind::Itf14 => {
            linear::draw(kind, data)
        }
    }
}

fn too_long(kind: SymbolKind, data: &str, level: Option<ErrorCorrection>) -> TooLong {
    let fits = |length: usize| {
        let part = data.get(..length).unwrap_or_default();
        match level {
            Some(level) => qr::fits(part, level),
            None => matrix(kind, part, ErrorCorrection::default()).is_some(),
        }
    };
    // More data never fit where fewer do not, up to a few bits at the ends of segments.
    let (mut fitting, mut most) = (0, data.len().min(MAX_SYMBOL_CHARACTERS));
    while fitting < most {
        let middle = (fitting + most).div_ceil(2);
        if fits(middle) {
            fitting = middle;
        } else {
            most = middle - 1;
        }
    }
    let lower_level = level.and_then(|level| {
        let lower = ErrorCorrection::ALL.into_iter().rev();
        lower.skip_while(|other| *other != level).skip(1).find(|other| qr::fits(data, *other))
    });
    TooLong { kind, found: data.len(), fitting, lower_level }
}
