//! Symbols: which there are, what they hold, and how they are drawn as modules.

use crate::data_matrix;
use crate::error_correction::ErrorCorrection;
use crate::matrix::Matrix;
use crate::qr;

/// A kind of symbol, with what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A QR Code (ISO/IEC 18004) with a GS1 Digital Link URI.
    Qr,
    /// A Data Matrix (ISO/IEC 16022, ECC 200) with a GS1 Digital Link URI.
    DataMatrix,
    /// A GS1 DataMatrix: a Data Matrix with FNC1 first and an element string.
    Gs1DataMatrix,
}

impl SymbolKind {
    /// All kinds.
    pub const ALL: [SymbolKind; 3] =
        [SymbolKind::Qr, SymbolKind::DataMatrix, SymbolKind::Gs1DataMatrix];

    /// Returns the machine-readable name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            SymbolKind::Qr => "qr",
            SymbolKind::DataMatrix => "datamatrix",
            SymbolKind::Gs1DataMatrix => "gs1-datamatrix",
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SymbolKind::Qr => "QR Code",
            SymbolKind::DataMatrix => "Data Matrix",
            SymbolKind::Gs1DataMatrix => "GS1 DataMatrix",
        }
    }

    /// Returns the kind with this machine-readable name.
    #[must_use]
    pub fn of_code(code: &str) -> Option<SymbolKind> {
        SymbolKind::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Returns whether it holds a GS1 Digital Link URI; if not, an element string.
    #[must_use]
    pub fn holds_uri(self) -> bool {
        self != SymbolKind::Gs1DataMatrix
    }

    /// Returns the width of the quiet zone in modules: 4 around a QR Code (ISO/IEC 18004, section
    /// 9.1), 1 around a Data Matrix (ISO/IEC 16022, section 7.2).
    #[must_use]
    pub fn quiet_modules(self) -> u32 {
        match self {
            SymbolKind::Qr => 4,
            SymbolKind::DataMatrix | SymbolKind::Gs1DataMatrix => 1,
        }
    }

    /// Returns the symbology identifier that a scanner sends before the data (GS1 General
    /// Specifications, section 5.1.2).
    #[must_use]
    pub fn symbology(self) -> &'static str {
        match self {
            SymbolKind::Qr => "]Q1",
            SymbolKind::DataMatrix => "]d1",
            SymbolKind::Gs1DataMatrix => "]d2",
        }
    }
}

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
    /// Draws the smallest symbol that holds `data`: a URI, or an element string without its leading
    /// FNC1 and with GS (0x1D) as separator.
    ///
    /// # Errors
    ///
    /// The data do not fit.
    pub(crate) fn draw(
        kind: SymbolKind,
        data: &str,
        level: ErrorCorrection,
    ) -> Result<Symbol, TooLong> {
        let (matrix, level) = match kind {
            SymbolKind::Qr => (qr::draw(data, level), Some(level)),
            SymbolKind::DataMatrix => (data_matrix::draw(data.as_bytes(), false), None),
            SymbolKind::Gs1DataMatrix => (data_matrix::draw(data.as_bytes(), true), None),
        };
        match matrix {
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

    /// Returns the content: a URI, or an element string without its leading FNC1 and with GS (0x1D)
    /// as separator.
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }

    /// Returns what a scanner sends: the symbology identifier and the content.
    #[must_use]
    pub fn scan_data(&self) -> String {
        [self.kind.symbology(), &self.data].concat()
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

    /// Returns the number of modules of a row, with the quiet zone on both sides.
    #[must_use]
    pub fn width_with_quiet_zone(&self) -> u32 {
        self.matrix.width() + 2 * self.kind.quiet_modules()
    }

    /// Returns the number of rows, with the quiet zone above and below.
    #[must_use]
    pub fn height_with_quiet_zone(&self) -> u32 {
        self.matrix.height() + 2 * self.kind.quiet_modules()
    }
}

fn too_long(kind: SymbolKind, data: &str, level: Option<ErrorCorrection>) -> TooLong {
    let fits = |length: usize| {
        let part = data.get(..length).unwrap_or_default();
        match level {
            Some(level) => qr::fits(part, level),
            None => data_matrix::draw(part.as_bytes(), kind == SymbolKind::Gs1DataMatrix).is_some(),
        }
    };
    // More data never fit where fewer do not, up to a few bits at the ends of segments.
    let (mut fitting, mut most) = (0, data.len().min(MAX_CHARACTERS));
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

/// More characters than any symbol holds: 7089 digits in a QR Code.
const MAX_CHARACTERS: usize = 7089;
